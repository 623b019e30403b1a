package audit

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/sched"
)

func TestFaultlessLogHasNoFindings(t *testing.T) {
	s := newSample(t)
	result, findings := s.audit(t, s.rows, true, true)
	for _, finding := range findings {
		t.Error(finding)
	}
	outcomes := map[eventlog.Outcome]int{}
	for _, row := range s.rows {
		if row.Kind == eventlog.KindExchangeEnd {
			outcomes[decode[eventlog.ExchangeEnd](t, row).Outcome]++
		}
	}
	if outcomes[eventlog.OutcomeOK] < 40 || outcomes[eventlog.OutcomeError] == 0 || outcomes[eventlog.OutcomeCancelled] == 0 {
		t.Errorf("the sample is to hold successes, errors and cancels; it has %v", outcomes)
	}
	if done := strings.Join(result.Done, "\n"); !strings.Contains(done, "request bodies rebuilt") || len(result.NotDone) > 0 {
		t.Errorf("done: %s; not done: %v", done, result.NotDone)
	}
}

func TestWithoutBundleBodiesAreSaidToBeUnchecked(t *testing.T) {
	s := newSample(t)
	result, findings := s.audit(t, s.rows, true, false)
	if len(findings) > 0 || len(result.NotDone) != 1 || !strings.Contains(result.NotDone[0], "need the bundle") {
		t.Errorf("findings %v, not done %v", findings, result.NotDone)
	}
}

func TestSimulatedRunSentNoBodies(t *testing.T) {
	s := newSample(t)
	s.config.Simulated = true
	result, findings := s.audit(t, s.rows, true, true)
	if len(findings) > 0 || len(result.NotDone) != 1 || !strings.Contains(result.NotDone[0], "simulated") {
		t.Errorf("findings %v, not done %v", findings, result.NotDone)
	}
}

// An interrupted log is a prefix: whatever is missing after it is no fault.
func TestEveryPrefixIsFaultless(t *testing.T) {
	s := newSample(t)
	for length := 1; length < len(s.rows); length += len(s.rows)/7 + 1 {
		if _, findings := s.audit(t, s.rows[:length], false, true); len(findings) > 0 {
			t.Errorf("the first %d rows: %d findings, the first: %v", length, len(findings), findings[0])
		}
	}
}

// fault is a log that is broken on purpose, with a check that must notice.
type fault struct {
	name  string
	check string
	text  string // part of the finding
	spoil func(t *testing.T, rows []eventlog.Event) []eventlog.Event
}

const ms = 1_000_000

func faults() []fault {
	return []fault{
		{"the wire's end moved by 1 ms", "wire", "the wire says", change(eventlog.KindExchangeEnd, 7, func(_ *eventlog.Event, e *eventlog.ExchangeEnd) { e.EndNs += ms })},
		{"the machine's end moved by 1 ms", "wire", "the wire says", change(eventlog.KindEnded, 7, func(_ *eventlog.Event, e *schedlog.Ended) { e.AtNs -= ms })},
		{"the machine's end moved by 1 ms", "machine", "", change(eventlog.KindEnded, 7, func(_ *eventlog.Event, e *schedlog.Ended) { e.AtNs -= ms })},
		{"an end moved to after it was told", "wire", "outside of its dispatch", change(eventlog.KindEnded, 7, func(_ *eventlog.Event, e *schedlog.Ended) { e.AtNs += ms })},
		{"an end moved to after it was told", "I29", "", change(eventlog.KindEnded, 7, func(_ *eventlog.Event, e *schedlog.Ended) { e.AtNs += ms })},
		{"the wire's end dropped", "wire", "never ended", drop(eventlog.KindExchangeEnd, 7)},
		{"the machine's end dropped", "wire", "never told", drop(eventlog.KindEnded, 7)},
		{"the machine's end dropped", "machine", "", drop(eventlog.KindEnded, 7)},
		{"the wire's outcome swapped", "wire", "the wire says error", change(eventlog.KindExchangeEnd, 7, func(_ *eventlog.Event, e *eventlog.ExchangeEnd) { e.Outcome = eventlog.OutcomeError })},
		{"the machine's outcome swapped", "wire", "was told overflow", change(eventlog.KindEnded, 7, func(_ *eventlog.Event, e *schedlog.Ended) { e.Outcome = sched.OutcomeOverflow })},
		{"the machine's outcome swapped", "machine", "", change(eventlog.KindEnded, 7, func(_ *eventlog.Event, e *schedlog.Ended) { e.Outcome = sched.OutcomeOverflow })},
		{"a cancelled end without a cancel", "wire", "no cancel came before", change(eventlog.KindEnded, 7, func(_ *eventlog.Event, e *schedlog.Ended) { e.Outcome = sched.OutcomeCancelled })},
		{"whether it was answered swapped", "wire", "was answered", change(eventlog.KindEnded, 7, func(_ *eventlog.Event, e *schedlog.Ended) { e.Answered = false })},
		{"a second end of the wire", "wire", "has ended already", twice(eventlog.KindExchangeEnd, 7)},
		{"a second end for the machine", "wire", "has ended already", twice(eventlog.KindEnded, 7)},
		{"a second end for the machine", "I15", "", twice(eventlog.KindEnded, 7)},
		{"a decision left out", "machine", "which the log lacks", drop(eventlog.KindDispatch, 5)},
		{"a request that was not written", "wire", "no request_written event", drop(eventlog.KindRequestWritten, 3)},
		{"a request written twice", "wire", "written 2 times", twice(eventlog.KindRequestWritten, 3)},
		{"a request written at another time", "wire", "its end says", change(eventlog.KindRequestWritten, 3, func(row *eventlog.Event, _ *eventlog.RequestWritten) { row.AtNs -= ms })},
		{"an answer that came before the request", "wire", "before its request was written", change(eventlog.KindExchangeEnd, 7, func(_ *eventlog.Event, e *eventlog.ExchangeEnd) { *e.WrittenNs = e.EndNs + ms })},
		{"an ok that was not written", "wire", "never written", change(eventlog.KindExchangeEnd, 7, func(_ *eventlog.Event, e *eventlog.ExchangeEnd) { e.WrittenNs = nil })},
		{"an error whose writing is forgotten", "wire", "its end does not say so", change(eventlog.KindExchangeEnd, 7, unwritten)},
		{"a request begun before its dispatch", "wire", "before its dispatch", change(eventlog.KindExchangeEnd, 7, func(_ *eventlog.Event, e *eventlog.ExchangeEnd) { e.StartNs -= ms })},
		{"a request written before it began", "wire", "its first write", change(eventlog.KindExchangeEnd, 7, func(_ *eventlog.Event, e *eventlog.ExchangeEnd) { at := e.StartNs - 1; e.SendStartNs = &at })},
		{"a token after the end", "wire", "its last token", change(eventlog.KindExchangeEnd, 7, func(_ *eventlog.Event, e *eventlog.ExchangeEnd) { *e.LastTokenNs = e.EndNs + ms })},
		{"an exchange left out", "wire", "is dispatched where", drop(eventlog.KindDispatch, 5)},
		{"an exchange left out", "wire", "not dispatched before", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			row := rows[find(t, rows, eventlog.KindRequestWritten, 3)]
			row.Exchange = 100_000
			return append(slices.Clone(rows), row)
		}},
		{"a start that the seed does not give", "I24", "the seed gives", change(eventlog.KindTrajectoryBuilt, 0, func(_ *eventlog.Event, p *sched.TrajectoryBuilt) { *p.TStarMs++ })},
		{"a marker of another tree", "machine", "", change(eventlog.KindTreeOpen, 0, func(_ *eventlog.Event, p *sched.TreeOpen) { p.Marker = "0123456789ab" })},
		{"a marker of another tree", "body", "", change(eventlog.KindTreeOpen, 0, func(_ *eventlog.Event, p *sched.TreeOpen) { p.Marker = "0123456789ab" })},
		{"the digest of another body", "body", "the run sent", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			other := decode[eventlog.ExchangeEnd](t, rows[find(t, rows, eventlog.KindExchangeEnd, 8)]).BodyDigest
			return change(eventlog.KindExchangeEnd, 7, func(_ *eventlog.Event, e *eventlog.ExchangeEnd) { e.BodyDigest = other })(t, rows)
		}},
		{"another output limit", "body", "the run sent", change(eventlog.KindDispatch, 0, func(_ *eventlog.Event, d *sched.Dispatch) { d.MaxTokens = 2 })},
	}
}

// TestBrokenLogs lets each check notice its faults, naming the events concerned.
func TestBrokenLogs(t *testing.T) {
	s := newSample(t)
	for _, f := range faults() {
		t.Run(f.check+"/"+f.name, func(t *testing.T) {
			_, findings := s.audit(t, f.spoil(t, s.rows), true, f.check == "body")
			noticed := slices.ContainsFunc(findings, func(found Finding) bool {
				return found.Check == f.check && strings.Contains(found.Text, f.text) && len(found.Seqs) > 0 && found.Seqs[0] > 0
			})
			if !noticed {
				t.Errorf("not noticed; %d findings, first %v", len(findings), slices.Clip(findings[:min(3, len(findings))]))
			}
		})
	}
}

// A run that is aborted does not wait for its requests: the machine is not told of their ends.
func TestEndsAfterTheMachinesLastWordAreNotTold(t *testing.T) {
	s := newSample(t)
	rows := slices.Clone(s.rows)
	end := rows[find(t, rows, eventlog.KindExchangeEnd, 7)]
	told := find(t, rows, eventlog.KindEnded, 7)
	if rows[told].Exchange != end.Exchange {
		t.Fatal("the seventh ends are of two exchanges")
	}
	rows = slices.Delete(rows, told, told+1)
	at := find(t, rows, eventlog.KindExchangeEnd, 7)
	rows = append(slices.Delete(rows, at, at+1), end)
	_, findings := s.audit(t, rows, true, false)
	for _, finding := range findings {
		if finding.Check == checkWire {
			t.Error(finding)
		}
	}
}

// unwritten makes of an end that of a request that was given up before it was written.
func unwritten(_ *eventlog.Event, e *eventlog.ExchangeEnd) {
	e.Outcome, e.WrittenNs = eventlog.OutcomeError, nil
}

// TestARequestCancelledBeforeItsResendWasWritten agrees with its log, which tells of the first writing only.
func TestARequestCancelledBeforeItsResendWasWritten(t *testing.T) {
	s := newSample(t)
	rows := change(eventlog.KindExchangeEnd, 7, func(row *eventlog.Event, e *eventlog.ExchangeEnd) {
		unwritten(row, e)
		e.Resends = 1
	})(t, s.rows)
	_, findings := s.audit(t, rows, false, false)
	for _, finding := range findings {
		if strings.Contains(finding.Text, "written") {
			t.Error(finding)
		}
	}
}

// TestAnAbortWaitsForNoEndThatWaitsToBeTold: one that ended just before is in the log, and the machine is not told;
// one that ended long before is missed.
func TestAnAbortWaitsForNoEndThatWaitsToBeTold(t *testing.T) {
	s := newSample(t)
	end := decode[eventlog.ExchangeEnd](t, s.rows[find(t, s.rows, eventlog.KindExchangeEnd, 7)])
	for after, excused := range map[int64]bool{untoldNs / 2: true, 2 * untoldNs: false} {
		rows := drop(eventlog.KindEnded, 7)(t, s.rows)
		complete := find(t, rows, eventlog.KindRunComplete, 0)
		abort, err := eventlog.NewPayload(eventlog.KindAbort, end.EndNs+after, schedlog.Reason{Why: sched.ReasonUser})
		if err != nil {
			t.Fatal(err)
		}
		rows = slices.Insert(rows, complete, abort)
		_, findings := s.audit(t, rows, true, false)
		missed := slices.ContainsFunc(findings, func(found Finding) bool { return strings.Contains(found.Text, "never told") })
		if missed == excused {
			t.Errorf("aborted %d ns after the end: missed %v", after, missed)
		}
	}
}

func TestAnotherBundleIsRefused(t *testing.T) {
	s := newSample(t)
	s.config.Bundle.ContentDigest = strings.Repeat("0", 64)
	if _, err := NewBodies(s.bundle, s.config); err == nil || !strings.Contains(err.Error(), "give the bundle of the run") {
		t.Errorf("err = %v", err)
	}
}

func decode[T any](t *testing.T, row eventlog.Event) T {
	t.Helper()
	payload, err := eventlog.Decode[T](row)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// find is the place of the nth row of a kind, of profiling: the warmup's few come before.
func find(t *testing.T, rows []eventlog.Event, kind eventlog.Kind, nth int) int {
	t.Helper()
	for i := range rows {
		if rows[i].Kind == kind {
			if nth == 0 {
				return i
			}
			nth--
		}
	}
	t.Fatalf("no such row of kind %v", kind)
	return 0
}

// change changes the payload of the nth row of a kind, or the row itself.
func change[T any](kind eventlog.Kind, nth int, edit func(row *eventlog.Event, payload *T)) func(*testing.T, []eventlog.Event) []eventlog.Event {
	return func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
		changed := slices.Clone(rows)
		row := &changed[find(t, rows, kind, nth)]
		payload := decode[T](t, *row)
		edit(row, &payload)
		text, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		row.Payload = text
		return changed
	}
}

func drop(kind eventlog.Kind, nth int) func(*testing.T, []eventlog.Event) []eventlog.Event {
	return func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
		i := find(t, rows, kind, nth)
		return slices.Delete(slices.Clone(rows), i, i+1)
	}
}

// twice repeats the nth row of a kind at once, and again at the end of the log: after both ends.
func twice(kind eventlog.Kind, nth int) func(*testing.T, []eventlog.Event) []eventlog.Event {
	return func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
		i := find(t, rows, kind, nth)
		repeated := slices.Insert(slices.Clone(rows), i+1, rows[i])
		return append(repeated, rows[i])
	}
}
