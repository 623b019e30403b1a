package eventlog

import (
	"slices"
	"testing"
)

func queryLog(t *testing.T, path, sql string) []string {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := r.rows(sql)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestTheLogViewNamesKinds(t *testing.T) {
	path := sampleLog(t, sample{events: 4, group: 4}, Options{})
	got := queryLog(t, path, "SELECT seq, kind FROM log ORDER BY seq")
	want := []string{"[1 run_config]", "[2 anchor]", "[3 wake]", "[4 turn_due]", "[5 dispatch]", "[6 exchange_end]", "[7 anchor]", "[8 run_end]"}
	if !slices.Equal(got, want) {
		t.Errorf("the view log is %v, want %v", got, want)
	}
}

// The wall clock is interpolated between anchors, but never across a step, and goes on after the last.
func TestWallTimesAreInterpolatedBetweenAnchors(t *testing.T) {
	w := newLog(t, Options{})
	addPayload(t, w, KindAnchor, 1000, Anchor{WallNs: 500_000, Why: "start"})
	addPayload(t, w, KindAnchor, 3000, Anchor{WallNs: 502_200, Why: "tick"}) // the wall clock runs 10 % fast
	addPayload(t, w, KindAnchor, 5000, Anchor{WallNs: 400_000, Why: "step", StepNs: -104_400})
	for _, at := range []int64{0, 1000, 2000, 3000, 4999, 5000, 7000} {
		mustAdd(t, w, New(KindWake, at))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := queryLog(t, w.Path(), "SELECT at_ns, wall_ns FROM wall_times WHERE kind = 101 ORDER BY seq")
	want := []string{
		"[0 498900]", "[1000 500000]", "[2000 501100]", "[3000 502200]", "[4999 504199]", "[5000 400000]", "[7000 402000]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("wall times %v, want %v", got, want)
	}
	if steps := queryLog(t, w.Path(), "SELECT at_ns, wall_ns, step_ns FROM anchors WHERE why = 'step'"); !slices.Equal(steps, []string{"[5000 400000 -104400]"}) {
		t.Errorf("the step is %v", steps)
	}
}

func TestTheExchangesViewGivesColumns(t *testing.T) {
	w := newLog(t, Options{})
	at := func(value int64) *int64 { return &value }
	end := ExchangeEnd{
		Outcome: OutcomeOK, RequestID: "abc", Status: 200, Protocol: "HTTP/1.1", StartNs: 1000, SendStartNs: at(1100),
		WrittenNs: at(1500), FirstTokenNs: at(9000), LastTokenNs: at(20_000), EndNs: 21_000, Reused: true,
		PromptTokens: 64, ReachTokens: 60, SentBytes: 300, Chunks: ChunkCounts{Text: 5, Done: 1},
		Usage: &Usage{Prompt: at(66), CacheRead: at(48)}, FinishReasons: []string{"stop"},
	}
	event, err := NewPayload(KindExchangeEnd, 21_000, end)
	if err != nil {
		t.Fatal(err)
	}
	event.Exchange = 7
	mustAdd(t, w, event)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := queryLog(t, w.Path(), `SELECT exchange, outcome, status, start_ns, written_ns, first_byte_ns, first_token_ns, end_ns,
		cancel_ns, first_token_ns - send_start_ns, prompt_tokens, reach_tokens, usage_prompt, usage_total, usage_cache_read,
		text_chunks, tool_chunks, reused, finish_reason, sent_bytes, class FROM exchanges`)
	want := []string{"[7 ok 200 1000 1500 <nil> 9000 21000 <nil> 7900 64 60 66 <nil> 48 5 0 1 stop 300 <nil>]"}
	if !slices.Equal(got, want) {
		t.Errorf("the view gives %v, want %v", got, want)
	}
}

func TestTheLogIsAppendOnly(t *testing.T) {
	path := sampleLog(t, sample{events: 4, group: 2}, Options{})
	db, err := openConn(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	for _, table := range []string{"events", "kinds", "plans", "batches"} {
		column := map[string]string{"events": "at_ns", "kinds": "name", "plans": "bytes", "batches": "last_seq"}[table]
		for _, sql := range []string{"DELETE FROM " + table, "UPDATE " + table + " SET " + column + " = " + column} {
			if err := db.exec(sql); err == nil {
				t.Errorf("%s was allowed", sql)
			}
		}
	}
	for _, sql := range []string{
		"INSERT INTO events (seq, at_ns, kind) VALUES (1, 0, 1)",
		"INSERT OR REPLACE INTO batches VALUES (1, 1, x'00')",
	} {
		if err := db.exec(sql); err == nil {
			t.Errorf("%s was allowed", sql)
		}
	}
}

// SQLite lets REPLACE pass the triggers; the chain finds it.
func TestAReplacedEventIsFound(t *testing.T) {
	path := sampleLog(t, sample{events: 4, group: 2}, Options{})
	db, err := openConn(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.exec("INSERT OR REPLACE INTO events (seq, at_ns, kind) VALUES (3, 1, 101)"); err != nil {
		t.Fatal(err)
	}
	if err := db.close(); err != nil {
		t.Fatal(err)
	}
	report := checkLog(t, path)
	if len(report.Damages) != 1 || report.Damages[0].Batch == 0 || report.Damages[0].Batch > 3 || report.ValidTo >= 3 {
		t.Errorf("the report is %+v", report)
	}
}
