package invariants_test

import (
	"encoding/json"
	"slices"
	"testing"

	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/internal/schedlog/invariants"
	"agentx/sched"
	"agentx/sched/schedtest"
)

// broken is a log with a fault that its invariant must notice.
type broken struct {
	invariant int
	name      string
	script    string // of sched, or its text
	fault     func(t *testing.T, rows []eventlog.Event) []eventlog.Event
}

// edit changes the payload of the nth row (from 0) of a kind, and the row itself.
func edit[T any](t *testing.T, rows []eventlog.Event, kind eventlog.Kind, nth int, change func(row *eventlog.Event, payload *T)) []eventlog.Event {
	t.Helper()
	i := find(t, rows, kind, nth)
	changed := slices.Clone(rows)
	payload, err := eventlog.Decode[T](rows[i])
	if err != nil {
		t.Fatal(err)
	}
	change(&changed[i], &payload)
	if changed[i].Payload, err = json.Marshal(payload); err != nil {
		t.Fatal(err)
	}
	return changed
}

// find is the place of the nth row of a kind.
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

// without leaves rows out, and numbers the rest anew.
func without(rows []eventlog.Event, unwanted func(row *eventlog.Event) bool) []eventlog.Event {
	kept := slices.DeleteFunc(slices.Clone(rows), func(row eventlog.Event) bool { return unwanted(&row) })
	return renumber(kept)
}

func renumber(rows []eventlog.Event) []eventlog.Event {
	for i := range rows {
		rows[i].Seq = eventlog.Seq(i + 1)
	}
	return rows
}

// drop leaves out the nth row of a kind.
func drop(kind eventlog.Kind, nth int) func(*testing.T, []eventlog.Event) []eventlog.Event {
	return func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
		i := find(t, rows, kind, nth)
		return renumber(slices.Delete(slices.Clone(rows), i, i+1))
	}
}

// move takes the nth row of a kind to before the nth of another.
func move(kind eventlog.Kind, nth int, before eventlog.Kind, beforeNth int) func(*testing.T, []eventlog.Event) []eventlog.Event {
	return func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
		from, to := find(t, rows, kind, nth), find(t, rows, before, beforeNth)
		row := rows[from]
		moved := slices.Delete(slices.Clone(rows), from, from+1)
		return renumber(slices.Insert(moved, to, row))
	}
}

// send changes the nth dispatch.
func send(nth int, change func(row *eventlog.Event, d *sched.Dispatch)) func(*testing.T, []eventlog.Event) []eventlog.Event {
	return func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
		return edit(t, rows, eventlog.KindDispatch, nth, change)
	}
}

// configure changes the recorded configuration.
func configure(change func(c *sched.Config)) func(*testing.T, []eventlog.Event) []eventlog.Event {
	return func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
		return edit(t, rows, eventlog.KindStart, 0, func(_ *eventlog.Event, s *schedlog.Start) { change(&s.Config) })
	}
}

// report changes the report of the nth phase.
func report(nth int, change func(row *eventlog.Event, p *sched.PhaseComplete)) func(*testing.T, []eventlog.Event) []eventlog.Event {
	return func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
		return edit(t, rows, eventlog.KindPhaseComplete, nth, change)
	}
}

const drawnStart = "trace A\nA: 0 5 9\nset t* drawn\nset seed 3\nset sessions 1\n"

const second = int64(1_000_000_000)

// brokenLogs has at least one fault for every invariant.
func brokenLogs() []broken {
	return slices.Concat(brokenTurns(), brokenTrees(), brokenPhases())
}

// brokenTurns are faults of what a stream may send, I1 to I9.
func brokenTurns() []broken {
	return []broken{
		{1, "a turn goes out before its pause is over", "tv01_plain_chain", send(2, func(row *eventlog.Event, _ *sched.Dispatch) { row.AtNs -= second })},
		{1, "a timer is set for another instant", "tv03_spawn_and_join", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindEnded, 0, func(_ *eventlog.Event, e *schedlog.Ended) { e.Timer.DueNs++ })
		}},
		{2, "a stream skips a turn", "tv01_plain_chain", send(4, func(row *eventlog.Event, _ *sched.Dispatch) { row.Turn++ })},
		{2, "a stream sends while its request is in flight", "tv01_plain_chain", move(eventlog.KindDispatch, 2, eventlog.KindEnded, 1)},
		{3, "profiling begins with another turn", "tv01_plain_chain", send(1, func(row *eventlog.Event, _ *sched.Dispatch) { row.Turn = 4 })},
		{3, "another turn is warmed", "tv01_plain_chain", send(0, func(row *eventlog.Event, _ *sched.Dispatch) { row.Turn = 1 })},
		{4, "another minimum is taken off", "tv02_ramp", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindPhaseStart, 1, func(_ *eventlog.Event, p *sched.PhaseStart) { p.MinimumNs++ })
		}},
		{4, "a first request is due at another instant", "tv02_ramp", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindTimerSet, 1, func(_ *eventlog.Event, p *sched.TimerSet) { p.DueNs -= second })
		}},
		{5, "a spawn counts from another instant", "tv03_spawn_and_join", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindStreamOpen, 1, func(_ *eventlog.Event, p *sched.StreamOpen) { p.SpawnNs-- })
		}},
		{5, "a child starts after another delay", "tv06_overlap_spawn", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindStreamOpen, 1, func(_ *eventlog.Event, p *sched.StreamOpen) { p.OffsetNs += second })
		}},
		{6, "a join goes out while a child is alive", "tv04_late_children", drop(eventlog.KindStreamCompleted, 0)},
		{7, "a join goes out before the parent's pause is over", "r05_05_join_gap_later_child", send(3, func(row *eventlog.Event, _ *sched.Dispatch) { row.AtNs -= second })},
		{8, "a turn goes out before its predecessor is complete", "tv05_same_scope", move(eventlog.KindDispatch, 3, eventlog.KindEnded, 2)},
		{9, "a retained turn is sent without a release", "tv05_same_scope", drop(eventlog.KindTurnReleased, 0)},
		{9, "a release comes in another step", "tv05_same_scope", move(eventlog.KindTurnReleased, 0, eventlog.KindEnded, 2)},
	}
}

// brokenTrees are faults of trees, counts and idle time, I10 to I19.
func brokenTrees() []broken {
	short := 5 * second
	return []broken{
		{10, "a lane stays empty", "tv24_no_backoff", func(_ *testing.T, rows []eventlog.Event) []eventlog.Event {
			return without(rows, func(row *eventlog.Event) bool { return row.Play == 1 && row.Kind == eventlog.KindTreeOpen })
		}},
		{10, "a lane has two trees", "tv24_no_backoff", move(eventlog.KindTreeDrained, 0, eventlog.KindStreamOpen, 1)},
		{11, "a tree drains twice", "tv01_plain_chain", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			i := find(t, rows, eventlog.KindTreeDrained, 0)
			return renumber(slices.Insert(slices.Clone(rows), i, rows[i]))
		}},
		{11, "a tree sends after its end", "tv01_plain_chain", move(eventlog.KindTreeDrained, 0, eventlog.KindDispatch, 2)},
		{12, "a tree drains while a child is alive", "tv08_rootless", drop(eventlog.KindStreamCompleted, 0)},
		{12, "a tree that is over does not drain", "tv16_num_sessions", drop(eventlog.KindTreeDrained, 0)},
		{13, "a turn is sent twice", "tv01_plain_chain", send(2, func(row *eventlog.Event, _ *sched.Dispatch) { row.Turn = 3 })},
		{14, "a request carries another marker", "tv01_plain_chain", send(1, func(_ *eventlog.Event, d *sched.Dispatch) { d.Marker = "0123456789ab" })},
		{14, "a pass is left out", "tv01_plain_chain", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindTreeOpen, 1, func(_ *eventlog.Event, p *sched.TreeOpen) { p.Pass++ })
		}},
		{15, "a request has another number", "tv01_plain_chain", send(1, func(_ *eventlog.Event, d *sched.Dispatch) { d.Credit++ })},
		{15, "sent is not completed and cancelled", "tv14_grace_cancel", report(1, func(_ *eventlog.Event, p *sched.PhaseComplete) { p.Counts.Cancelled = 0 })},
		{16, "a request goes out after the duration", "tv14_grace_cancel", configure(func(c *sched.Config) { c.DurationNs = new(int64) })},
		{16, "a request goes out after the end of sending", "tv13_stop_with_pending_child", move(eventlog.KindSendingComplete, 1, eventlog.KindDispatch, 3)},
		{17, "more requests than asked for", "tv15_request_count", configure(func(c *sched.Config) { c.RequestCount = 3 })},
		{17, "more sessions than asked for", "tv16_num_sessions", report(1, func(_ *eventlog.Event, p *sched.PhaseComplete) { p.Counts.SentSessions++ })},
		{18, "nothing is in flight for longer than the cap", "tv09_idle_guard", configure(func(c *sched.Config) { c.SystemIdleCapNs = &short })},
		{19, "a shift by another amount", "tv09_idle_guard", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindTimersShifted, 0, func(_ *eventlog.Event, p *sched.TimersShifted) { p.ShiftNs-- })
		}},
		{19, "a shift moves too few timers", "tv09_idle_guard", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindTimersShifted, 0, func(_ *eventlog.Event, p *sched.TimersShifted) { p.Count-- })
		}},
		{19, "a shift is left out", "tv26_watchdog_shift", drop(eventlog.KindTimersShifted, 0)},
	}
}

// brokenPhases are faults of phases and draws, I20 to I31.
func brokenPhases() []broken {
	short := 5 * second
	return []broken{
		{20, "a primer asks for more than one token", "tv02_ramp", send(0, func(_ *eventlog.Event, d *sched.Dispatch) { d.MaxTokens = 2 })},
		{20, "a primer has another place on the ramp", "tv02_ramp", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindTurnDue, 1, func(_ *eventlog.Event, p *sched.TurnDue) { p.DueNs += second })
		}},
		{21, "a live stream is not handed over", "r04_05_parent_suspended_throughout", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindHandoff, 0, func(_ *eventlog.Event, p *sched.Handoff) { p.Lanes[0].States = p.Lanes[0].States[:1] })
		}},
		{21, "a lane has sent too few warmup requests", "r04_04_requests_per_lane", configure(func(c *sched.Config) { c.WarmupRequestsPerLane = 3 })},
		{22, "the turns after an overflow are not voided", "tv11_child_overflow", drop(eventlog.KindTurnsVoided, 0)},
		{23, "a request goes out after a root failed in the warmup", "tv19_warmup_abort", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			i := find(t, rows, eventlog.KindWarmupFailure, 0)
			late := rows[find(t, rows, eventlog.KindDispatch, 0)]
			late.AtNs, late.Exchange = rows[i].AtNs, 1
			return renumber(slices.Insert(slices.Clone(rows), i+1, late))
		}},
		{24, "a start that the seed does not give", drawnStart, func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindTrajectoryBuilt, 0, func(_ *eventlog.Event, p *sched.TrajectoryBuilt) { *p.TStarMs += 0.001 })
		}},
		{24, "a draw that the seed does not give", "r02_02_shuffle", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindTraceDrawn, 1, func(_ *eventlog.Event, p *sched.TraceDrawn) { p.Plan = 4 })
		}},
		{24, "a draw is left out", "r02_02_shuffle", drop(eventlog.KindTraceDrawn, 1)},
		{25, "a child too many", "tv03_spawn_and_join", report(1, func(_ *eventlog.Event, p *sched.PhaseComplete) { p.Branches.Completed++ })},
		{26, "nothing follows an error", "r08_01_generic_error", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindEnded, 1, func(_ *eventlog.Event, e *schedlog.Ended) { e.Timer = nil })
		}},
		{27, "a recycled tree starts in the middle", "tv01_plain_chain", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindStreamOpen, 1, func(_ *eventlog.Event, p *sched.StreamOpen) { p.Next = 1 })
		}},
		{27, "a lane goes on before its back-off is over", "tv24_overflow_backoff", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindBackoff, 0, func(_ *eventlog.Event, p *sched.Backoff) { p.UntilNs++ })
		}},
		{28, "a phase waits with nothing in flight", "tv13_stop_with_pending_child", report(1, func(row *eventlog.Event, _ *sched.PhaseComplete) { row.AtNs += 30 * second })},
		{29, "a row is missing", "tv01_plain_chain", func(_ *testing.T, rows []eventlog.Event) []eventlog.Event {
			return slices.Delete(slices.Clone(rows), 5, 6)
		}},
		{29, "the clock goes back", "tv01_plain_chain", func(_ *testing.T, rows []eventlog.Event) []eventlog.Event {
			changed := slices.Clone(rows)
			changed[len(changed)-1].AtNs--
			return changed
		}},
		{29, "an end is stamped after it was handled", "tv01_plain_chain", func(t *testing.T, rows []eventlog.Event) []eventlog.Event {
			return edit(t, rows, eventlog.KindEnded, 1, func(row *eventlog.Event, e *schedlog.Ended) { e.AtNs = row.AtNs + 1 })
		}},
		{30, "an error is not counted", "r08_01_generic_error", report(1, func(_ *eventlog.Event, p *sched.PhaseComplete) { p.Counts.Errors-- })},
		{31, "a tree has nothing in flight for longer than the cap", "v05_watchdog_and_gate", configure(func(c *sched.Config) { c.TraceIdleCapNs = &short })},
	}
}

// play gives the scenario of a broken log, and the rows of its faultless one.
func (b *broken) play(t *testing.T) (*schedtest.Script, []eventlog.Event) {
	t.Helper()
	if b.script != drawnStart {
		s := script(t, b.script)
		return s, record(t, s)
	}
	s, err := schedtest.Parse("drawn", b.script)
	if err != nil {
		t.Fatal(err)
	}
	return s, record(t, s)
}

// TestBrokenLogs lets every invariant notice its faults, in logs that are faultless without them.
func TestBrokenLogs(t *testing.T) {
	covered := map[int]bool{}
	for _, b := range brokenLogs() {
		s, rows := b.play(t)
		if found := violations(t, s, rows); len(found) > 0 {
			t.Fatalf("%s is broken by itself: %v", b.script, found)
		}
		found := violations(t, s, b.fault(t, rows))
		if !slices.ContainsFunc(found, func(v invariants.Violation) bool { return v.Invariant == b.invariant && len(v.Seqs) > 0 }) {
			t.Errorf("I%d does not notice: %s; found %v", b.invariant, b.name, found)
		}
		covered[b.invariant] = true
	}
	for invariant := 1; invariant <= 31; invariant++ {
		if !covered[invariant] {
			t.Errorf("no broken log for I%d", invariant)
		}
	}
}
