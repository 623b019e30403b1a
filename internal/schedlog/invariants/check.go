// Package invariants checks the promises of the replay machine on the rows of a log, without running
// the machine: the 31 invariants of the scheduling rules, each by its number. It keeps a model of its
// own of what is alive and what must come next, made from the rows and the plans.
//
// Feed it every row of a log, in order. It reports each violation with the rows concerned; a violation
// leaves the model as the log says, so that one fault does not hide the next.
package invariants

import (
	"fmt"

	"agentx/corpus"
	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/sched"
)

// Violation is a promise that the log breaks.
type Violation struct {
	Invariant int // 1 … 31
	Seqs      []eventlog.Seq
	Text      string
}

// String is the violation in one line.
func (v Violation) String() string {
	return fmt.Sprintf("I%d at events %v: %s", v.Invariant, v.Seqs, v.Text)
}

// toleranceNs is how late a live run may be woken where a rule looks at the clock: beyond it, idle time is
// the machine's and not the operating system's.
const toleranceNs = 100_000_000

// stallNs is how long a busy host may keep a live run from being woken before idle time counts as the
// machine's, where the log shows that no wake came after the instant (I18, I31).
const stallNs = 3_000_000_000

// Check is the state of a check.
type Check struct {
	plans  []*corpus.Plan
	report func(Violation)
	draws  *sched.Draws
	config sched.Config

	lastSeq  eventlog.Seq
	lastNow  int64
	lastWake int64 // now of the last wake before the step under way, and its row
	wakeSeq  eventlog.Seq
	started  bool
	over     bool

	lanes     []*lane
	drawn     int64 // draws of the sampler that the log tells of
	plays     map[int64]*play
	streams   map[int64]*stream
	exchanges map[int64]*exchange
	passes    map[int]int
	markers   map[string]eventlog.Seq
	phase     *phase
	failedAt  eventlog.Seq // a root failed in the warmup
	shifts    int64        // sum of the global shifts
	handoff   *sched.Handoff

	step step
}

// step is the input that is being applied.
type step struct {
	seq       eventlog.Seq
	kind      eventlog.Kind
	now       int64
	completed map[turnKey]bool // turns that became complete in this step
	needs     *stream          // must be taken further in this step (I26)
	retired   []*stream        // ended by an overflow: their later turns must be voided (I22)
	sentTurn  map[int64]int    // per play: the root's turn that was sent last in this step
}

type turnKey struct {
	play       int64
	conv, turn int
}

// New makes a check; plans are in data set order, nil for those that the log does not hold.
func New(plans []*corpus.Plan, report func(Violation)) *Check {
	return &Check{
		plans: plans, report: report, plays: map[int64]*play{}, streams: map[int64]*stream{}, exchanges: map[int64]*exchange{},
		passes: map[int]int{}, markers: map[string]eventlog.Seq{},
	}
}

func (c *Check) violate(invariant int, seqs []eventlog.Seq, format string, args ...any) {
	c.report(Violation{Invariant: invariant, Seqs: seqs, Text: fmt.Sprintf(format, args...)})
}

func at(seqs ...eventlog.Seq) []eventlog.Seq { return seqs }

// Row takes the next row. An error means that it cannot be read.
func (c *Check) Row(row eventlog.Event) error {
	if c.lastSeq != 0 && row.Seq != c.lastSeq+1 {
		c.violate(29, at(c.lastSeq, row.Seq), "the numbers of the rows have a hole")
	}
	c.lastSeq = row.Seq
	input, event := schedlog.IsInput(row.Kind), schedlog.IsEvent(row.Kind)
	if !input && !event {
		return nil
	}
	if row.AtNs < c.lastNow {
		c.violate(29, at(row.Seq), "the machine's clock goes back from %d to %d ns", c.lastNow, row.AtNs)
	}
	c.lastNow = row.AtNs
	if input {
		c.endStep()
		return c.input(&row)
	}
	if !c.started {
		return nil
	}
	return c.event(&row)
}

// End closes the check. A log that was cut off in mid-run is checked up to there.
func (c *Check) End(interrupted bool) {
	if interrupted || !c.started {
		return
	}
	c.endStep()
	for _, s := range c.streams {
		if s.retainedAt != 0 && !c.cancelled() {
			c.violate(9, at(s.retainedAt), "a retained turn is neither released nor refused")
		}
	}
}

func (c *Check) cancelled() bool { return c.phase != nil && c.phase.cancelled }

func (c *Check) input(row *eventlog.Event) error {
	if c.step.kind == eventlog.KindWake {
		c.lastWake, c.wakeSeq = c.step.now, c.step.seq
	}
	c.step = step{seq: row.Seq, kind: row.Kind, now: row.AtNs, completed: map[turnKey]bool{}, sentTurn: map[int64]int{}}
	input, err := schedlog.Input(*row)
	if err != nil {
		return err
	}
	switch row.Kind {
	case eventlog.KindStart:
		return c.start(row)
	case eventlog.KindEnded:
		if input.At > row.AtNs {
			c.violate(29, at(row.Seq), "an end is stamped %d ns, after it was handled at %d ns", input.At, row.AtNs)
		}
		payload, err := eventlog.Decode[schedlog.Ended](*row)
		if err != nil {
			return err
		}
		c.ended(row, &payload)
	case eventlog.KindStop, eventlog.KindAbort:
		if c.phase != nil {
			c.phase.cancelled = true
			c.phase.aborted = c.phase.aborted || row.Kind == eventlog.KindAbort
		}
	}
	return nil
}

func (c *Check) start(row *eventlog.Event) error {
	config, err := schedlog.Config(*row)
	if err != nil {
		return err
	}
	c.config, c.started = config, true
	c.draws, err = sched.NewDraws(config.Sampler, len(c.plans), config.Seed)
	return err
}

// decode reads a payload and hands it on.
func decode[T any](row *eventlog.Event, take func(*eventlog.Event, *T)) error {
	payload, err := eventlog.Decode[T](*row)
	if err != nil {
		return err
	}
	take(row, &payload)
	return nil
}

func (c *Check) event(row *eventlog.Event) error {
	switch row.Kind {
	case eventlog.KindTraceDrawn:
		return decode(row, c.traceDrawn)
	case eventlog.KindTraceSkipped:
		return decode(row, c.traceSkipped)
	case eventlog.KindTrajectoryBuilt:
		return decode(row, c.trajectoryBuilt)
	case eventlog.KindPhaseStart:
		return decode(row, c.phaseStart)
	case eventlog.KindSendingComplete:
		return decode(row, c.sendingComplete)
	case eventlog.KindHandoff:
		return decode(row, c.handedOff)
	case eventlog.KindPhaseComplete:
		return decode(row, c.phaseComplete)
	case eventlog.KindTreeOpen:
		return decode(row, c.treeOpen)
	case eventlog.KindStreamOpen:
		return decode(row, c.streamOpen)
	case eventlog.KindTimersShifted:
		return decode(row, c.timersShifted)
	case eventlog.KindBackoff:
		return decode(row, c.backoff)
	case eventlog.KindTurnsVoided:
		return decode(row, c.turnsVoided)
	case eventlog.KindTreeAborted:
		return decode(row, c.treeAborted)
	case eventlog.KindCancelInFlight:
		return decode(row, c.cancelInFlight)
	case eventlog.KindWarmupFailure:
		c.failedAt = row.Seq
	case eventlog.KindRunComplete:
		c.over = true
	}
	return c.streamEvent(row)
}

// streamEvent takes the events that need the stream.
func (c *Check) streamEvent(row *eventlog.Event) error {
	p := c.plays[row.Play]
	if row.Kind == eventlog.KindTreeDrained && p != nil {
		c.treeDrained(row, p)
		return nil
	}
	s := c.streams[row.Stream]
	if s == nil {
		return nil
	}
	if c.step.needs == s {
		c.step.needs = nil // whatever it is, the stream is taken further
	}
	c.beginPressure(row)
	switch row.Kind {
	case eventlog.KindTimerSet:
		payload, err := eventlog.Decode[sched.TimerSet](*row)
		if err != nil {
			return err
		}
		c.timerSet(row, s, payload.DueNs)
	case eventlog.KindTurnDue:
		payload, err := eventlog.Decode[sched.TurnDue](*row)
		if err != nil {
			return err
		}
		c.turnDue(row, s, payload.DueNs)
	case eventlog.KindGateBlocked:
		payload, err := eventlog.Decode[sched.GateBlocked](*row)
		if err != nil {
			return err
		}
		c.gateBlocked(row, s, payload.NotBeforeNs)
	case eventlog.KindDispatch:
		payload, err := eventlog.Decode[sched.Dispatch](*row)
		if err != nil {
			return err
		}
		c.dispatch(row, s, &payload)
	case eventlog.KindStreamCompleted:
		payload, err := eventlog.Decode[sched.StreamCompleted](*row)
		if err != nil {
			return err
		}
		c.streamCompleted(row, s, payload.Outcome)
	default:
		c.plainEvent(row, s)
	}
	return nil
}

// plainEvent takes the events whose payload does not matter here.
func (c *Check) plainEvent(row *eventlog.Event, s *stream) {
	switch row.Kind {
	case eventlog.KindTurnRetained:
		s.retainedAt = row.Seq
		s.timer = nil
	case eventlog.KindTurnReleased:
		c.released(row, s)
	case eventlog.KindTurnRefused:
		s.retainedAt = 0
	case eventlog.KindTurnDeferred:
		s.play.delayed = true
	case eventlog.KindSlotWait:
		s.play.delayed = true
	case eventlog.KindGateSatisfied:
		if s.timer != nil && int(row.Turn) == s.next {
			s.timer.blocked = false
		}
	case eventlog.KindGateDiscarded:
		if s.suspended {
			s.suspended = false
			c.phase.stats.Discarded++
		}
	case eventlog.KindStreamTerminated:
		c.terminated(row, s)
	case eventlog.KindStreamTruncated:
		c.truncated(row, s)
	case eventlog.KindRootDone:
		s.play.rootDone = true
	}
}
