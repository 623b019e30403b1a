package schedlog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/eventlog"
	"agentx/sched"
	"agentx/sched/schedtest"
)

// TestKindsAgree keeps the numbers of the machine and of the log together; sched must not import the
// log, so it has its own.
func TestKindsAgree(t *testing.T) {
	for name, pair := range map[string][2]uint16{
		"start":             {uint16(sched.KindStart), uint16(eventlog.KindStart)},
		"wake":              {uint16(sched.KindWake), uint16(eventlog.KindWake)},
		"first_token":       {uint16(sched.KindFirstToken), uint16(eventlog.KindFirstToken)},
		"ended":             {uint16(sched.KindEnded), uint16(eventlog.KindEnded)},
		"stop":              {uint16(sched.KindStop), uint16(eventlog.KindStop)},
		"abort":             {uint16(sched.KindAbort), uint16(eventlog.KindAbort)},
		"trajectory_built":  {uint16(sched.KindTrajectoryBuilt), uint16(eventlog.KindTrajectoryBuilt)},
		"trace_skipped":     {uint16(sched.KindTraceSkipped), uint16(eventlog.KindTraceSkipped)},
		"trace_drawn":       {uint16(sched.KindTraceDrawn), uint16(eventlog.KindTraceDrawn)},
		"phase_start":       {uint16(sched.KindPhaseStart), uint16(eventlog.KindPhaseStart)},
		"tree_open":         {uint16(sched.KindTreeOpen), uint16(eventlog.KindTreeOpen)},
		"stream_open":       {uint16(sched.KindStreamOpen), uint16(eventlog.KindStreamOpen)},
		"timer_set":         {uint16(sched.KindTimerSet), uint16(eventlog.KindTimerSet)},
		"timers_shifted":    {uint16(sched.KindTimersShifted), uint16(eventlog.KindTimersShifted)},
		"turn_due":          {uint16(sched.KindTurnDue), uint16(eventlog.KindTurnDue)},
		"turn_retained":     {uint16(sched.KindTurnRetained), uint16(eventlog.KindTurnRetained)},
		"turn_released":     {uint16(sched.KindTurnReleased), uint16(eventlog.KindTurnReleased)},
		"turn_refused":      {uint16(sched.KindTurnRefused), uint16(eventlog.KindTurnRefused)},
		"turn_deferred":     {uint16(sched.KindTurnDeferred), uint16(eventlog.KindTurnDeferred)},
		"gate_created":      {uint16(sched.KindGateCreated), uint16(eventlog.KindGateCreated)},
		"gate_blocked":      {uint16(sched.KindGateBlocked), uint16(eventlog.KindGateBlocked)},
		"gate_satisfied":    {uint16(sched.KindGateSatisfied), uint16(eventlog.KindGateSatisfied)},
		"gate_discarded":    {uint16(sched.KindGateDiscarded), uint16(eventlog.KindGateDiscarded)},
		"dispatch":          {uint16(sched.KindDispatch), uint16(eventlog.KindDispatch)},
		"cancel":            {uint16(sched.KindCancel), uint16(eventlog.KindCancel)},
		"stream_completed":  {uint16(sched.KindStreamCompleted), uint16(eventlog.KindStreamCompleted)},
		"stream_terminated": {uint16(sched.KindStreamTerminated), uint16(eventlog.KindStreamTerminated)},
		"stream_truncated":  {uint16(sched.KindStreamTruncated), uint16(eventlog.KindStreamTruncated)},
		"turns_voided":      {uint16(sched.KindTurnsVoided), uint16(eventlog.KindTurnsVoided)},
		"root_done":         {uint16(sched.KindRootDone), uint16(eventlog.KindRootDone)},
		"tree_aborted":      {uint16(sched.KindTreeAborted), uint16(eventlog.KindTreeAborted)},
		"tree_drained":      {uint16(sched.KindTreeDrained), uint16(eventlog.KindTreeDrained)},
		"backoff":           {uint16(sched.KindBackoff), uint16(eventlog.KindBackoff)},
		"warmup_failure":    {uint16(sched.KindWarmupFailure), uint16(eventlog.KindWarmupFailure)},
		"sending_complete":  {uint16(sched.KindSendingComplete), uint16(eventlog.KindSendingComplete)},
		"cancel_in_flight":  {uint16(sched.KindCancelInFlight), uint16(eventlog.KindCancelInFlight)},
		"handoff":           {uint16(sched.KindHandoff), uint16(eventlog.KindHandoff)},
		"phase_complete":    {uint16(sched.KindPhaseComplete), uint16(eventlog.KindPhaseComplete)},
		"run_complete":      {uint16(sched.KindRunComplete), uint16(eventlog.KindRunComplete)},
		"slot_wait":         {uint16(sched.KindSlotWait), uint16(eventlog.KindSlotWait)},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: sched %d, eventlog %d", name, pair[0], pair[1])
		}
		if got := eventlog.Kind(pair[0]).String(); got != name {
			t.Errorf("kind %d is called %s in the log, want %s", pair[0], got, name)
		}
	}
}

// scripts loads the scenario scripts of sched.
func scripts(t *testing.T) map[string]*schedtest.Script {
	t.Helper()
	names, err := filepath.Glob("../../sched/testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal("no scripts", err)
	}
	loaded := map[string]*schedtest.Script{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		script, err := schedtest.Parse(filepath.Base(name), string(text))
		if err != nil {
			t.Fatal(err)
		}
		loaded[strings.TrimSuffix(filepath.Base(name), ".txt")] = script
	}
	return loaded
}

// record plays a script and gives the rows of its log.
func record(t *testing.T, script *schedtest.Script) []eventlog.Event {
	t.Helper()
	encoder := NewEncoder(script.Config)
	var rows []eventlog.Event
	err := script.Observe(func(now int64, input sched.Input, events []sched.Event) error {
		return encoder.Encode(now, input, events, func(row eventlog.Event) (eventlog.Seq, error) {
			row = row.Clone()
			row.Seq = eventlog.Seq(len(rows) + 1)
			rows = append(rows, row)
			return row.Seq, nil
		}, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// rerun feeds rows to a fresh machine and gives the first mismatch.
func rerun(t *testing.T, script *schedtest.Script, rows []eventlog.Event) (*Mismatch, int64) {
	t.Helper()
	again := NewRerun(script.Plans)
	for _, row := range rows {
		mismatch, err := again.Row(row)
		if err != nil {
			t.Fatal(err)
		}
		if mismatch != nil {
			return mismatch, again.Compared()
		}
	}
	return again.End(false), again.Compared()
}

// TestRerunAgrees runs every scenario a second time from its log alone.
func TestRerunAgrees(t *testing.T) {
	for name, script := range scripts(t) {
		rows := record(t, script)
		mismatch, compared := rerun(t, script, rows)
		if mismatch != nil {
			t.Errorf("%s: event %d: %s", name, mismatch.Seq, mismatch.Text)
		}
		if compared == 0 {
			t.Errorf("%s: nothing was compared", name)
		}
	}
}

// TestRowsOfAnExchange holds the budget of design 4: an ok exchange makes at most the rows turn_due,
// dispatch and ended here, and only the first two name lane, play, stream and turn.
func TestRowsOfAnExchange(t *testing.T) {
	for name, script := range scripts(t) {
		for _, row := range record(t, script) {
			switch {
			case row.Kind == eventlog.KindTimerSet && strings.Contains(string(row.Payload), `"why":"gap"`):
				t.Errorf("%s: event %d: the timer of a return has a row of its own", name, row.Seq)
			case IsInput(row.Kind) && (row.Lane >= 0 || row.Play >= 0 || row.Stream >= 0 || row.Turn >= 0):
				t.Errorf("%s: event %d: an input carries ids of the schedule", name, row.Seq)
			case row.Kind == eventlog.KindDispatch && (row.Lane < 0 || row.Play < 0 || row.Stream < 0 || row.Turn < 0 || row.Exchange < 0):
				t.Errorf("%s: event %d: a dispatch lacks ids", name, row.Seq)
			case !json.Valid(row.Payload) && len(row.Payload) > 0:
				t.Errorf("%s: event %d: payload is no JSON: %s", name, row.Seq, row.Payload)
			}
		}
	}
}

// TestRerunFindsMutatedInputs moves, drops and swaps recorded ends: each must show.
func TestRerunFindsMutatedInputs(t *testing.T) {
	script := scripts(t)["tv05_same_scope"]
	rows := record(t, script)
	ended := -1
	for i, row := range rows {
		if row.Kind == eventlog.KindEnded && row.Exchange == 2 { // x[0]
			ended = i
		}
	}
	mutate := func(change func(row *eventlog.Event, payload *Ended)) []eventlog.Event {
		changed := append([]eventlog.Event(nil), rows...)
		payload, err := eventlog.Decode[Ended](rows[ended])
		if err != nil {
			t.Fatal(err)
		}
		change(&changed[ended], &payload)
		if changed[ended].Payload, err = json.Marshal(payload); err != nil {
			t.Fatal(err)
		}
		return changed
	}
	for name, changed := range map[string][]eventlog.Event{
		"end moved by 1 ms": mutate(func(row *eventlog.Event, p *Ended) { row.AtNs += 1e6; p.AtNs += 1e6 }),
		"stamp moved":       mutate(func(_ *eventlog.Event, p *Ended) { p.AtNs -= 1e6 }),
		"outcome swapped":   mutate(func(_ *eventlog.Event, p *Ended) { p.Outcome = sched.OutcomeOverflow }),
		"end dropped":       append(append([]eventlog.Event(nil), rows[:ended]...), rows[ended+1:]...),
		"decision dropped":  append(append([]eventlog.Event(nil), rows[:ended+1]...), rows[ended+2:]...),
		"log cut":           rows[:ended+1],
	} {
		if mismatch, _ := rerun(t, script, changed); mismatch == nil {
			t.Errorf("%s: not found", name)
		}
	}
}

// TestConfigSurvives writes and reads a configuration with every kind of field set.
func TestConfigSurvives(t *testing.T) {
	config := sched.DefaultConfig()
	ns, ratio := int64(5), 0.25
	config.TraceIdleCapNs, config.FailedRequestThreshold, config.StartAtMs = &ns, &ratio, []float64{1.5}
	row, err := NewEncoder(config).inputRow(7, sched.Start(), nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Config(row)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(config)
	got, _ := json.Marshal(back)
	if string(want) != string(got) {
		t.Errorf("got %s, want %s", got, want)
	}
}
