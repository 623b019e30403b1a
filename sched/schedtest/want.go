package schedtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentx/sched"
)

// Check compares a played script with its wants and returns what does not hold. The wants are:
//
//	A[2] 8            a send in profiling; `warm A[1] 0` one in the warmup; `lane 1 C[0] 5.5` one on a lane.
//	                  All sends up to the last wanted one must be wanted; `until 50` extends that.
//	nothing after 4   no send after that time
//	T0 3              the start of profiling
//	sending 7         when profiling's sending was complete; `warm sending 2` the warmup's
//	complete 7        when profiling was; `warm complete 3` the warmup
//	retained A[2] 8   an event of a turn: due retained released refused deferred queued blocked satisfied
//	                  discarded voided; of a stream: completed terminated truncated; of a tree: drained
//	                  aborted backoff, by time only
//	counts sent=1     keys of phase_complete's counters of profiling (`warm counts …`): sent, completed …
//	guard 2 177       jumps and skipped seconds; watchdog likewise
//	offset A[2] 4.5   what the handoff after a cache warmup says of a turn
//	url x 0           the server that a conversation's requests go to
//	late 1            the lanes that the start of profiling warns of
//	marker A 1 a8bb…  the marker of a trace's pass
//	draws 1           how often a trace was drawn
//	reason done       why the run was complete
//	never drained     an event kind that does not occur
func (p *Played) Check() []string {
	c := checker{played: p}
	for _, line := range p.script.Wants {
		if err := c.line(line); err != nil {
			c.fail("%s: %v", line, err)
		}
	}
	c.checkSends()
	return c.failures
}

type checker struct {
	played   *Played
	sends    []wantedSend
	until    int64
	failures []string
}

type wantedSend struct {
	phase sched.Phase
	lane  int // -1: any
	name  string
	at    int64
}

func (c *checker) fail(format string, args ...any) {
	c.failures = append(c.failures, fmt.Sprintf(format, args...))
}

func (c *checker) line(line string) error {
	fields := strings.Fields(line)
	phase := sched.PhaseProfiling
	if fields[0] == "warm" {
		phase, fields = sched.PhaseWarmup, fields[1:]
	}
	lane := -1
	if fields[0] == "lane" {
		lane, _ = strconv.Atoi(fields[1])
		fields = fields[2:]
	}
	switch fields[0] {
	case "until":
		at, err := nanos(fields[1])
		c.until = max(c.until, at)
		return err
	case "nothing":
		return c.nothingAfter(fields[2])
	case "T0", "sending", "complete":
		return c.instantOf(fields[0], phase, fields[1])
	case "counts":
		return c.counts(phase, fields[1:])
	case "guard", "watchdog":
		return c.jumps(fields)
	case "reason":
		return c.reason(fields[1])
	case "late":
		return c.late(fields[1:])
	case "url":
		return c.url(fields[1], fields[2])
	case "marker":
		return c.marker(fields[1], fields[2], fields[3])
	case "draws":
		return c.draws(fields[1])
	case "offset":
		return c.offset(fields[1], fields[2])
	case "never":
		for _, entry := range c.played.Entries {
			if word(entry.Event.Payload) == fields[1] {
				c.fail("%s at %s", line, Seconds(entry.Now))
			}
		}
		return nil
	}
	if strings.Contains(fields[0], "[") && len(fields) == 2 {
		at, err := nanos(fields[1])
		c.sends = append(c.sends, wantedSend{phase, lane, fields[0], at})
		c.until = max(c.until, at)
		return err
	}
	return c.event(fields)
}

// checkSends requires the wanted sends, and no others up to the last of them.
func (c *checker) checkSends() {
	var got []wantedSend
	for _, entry := range c.played.sends() {
		d := entry.Event.Payload.(*sched.Dispatch)
		if entry.Now <= c.until {
			got = append(got, wantedSend{d.Phase, int(entry.Event.Lane), c.played.name(d.Plan, d.Conversation, entry.Event.Turn), entry.Now})
		}
	}
	for _, want := range c.sends {
		found := slices.IndexFunc(got, func(g wantedSend) bool {
			return g.phase == want.phase && g.name == want.name && g.at == want.at && (want.lane < 0 || g.lane == want.lane)
		})
		if found < 0 {
			c.fail("not sent: %s %s %s lane %d", want.phase, want.name, Seconds(want.at), want.lane)
			continue
		}
		got = slices.Delete(got, found, found+1)
	}
	for _, extra := range got {
		c.fail("sent but not wanted: %s %s %s lane %d", extra.phase, extra.name, Seconds(extra.at), extra.lane)
	}
}

func (c *checker) nothingAfter(text string) error {
	limit, err := nanos(text)
	for _, entry := range c.played.sends() {
		if entry.Now > limit {
			c.fail("a send at %s, after %s", Seconds(entry.Now), text)
		}
	}
	return err
}

func (c *checker) instantOf(what string, phase sched.Phase, text string) error {
	want, err := nanos(text)
	got, found := int64(0), false
	for _, entry := range c.played.Entries {
		hit := false
		switch payload := entry.Event.Payload.(type) {
		case *sched.PhaseStart:
			hit = what == "T0" && payload.Phase == phase
		case *sched.SendingComplete:
			hit = what == "sending" && payload.Phase == phase
		case *sched.PhaseComplete:
			hit = what == "complete" && payload.Phase == phase
		}
		if hit {
			got, found = entry.Now, true
		}
	}
	if !found || got != want {
		c.fail("%s %s is %s (found: %v), want %s", phase, what, Seconds(got), found, text)
	}
	return err
}

func (c *checker) report(phase sched.Phase) *sched.PhaseComplete {
	for _, entry := range c.played.Entries {
		if report, ok := entry.Event.Payload.(*sched.PhaseComplete); ok && report.Phase == phase {
			return report
		}
	}
	return &sched.PhaseComplete{}
}

// counts compares counters by the end of their JSON names.
func (c *checker) counts(phase sched.Phase, wants []string) error {
	report := c.report(phase)
	got := map[string]any{}
	for _, part := range []any{report.Counts, report.Branches} {
		text, err := json.Marshal(part)
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil {
			return err
		}
	}
	for _, want := range wants {
		name, value, _ := strings.Cut(want, "=")
		if have, known := got[name]; !known || fmt.Sprint(have) != value {
			c.fail("%s %s is %v, want %s", phase, name, have, value)
		}
	}
	return nil
}

func (c *checker) jumps(fields []string) error {
	report := c.report(sched.PhaseProfiling)
	got := report.Guard
	if fields[0] == "watchdog" {
		got = report.Watchdogs
	}
	skipped, err := nanos(fields[2])
	if fmt.Sprint(got.Jumps) != fields[1] || got.SkippedNs != skipped {
		c.fail("%s jumped %d times, %s s, want %s", fields[0], got.Jumps, Seconds(got.SkippedNs), strings.Join(fields[1:], " "))
	}
	return err
}

func (c *checker) reason(want string) error {
	last := c.played.Entries[len(c.played.Entries)-1]
	if end, ok := last.Event.Payload.(*sched.RunComplete); !ok || string(end.Reason) != want {
		c.fail("the run ended by %+v, want %s", last.Event.Payload, want)
	}
	return nil
}

func (c *checker) late(want []string) error {
	for _, entry := range c.played.Entries {
		if start, ok := entry.Event.Payload.(*sched.PhaseStart); ok && start.Phase == sched.PhaseProfiling {
			if got := strings.Trim(fmt.Sprint(start.Late), "[]"); got != strings.Join(want, " ") {
				return fmt.Errorf("the lanes are %q", got)
			}
			return nil
		}
	}
	return fmt.Errorf("no profiling")
}

func (c *checker) url(name, want string) error {
	found := false
	for _, entry := range c.played.sends() {
		d := entry.Event.Payload.(*sched.Dispatch)
		if strings.HasPrefix(c.played.name(d.Plan, d.Conversation, 0), name+"[") {
			found = true
			if fmt.Sprint(d.URL) != want {
				c.fail("%s at %s goes to %d, want %s", name, Seconds(entry.Now), d.URL, want)
			}
		}
	}
	if !found {
		return fmt.Errorf("nothing was sent")
	}
	return nil
}

func (c *checker) marker(trace, pass, want string) error {
	for _, entry := range c.played.Entries {
		open, ok := entry.Event.Payload.(*sched.TreeOpen)
		if ok && string(open.Trace) == trace && fmt.Sprint(open.Pass) == pass {
			if open.Marker != want {
				return fmt.Errorf("it is %s", open.Marker)
			}
			return nil
		}
	}
	return fmt.Errorf("no such tree")
}

func (c *checker) draws(want string) error {
	n := 0
	for _, entry := range c.played.Entries {
		if _, ok := entry.Event.Payload.(*sched.TraceDrawn); ok {
			n++
		}
	}
	if fmt.Sprint(n) != want {
		return fmt.Errorf("there were %d", n)
	}
	return nil
}

func (c *checker) offset(name, text string) error {
	want, err := nanos(text)
	for _, entry := range c.played.Entries {
		handoff, ok := entry.Event.Payload.(*sched.Handoff)
		if !ok {
			continue
		}
		for _, lane := range handoff.Lanes {
			for _, state := range lane.States {
				plan, _ := c.played.conversationOf(sched.StreamID(state.Stream), lane.Play)
				if c.played.name(plan, state.Conversation, int32(state.Next)) == name && state.OffsetNs == want {
					return err
				}
			}
		}
	}
	return fmt.Errorf("no such offset")
}

// event looks for an event of a turn, a stream or a tree at an instant.
func (c *checker) event(fields []string) error {
	want, err := nanos(fields[len(fields)-1])
	if err != nil {
		return err
	}
	for _, entry := range c.played.Entries {
		if entry.Now != want || word(entry.Event.Payload) != fields[0] {
			continue
		}
		if len(fields) == 2 || c.played.subject(&entry) == fields[1] {
			return nil
		}
	}
	return fmt.Errorf("no such event")
}
