package measure_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

// Faults that users of tools of this kind reported, as logs.

func average(t *testing.T, set *measure.Set, tag string) float64 {
	t.Helper()
	value, ok := set.Average(tag)
	if !ok {
		t.Fatalf("%s is missing", tag)
	}
	return value
}

func equal(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// start is a log with one stream and a profiling phase that begins at from ms and lasts for ms.
func start(from, length int64) *logtest.Log {
	log := logtest.New()
	nowhere := logtest.Nowhere()
	log.Row(eventlog.KindRunConfig, 0, nowhere, logtest.Config("", map[string]any{"concurrency": 1.0}))
	log.Row(eventlog.KindAnchor, 0, nowhere, eventlog.Anchor{WallNs: logtest.WallNs, Why: "start"})
	log.Row(eventlog.KindPhaseStart, 0, nowhere, map[string]any{"phase": "warmup", "lanes": 1})
	log.Row(eventlog.KindTreeOpen, 0, logtest.At{Lane: 0, Play: 0, Stream: -1, Turn: -1, Exchange: -1}, map[string]any{"phase": "warmup", "trace": "t", "kind": "full"})
	log.Row(eventlog.KindStreamOpen, 0, at(-1, -1), map[string]any{"c": 0, "id": "t", "turns": 9, "parent": -1})
	log.Row(eventlog.KindPhaseStart, from*1e6, nowhere, map[string]any{"phase": "profiling", "lanes": 1, "duration_ns": length * 1e6})
	return log
}

func at(turn, exchange int64) logtest.At {
	return logtest.At{Lane: 0, Play: 0, Stream: 0, Turn: turn, Exchange: exchange}
}

func finish(log *logtest.Log, ms int64) *logtest.Log {
	log.Row(eventlog.KindPhaseComplete, ms*1e6, logtest.Nowhere(), map[string]any{"phase": "profiling"})
	log.Row(eventlog.KindRunComplete, ms*1e6, logtest.Nowhere(), map[string]any{"why": "done"})
	log.Row(eventlog.KindRunEnd, ms*1e6, logtest.Nowhere(), eventlog.RunEnd{Reason: "done"})
	return log
}

// Case 35: the first chunk holds many tokens.
func TestInterTokenLatencyWhenTheFirstChunkHoldsManyTokens(t *testing.T) {
	for _, v := range []struct {
		perChunk  int64 // running counts as the server reports them; 0: it does not
		itl, tps  float64
		corrected int
	}{{0, 80.0 / 15, 187.5, 0}, {1, 80.0 / 15, 187.5, 1}, {8, 80.0 / 8, 100, 1}} {
		log := start(0, 1000)
		log.Send(logtest.Request{At: at(0, 0), Phase: "profiling", Sent: 0, Chunks: []int64{101, 181}, Tail: 181, End: 181, Prompt: 10, Output: 16, Max: 16, Running: v.perChunk > 0, PerChunk: v.perChunk})
		a := analyzed(t, finish(log, 200), measure.Options{})
		equal(t, "ITL", average(t, a.Own, "inter_token_latency"), v.itl)
		equal(t, "tokens/s/user", average(t, a.Own, "output_token_throughput_per_user"), v.tps)
		equal(t, "chunk gap", average(t, a.Own, "inter_chunk_latency"), 80)
		equal(t, "tokens per chunk", average(t, a.Own, "tokens_per_chunk"), 8)
		if a.Population.FirstChunkCounts != v.corrected {
			t.Errorf("%d answers used first-chunk counts, want %d", a.Population.FirstChunkCounts, v.corrected)
		}
	}
}

// Case 37: requests that straddle the end of the warmup. The window is [10, 12] s.
func TestRequestsThatStraddleTheWarmupBoundary(t *testing.T) {
	log := start(10_000, 2000)
	send := func(exchange int64, phase string, sent int64, chunks ...int64) {
		log.Send(logtest.Request{At: at(exchange, exchange), Phase: phase, Sent: sent - 1, Chunks: chunks, Tail: chunks[len(chunks)-1], End: chunks[len(chunks)-1],
			Prompt: 10, Output: int64(len(chunks)), Max: 8})
	}
	send(0, "warmup", 8000, 9000, 10_500, 11_000) // X
	send(1, "warmup", 9500, 10_500, 11_000)       // Y
	send(2, "profiling", 10_600, 11_600, 12_000)  // Z
	a := analyzed(t, finish(log, 12_000), measure.Options{})
	equal(t, "profiling requests", average(t, a.Own, "request_count"), 1)
	equal(t, "TTFT", average(t, a.Own, "time_to_first_token"), 1000)
	equal(t, "warmup requests", average(t, a.Warmup, "request_count"), 2)
	equal(t, "tokens in the window", a.Output.OutputTokens, 6)
	equal(t, "tokens/s in the window", a.Output.OutputTokens/a.Output.Seconds(), 3)
}

// Case 12: a subagent's request that falls silent after its first chunk ends by its timeout; its session tells
// why it was degraded, and the time that others waited for it.
func TestASessionTellsWhyItWasDegraded(t *testing.T) {
	log := start(0, 10_000)
	log.Send(logtest.Request{At: at(0, 0), Phase: "profiling", Sent: 0, Chunks: []int64{100, 200}, Tail: 200, End: 200, Prompt: 10, Output: 2, Max: 8})
	log.Send(logtest.Request{At: at(0, 1), Phase: "profiling", Sent: 300, Chunks: []int64{400}, Tail: 400, End: 2300, Outcome: eventlog.OutcomeError, Class: "timeout",
		ErrType: "TimeoutError", Error: "the request timeout of 2s passed", Prompt: 10, Max: 8})
	a := analyzed(t, finish(log, 10_000), measure.Options{})
	if len(a.Sessions) != 1 {
		t.Fatalf("%d sessions", len(a.Sessions))
	}
	tree := a.Sessions[0]
	if tree.Errors != 1 || tree.FirstError != "timeout" {
		t.Errorf("%d errors, the first %q", tree.Errors, tree.FirstError)
	}
	equal(t, "server time, ms", float64(tree.ServerNs)/1e6, 199+1999) // a request starts 1 ms after Sent
	equal(t, "makespan, ms", float64(tree.MakespanNs())/1e6, 2299)
}

// Case 39: nothing succeeds.
func TestEveryRequestFails(t *testing.T) {
	log := start(0, 1000)
	for i := range int64(5) {
		log.Send(logtest.Request{At: at(i, i), Phase: "profiling", Credit: int(i), Sent: 100 * i, End: 100*i + 20, Status: 503, Outcome: eventlog.OutcomeError, Class: "http",
			ErrType: "Service Unavailable", Error: "down", Prompt: 10, Max: 8})
	}
	a := analyzed(t, finish(log, 1000), measure.Options{})
	equal(t, "errors", average(t, a.Compatible, "error_request_count"), 5)
	equal(t, "error rate", average(t, a.Compatible, "request_error_rate"), 100)
	equal(t, "error latency", average(t, a.Own, "error_latency"), 19)
	for _, tag := range []string{"time_to_first_token", "request_latency", "inter_token_latency", "request_throughput", "request_count", "adj_request_latency"} {
		if value, ok := a.Compatible.Average(tag); ok {
			t.Errorf("%s has a value: %v", tag, value)
		}
	}
	if line := a.Verdict.Line(); !a.Verdict.NothingSucceeded || !strings.HasPrefix(line, "NOTHING SUCCEEDED: none of 5 requests was answered; ") {
		t.Errorf("verdict %q", line)
	}
	if len(a.Errors) != 1 || a.Errors[0].Count != 5 || a.Errors[0].Outcome != measure.OutcomeHTTPError || a.Errors[0].Error.Message != "down" {
		t.Errorf("errors %+v", a.Errors)
	}
}

// Case 40: what is in flight when the time is up. Duration 2 s, grace to 3 s.
func TestGraceAndCancelAtTheEnd(t *testing.T) {
	log := start(0, 2000)
	log.Send(logtest.Request{At: at(0, 0), Phase: "profiling", Sent: 0, Chunks: []int64{500, 1500, 2500}, Tail: 2500, End: 2500, Prompt: 10, Output: 3, Max: 8})
	log.Send(logtest.Request{At: at(1, 1), Phase: "profiling", Credit: 1, Sent: 0, Chunks: []int64{5}, Tail: 5, End: 5, Prompt: 10, Output: 1, Max: 8})
	log.Send(logtest.Request{At: at(2, 2), Phase: "profiling", Credit: 2, Sent: 1900, Chunks: []int64{2500, 2900}, Tail: 2900, End: 3000,
		Outcome: eventlog.OutcomeCancelled, Reason: "grace", Prompt: 10, Output: 2, Max: 8})
	a := analyzed(t, finish(log, 3000), measure.Options{})
	p := a.Population
	if p.Outcomes[measure.OutcomeOK] != 2 || p.Outcomes[measure.OutcomeCancelledGrace] != 1 || p.InFlightAtEnd != 2 || p.CompletedInGrace != 1 {
		t.Errorf("population %+v", p)
	}
	equal(t, "window tokens", a.Output.OutputTokens, 3)
	equal(t, "TTFT samples", float64(mustGet(t, a.Own, "time_to_first_token").Stats.Count), 2)
	equal(t, "censored latency", average(t, a.Own, "censored_latency"), 1099)
	if _, failed := a.Own.Average("error_request_count"); failed {
		t.Error("a request that was cut at the end counts as failed")
	}
}

func mustGet(t *testing.T, set *measure.Set, tag string) *measure.Result {
	t.Helper()
	result, ok := set.Get(tag)
	if !ok {
		t.Fatalf("%s is missing", tag)
	}
	return result
}

// An interrupted log is analysed as far as it goes, wherever it ends.
func TestInterruptedLogAtEveryRow(t *testing.T) {
	whole := logtest.Mixed()
	for rows := 1; rows < whole.Len(); rows++ {
		log := whole.Cut(rows)
		a := analyzed(t, log, measure.Options{})
		if !a.Interrupted() || a.Verdict.Complete || a.Verdict.IncompleteReason == "" {
			t.Fatalf("cut after %d rows: interrupted %v, complete %v", rows, a.Interrupted(), a.Verdict.Complete)
		}
		dispatched := 0
		for _, row := range log.Rows()[:rows] {
			if row.Kind == eventlog.KindDispatch {
				dispatched++
			}
		}
		sent := 0
		for _, r := range a.Records {
			if r.Exchange >= 0 {
				sent++
			}
		}
		if sent != dispatched {
			t.Fatalf("cut after %d rows: %d records of %d dispatches", rows, sent, dispatched)
		}
	}
	if a := analyzed(t, whole, measure.Options{}); a.Interrupted() || !a.Verdict.Complete {
		t.Errorf("the whole log: %+v", a.Verdict)
	}
}

func TestLogWithoutConfigurationIsRefused(t *testing.T) {
	if _, err := measure.Analyze(logtest.New(), measure.Options{}); err == nil {
		t.Error("an empty log was analysed")
	}
}

// The reachable share is of planned tokens: a server that counts its prompts otherwise does not move it.
func TestReachableShareDoesNotDependOnTheServersCounts(t *testing.T) {
	for _, factor := range []int64{1, 2} {
		log := logtest.New()
		nowhere := logtest.Nowhere()
		log.Row(eventlog.KindRunConfig, 0, nowhere, logtest.Config("", map[string]any{"concurrency": 1.0}))
		log.Row(eventlog.KindAnchor, 0, nowhere, eventlog.Anchor{WallNs: logtest.WallNs, Why: "start"})
		log.Trace(0, 0, logtest.Beta())
		log.Row(eventlog.KindTreeOpen, 0, logtest.At{Lane: 0, Play: 0, Stream: -1, Turn: -1, Exchange: -1}, map[string]any{"phase": "profiling", "trace": "beta", "kind": "full"})
		log.Row(eventlog.KindStreamOpen, 0, at(-1, -1), map[string]any{"c": 0, "id": "beta", "turns": 3, "parent": -1})
		log.Row(eventlog.KindPhaseStart, 0, nowhere, map[string]any{"phase": "profiling", "lanes": 1, "duration_ns": int64(1e9)})
		log.Send(logtest.Request{At: at(0, 0), Phase: "profiling", Sent: 0, Chunks: []int64{10}, Tail: 10, End: 10, Prompt: 128 * factor, Output: 1, Cached: 0, Reach: 0, Max: 8})
		log.Send(logtest.Request{At: at(1, 1), Phase: "profiling", Credit: 1, Sent: 20, Chunks: []int64{30}, Tail: 30, End: 30, Prompt: 256 * factor, Output: 1, Cached: 128 * factor, Reach: 192, Max: 8})
		a := analyzed(t, finish(log, 1000), measure.Options{})
		equal(t, "reachable", average(t, a.Own, "reachable_prefix_cache_hit_pct"), 100*192.0/(128+256))
		equal(t, "theory by tokens", average(t, a.Own, "theoretical_prefix_cache_hit_tokens_pct"), 100*192.0/(128+256))
		equal(t, "reported", average(t, a.Own, "overall_usage_prompt_cache_read_pct"), 100*128.0/(128+256))
		// More cached than this run made possible is told: the counts differ, or the cache was warm.
		captured := average(t, a.Own, "reuse_captured_pct")
		noted := slices.ContainsFunc(a.Verdict.Notes, func(n measure.Note) bool { return n.Setting == "reuse_captured" })
		if noted != (captured > 100) || noted != (factor == 2) {
			t.Errorf("factor %d: captured %v %%, noted %v", factor, captured, noted)
		}
		if note, _ := a.Verdict.Note(measure.NoteReuse); noted && !strings.HasPrefix(note.Text(), "reuse_captured: 256 tokens cached, 192 reachable in this run: ") {
			t.Error(note.Text())
		}
	}
}

// A run that was cancelled says by what, where the log tells; the reason that files carry stays the peer's.
func TestAnIncompleteRunSaysWhy(t *testing.T) {
	for reason, want := range map[string]string{
		"user": "stopped by the user or a signal", "failed_requests": "more requests failed than --failed-request-threshold allows",
		"warmup_failure": "the warmup failed", "server_profiler": "server profiler",
	} {
		log := start(0, 2000)
		log.Row(eventlog.KindRunComplete, 900*1e6, logtest.Nowhere(), map[string]any{"why": reason, "was_cancelled": true})
		log.Row(eventlog.KindRunEnd, 1000*1e6, logtest.Nowhere(), eventlog.RunEnd{Reason: reason, WasCancelled: true})
		v := analyzed(t, log, measure.Options{}).Verdict
		if v.IncompleteReason != "Run cancelled before all records were processed." || v.Incomplete() != "Run cancelled before all records were processed: "+want+"." {
			t.Errorf("%s: %q", reason, v.Incomplete())
		}
		if !strings.Contains(v.Line(), "; incomplete: Run cancelled before all records were processed: "+want) {
			t.Errorf("%s: %q", reason, v.Line())
		}
	}
	whole := analyzed(t, logtest.Mixed(), measure.Options{}).Verdict
	if whole.Incomplete() != "" {
		t.Errorf("a whole run: %q", whole.Incomplete())
	}
}

// An answer in one piece has a latency and counts, and nothing that takes a first token; it is no answer
// without visible output, and its tokens come with its last byte.
func TestAnswersInOnePiece(t *testing.T) {
	log := start(0, 2000)
	log.Send(logtest.Request{At: at(0, 0), Phase: "profiling", Sent: 0, Whole: true, End: 501, Prompt: 10, Output: 20, Max: 20})
	log.Send(logtest.Request{At: at(1, 1), Phase: "profiling", Credit: 1, Sent: 600, Whole: true, End: 1001, Prompt: 30, Output: 40, Max: 40})
	a := analyzed(t, finish(log, 2000), measure.Options{})
	equal(t, "requests", average(t, a.Compatible, "request_count"), 2)
	equal(t, "latency", average(t, a.Compatible, "request_latency"), 450)
	equal(t, "OSL", average(t, a.Compatible, "output_sequence_length"), 30)
	equal(t, "tokens/s", average(t, a.Own, "output_token_throughput"), 30)
	equal(t, "concurrency", average(t, a.Own, "effective_concurrency"), 0.45)
	equal(t, "tokens in the window", a.Output.OutputTokens, 60)
	equal(t, "prompts in the window", a.Output.InputTokens, 40)
	if a.Population.Outcomes[measure.OutcomeNoVisibleOutput] != 0 || a.Output.Whole != 2 {
		t.Errorf("outcomes %v, %d placed whole", a.Population.Outcomes, a.Output.Whole)
	}
	for _, d := range measure.Definitions() {
		if value, ok := a.Compatible.Average(d.Tag); ok && d.Streamed {
			t.Errorf("%s has a value: %v", d.Tag, value)
		}
	}
	if notes := a.Verdict.Notes; len(notes) == 0 || notes[len(notes)-1].Setting != "streaming" {
		t.Errorf("notes %+v: the server was asked to stream", notes)
	}
}

func TestGoodputLimitsAreNumbers(t *testing.T) {
	for _, text := range []string{"request_latency:NaN", "request_latency:inf", "request_latency:-Inf", "request_latency:", "request_latency"} {
		if _, err := measure.ParseObjectives(text); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}
