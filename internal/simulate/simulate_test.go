package simulate

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentx/corpus"
	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/internal/schedlog/invariants"
	"agentx/internal/servermodel"
	"agentx/sched"
	"agentx/sched/schedtest"
)

// parse reads a scenario script; only its traces and settings are used here.
func parse(t testing.TB, text string) *schedtest.Script {
	t.Helper()
	script, err := schedtest.Parse(t.Name(), text)
	if err != nil {
		t.Fatal(err)
	}
	return script
}

// eighteen is the length of a marker.
func eighteen(string) int64 { return 18 }

// simulate gives the rows of a simulated run.
func simulate(t testing.TB, options Options) []eventlog.Event {
	t.Helper()
	var rows []eventlog.Event
	options.Observer = NewJournal(options.Machine, func(row eventlog.Event) (eventlog.Seq, error) {
		row = row.Clone()
		row.Seq = eventlog.Seq(len(rows) + 1)
		rows = append(rows, row)
		return row.Seq, nil
	})
	if err := Run(context.Background(), options); err != nil {
		t.Fatal(err)
	}
	return rows
}

// results gives the exchanges' results by number.
func results(t testing.TB, rows []eventlog.Event) map[int64]eventlog.ExchangeEnd {
	t.Helper()
	ends := map[int64]eventlog.ExchangeEnd{}
	for _, row := range rows {
		if row.Kind == eventlog.KindExchangeEnd {
			end, err := eventlog.Decode[eventlog.ExchangeEnd](row)
			if err != nil {
				t.Fatal(err)
			}
			if _, twice := ends[row.Exchange]; twice {
				t.Errorf("exchange %d ended twice", row.Exchange)
			}
			ends[row.Exchange] = end
		}
	}
	return ends
}

// sends lists "time phase conversation[turn]" of every dispatch.
func sends(t testing.TB, script *schedtest.Script, rows []eventlog.Event) []string {
	t.Helper()
	var list []string
	for _, row := range rows {
		if row.Kind == eventlog.KindDispatch {
			d, err := eventlog.Decode[sched.Dispatch](row)
			if err != nil {
				t.Fatal(err)
			}
			id := string(script.Plans[d.Plan].Conversations[d.Conversation].ID)
			list = append(list, fmt.Sprintf("%s %s %s[%d]", schedtest.Seconds(row.AtNs), d.Phase, schedtest.Short(id), row.Turn))
		}
	}
	return list
}

const joined = `trace A
A: 0(1) 4(1,spawn b) 8(1) 20(1,join b) 25(1)
A::sa:x: 6(2) 10(3)
branch b 6 x
set sessions 1
`

// TestRecordedLatencies plays TV3 as recorded: every request goes out at its recorded time.
func TestRecordedLatencies(t *testing.T) {
	script := parse(t, joined)
	rows := simulate(t, Options{Machine: script.Config, Plans: script.Plans, Server: NewLatencies(Recorded())})
	want := []string{"0 profiling A[0]", "4 profiling A[1]", "6 profiling x[0]", "8 profiling A[2]", "10 profiling x[1]", "20 profiling A[3]", "25 profiling A[4]"}
	if got := sends(t, script, rows); !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
	for id, end := range results(t, rows) {
		if end.Outcome != eventlog.OutcomeOK || end.Usage == nil || *end.Usage.Completion != 100 || end.Chunks.Text != 100 || *end.LastTokenNs != end.EndNs {
			t.Errorf("exchange %d: %+v", id, end)
		}
	}
}

// TestLatencyFile lets the most specific entry win, with all outcomes.
func TestLatencyFile(t *testing.T) {
	file, err := ReadLatencies([]byte(`{
		"default": "recorded",
		"turns": {"A::sa:x": [[10, "ok"], [10, "overflow"]], "A": [null, null, [0.5]]},
		"requests": {"profiling/0/0/A/1": [2, "error"], "profiling/0/0/A::sa:x/1": [11, "unanswered"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	script := parse(t, joined)
	rows := simulate(t, Options{Machine: script.Config, Plans: script.Plans, Server: NewLatencies(file)})
	// A1 takes 2 s, so x0 starts at 4+2+1 and A2 at 4+2+3; x0 ends 17, x1 at 19 takes 11.
	want := []string{"0 profiling A[0]", "4 profiling A[1]", "7 profiling x[0]", "9 profiling A[2]", "19 profiling x[1]", "30 profiling A[3]", "35 profiling A[4]"}
	if got := sends(t, script, rows); !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
	ends := results(t, rows)
	if end := ends[1]; end.Outcome != eventlog.OutcomeError || end.Status != 500 || end.FirstByteNs == nil {
		t.Errorf("the error: %+v", end)
	}
	if end := ends[4]; end.Outcome != eventlog.OutcomeError || end.Status != 0 || end.FirstByteNs != nil || end.Class != "transport" {
		t.Errorf("the unanswered: %+v", end)
	}
}

// TestLatencyFileErrors names what is wrong.
func TestLatencyFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"default": -1}`:                     "seconds of at least 0",
		`{"default": "fast"}`:                 "recorded",
		`{"turns": {"A": [[1, "perhaps"]]}}`:  "perhaps",
		`{"turns": {"A": [[1, "ok", 3]]}}`:    "expected [seconds, outcome]",
		`{"latency": 3}`:                      "latency",
		`{"default": 1} {}`:                   "more than one",
		`{"requests": {"profiling": [1, 2]}}`: "no outcome",
	} {
		if _, err := ReadLatencies([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestLatencyFileCheck names entries that would have no effect.
func TestLatencyFileCheck(t *testing.T) {
	plans := parse(t, joined).Plans
	for text, want := range map[string]string{
		`{"turns": {"B": [[1]]}}`:                                                           "\"B\"",
		`{"turns": {"A::sa:x": [[1], [1], [1]]}}`:                                           "2 turns",
		`{"requests": {"profiling/0/A/1": [1]}}`:                                            "4 parts",
		`{"requests": {"ramp/0/0/A/1": [1]}}`:                                               "ramp",
		`{"requests": {"profiling/x/0/A/1": [1]}}`:                                          "no number",
		`{"requests": {"profiling/0/0/C/1": [1]}}`:                                          "no conversation",
		`{"requests": {"profiling/0/0/A::sa:x/2": [1]}}`:                                    "2 turns",
		`{"turns": {"A": [null, [1]]}, "requests": {"warmup/0/0/A::sa:x/1": [1, "error"]}}`: "",
	} {
		file, err := ReadLatencies([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		err = file.Check(plans)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestGraceCancels gives a cancelled exchange what it had produced, and says why.
func TestGraceCancels(t *testing.T) {
	script := parse(t, "trace A\nA: 0\nset duration 5\nset grace 3\n")
	file, err := ReadLatencies([]byte(`{"default": 100}`))
	if err != nil {
		t.Fatal(err)
	}
	rows := simulate(t, Options{Machine: script.Config, Plans: script.Plans, Server: NewLatencies(file)})
	end := results(t, rows)[0]
	if end.Outcome != eventlog.OutcomeCancelled || end.Reason != "grace" || end.EndNs != 8e9 || end.CancelNs == nil || end.Chunks.Text != 8 || end.Usage != nil {
		t.Errorf("%+v", end)
	}
	if len(results(t, rows)) != 1 {
		t.Error("more than one end")
	}
}

// TestStop ends a simulation from outside.
func TestStop(t *testing.T) {
	script := parse(t, joined)
	rows := simulate(t, Options{Machine: script.Config, Plans: script.Plans, Server: NewLatencies(Recorded()), Stop: func(now int64) sched.Reason {
		if now >= 8e9 {
			return sched.ReasonUser
		}
		return ""
	}})
	last := rows[len(rows)-1]
	end, err := eventlog.Decode[sched.RunComplete](last)
	if err != nil || last.Kind != eventlog.KindRunComplete || end.Reason != sched.ReasonUser || last.AtNs != 8e9 {
		t.Errorf("%v %s %v", last.Kind, last.Payload, err)
	}
}

// TestObserverFailureEnds stops a simulation whose log refuses rows.
func TestObserverFailureEnds(t *testing.T) {
	script := parse(t, joined)
	refusal := fmt.Errorf("no room")
	count := 0
	options := Options{Machine: script.Config, Plans: script.Plans, Server: NewLatencies(Recorded())}
	options.Observer = NewJournal(script.Config, func(eventlog.Event) (eventlog.Seq, error) {
		if count++; count > 20 {
			return 0, refusal
		}
		return eventlog.Seq(count), nil
	})
	if err := Run(context.Background(), options); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("err = %v", err)
	}
}

// modelled runs a script against a modelled server.
func modelled(t testing.TB, script *schedtest.Script, config servermodel.Config) []eventlog.Event {
	server, err := NewModel(config, script.Config.URLCount)
	if err != nil {
		t.Fatal(err)
	}
	return simulate(t, Options{Machine: script.Config, Plans: script.Plans, Server: server, UnitTokens: 16, MarkerTokens: eighteen})
}

// growing is a plan whose second turn repeats the first one's prompt and adds to it.
func growing(t *testing.T) *schedtest.Script {
	script := parse(t, "trace A\nA: 0(1) 3(1)\nset sessions 2\n")
	turns := script.Plans[0].Conversations[0].Turns
	turns[0].In, turns[0].New = 640, []corpus.Message{{Role: corpus.RoleUser, Tokens: 640}}
	turns[1].In, turns[1].Keep, turns[1].New = 960, 1, []corpus.Message{{Role: corpus.RoleAssistant, Tokens: 64}, {Role: corpus.RoleUser, Tokens: 256}}
	return script
}

// TestModelledServer caches a stream's own beginning, and nothing of another play with its own marker.
func TestModelledServer(t *testing.T) {
	script := growing(t)
	rows := modelled(t, script, servermodel.Config{PrefillTokensPerSecond: 1000, TokenNs: 10_000_000})
	ends := results(t, rows)
	if len(ends) != 4 {
		t.Fatalf("%d exchanges, want two plays of two turns", len(ends))
	}
	for id, want := range []int64{0, 656, 0, 656} { // 18 marker + 640 prompt tokens are 41 full units
		if got := *ends[int64(id)].Usage.CacheRead; got != want {
			t.Errorf("exchange %d: %d tokens cached, want %d", id, got, want)
		}
	}
	first := ends[0]
	if ttft := *first.FirstTokenNs - first.StartNs; ttft != 658_000_000 {
		t.Errorf("time to first token %d ns, want 658 prompt tokens at 1000/s", ttft)
	}
	if first.EndNs-*first.FirstTokenNs != 99*10_000_000 {
		t.Errorf("decoding took %d ns, want 99 steps of 10 ms", first.EndNs-*first.FirstTokenNs)
	}
}

// TestModelledErrors draws refusals by the place of a request in the run.
func TestModelledErrors(t *testing.T) {
	script := growing(t)
	config := servermodel.Config{ErrorRate: 0.5, Seed: 3, RefusalNs: 1_000_000}
	once, again := modelled(t, script, config), modelled(t, script, config)
	if !slices.EqualFunc(once, again, sameRow) {
		t.Error("two runs of one seed differ")
	}
	outcomes := map[eventlog.Outcome]int{}
	for _, end := range results(t, once) {
		outcomes[end.Outcome]++
	}
	if outcomes[eventlog.OutcomeError] == 0 || outcomes[eventlog.OutcomeOK] == 0 {
		t.Errorf("outcomes %v", outcomes)
	}
	config.WindowTokens, config.ErrorRate = 700, 0
	for id, end := range results(t, modelled(t, script, config)) {
		if want := map[bool]eventlog.Outcome{true: eventlog.OutcomeOK, false: eventlog.OutcomeOverflow}[end.PromptTokens < 700]; end.Outcome != want {
			t.Errorf("exchange %d of %d tokens in a window of 700: %s", id, end.PromptTokens, end.Outcome)
		}
	}
}

func sameRow(a, b eventlog.Event) bool {
	left, _ := json.Marshal(a)
	right, _ := json.Marshal(b)
	return string(left) == string(right)
}

// goldenOptions is a run over the reference traces.
func goldenOptions(t testing.TB, lanes int, minutes int64) Options {
	t.Helper()
	dir, err := schedtest.SharedDir("../..")
	if err != nil {
		t.Skip(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "golden", "trace_*.json"))
	if err != nil || len(names) == 0 {
		t.Fatal("no reference traces", err)
	}
	config := sched.DefaultConfig()
	config.Concurrency, config.AllowWrap, config.CacheBust, config.BenchmarkID = lanes, true, sched.CacheBustFirstTurnPrefix, "bench1"
	config.StartMinRatio, config.StartMaxRatio = 0, 1
	duration, grace, limit := minutes*60_000_000_000, int64(30_000_000_000), int64(10_000_000_000)
	config.DurationNs, config.GraceNs, config.SystemIdleCapNs, config.TraceIdleCapNs = &duration, &grace, &limit, &limit
	options := Options{Machine: config, MarkerTokens: eighteen}
	for _, name := range names {
		plan, err := schedtest.LoadGolden(name)
		if err != nil {
			t.Fatal(err)
		}
		options.Plans = append(options.Plans, plan)
	}
	return options
}

// TestRerunOfASimulation runs the machine again on the log of a simulated run of real traces, and checks
// its invariants.
func TestRerunOfASimulation(t *testing.T) {
	options := goldenOptions(t, 16, 5)
	server, err := NewModel(servermodel.Config{PrefillTokensPerSecond: 50_000, TokenNs: 5_000_000, BatchLimit: 8, ErrorRate: 0.02, Seed: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	options.Server = server
	rows := simulate(t, options)
	again := schedlog.NewRerun(options.Plans)
	check := invariants.New(options.Plans, func(v invariants.Violation) { t.Error(v) })
	defer check.End(false)
	for _, row := range rows {
		if err := check.Row(row); err != nil {
			t.Fatal(err)
		}
		mismatch, err := again.Row(row)
		if err != nil {
			t.Fatal(err)
		}
		if mismatch != nil {
			t.Fatalf("event %d: %s", mismatch.Seq, mismatch.Text)
		}
	}
	if again.Compared() < 1000 {
		t.Errorf("only %d decisions were compared", again.Compared())
	}
}

// BenchmarkHalfHour replays half an hour of 64 lanes of real traces, rows included (the bound is 5 s).
func BenchmarkHalfHour(b *testing.B) {
	for name, unit := range map[string]int{"recorded": 0, "model": 16} {
		b.Run(name, func(b *testing.B) {
			options := goldenOptions(b, 64, 30)
			for b.Loop() {
				options.Server, options.UnitTokens = NewLatencies(Recorded()), unit
				if name == "model" {
					server, err := NewModel(servermodel.Config{PrefillTokensPerSecond: 100_000, TokenNs: 10_000_000, CacheTokens: 8_000_000, DecodeSlowdown: 0.02}, 1)
					if err != nil {
						b.Fatal(err)
					}
					options.Server = server
				}
				rows, exchanges := 0, 0
				options.Observer = NewJournal(options.Machine, func(row eventlog.Event) (eventlog.Seq, error) {
					if rows++; row.Kind == eventlog.KindExchangeEnd {
						exchanges++
					}
					return eventlog.Seq(rows), nil
				})
				if err := Run(context.Background(), options); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(rows), "rows/op")
				b.ReportMetric(float64(exchanges), "exchanges/op")
			}
		})
	}
}
