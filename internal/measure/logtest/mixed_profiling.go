package logtest

import (
	"fmt"

	"agentx/eventlog"
)

// profiling are the requests of Mixed. T0 is 1000 ms, the duration ends at 11000, the grace at 13000.
func (l *Log) profiling() {
	ns := int64(10_000) * msNs
	l.Row(eventlog.KindPhaseStart, 1000*msNs, Nowhere(), map[string]any{"phase": "profiling", "lanes": 2, "duration_ns": ns})
	for _, q := range mixedRequests() {
		if q.At.Exchange == 4 {
			l.stream(2600, At{0, 0, 2, -1, -1}, 1, "alpha::sa:a1", 1, 0, 2, 2)
		}
		if q.At.Exchange == 9 {
			l.Row(eventlog.KindStreamTerminated, 6060*msNs, At{1, 1, 1, -1, -1}, map[string]any{"unsent": 0})
			l.Row(eventlog.KindTreeDrained, 6060*msNs, At{1, 1, -1, -1, -1}, map[string]any{})
			l.Row(eventlog.KindBackoff, 6060*msNs, At{1, 1, -1, -1, -1}, map[string]any{"until_ns": 7060 * msNs, "why": "overflow"})
			l.tree(7060, 2, 1, "beta", "recycled", 1)
			l.stream(7060, At{1, 2, 3, -1, -1}, 0, "beta", 0, -1, 3, -1)
		}
		l.Send(q)
	}
	for i, ms := range []int64{500, 2000, 6000, 10_000} {
		l.Scrape(ms*msNs, "http://127.0.0.1:8000/metrics", serverPage(float64(i)))
	}
	l.Row(eventlog.KindSendingComplete, 11_000*msNs, Nowhere(), map[string]any{"phase": "profiling", "why": "duration", "sent": 10})
	l.Row(eventlog.KindTurnDue, 11_400*msNs, At{0, 0, 0, 4, -1}, map[string]any{"due_ns": 11_400 * msNs})
	l.Row(eventlog.KindTurnRefused, 11_400*msNs, At{0, 0, 0, 4, -1}, map[string]any{"why": "duration"})
	l.Row(eventlog.KindStreamTruncated, 11_400*msNs, At{0, 0, 0, -1, -1}, map[string]any{"why": "duration", "unsent": 1})
	l.Row(eventlog.KindCancelInFlight, 13_000*msNs, Nowhere(), map[string]any{"n": 1, "why": "grace"})
}

func mixedRequests() []Request {
	alpha, beta := marker(0), marker(1)
	return []Request{
		{Phase: "profiling", At: At{0, 0, 0, 1, 2}, Credit: 0, Due: 1000, Sent: 1002, Chunks: []int64{1203, 1303, 1403, 1503}, Tail: 1505, End: 1505,
			Prompt: 210, Output: 8, Cached: 64, Reach: 64, Max: 8, Marker: alpha},
		{Phase: "profiling", At: At{1, 1, 1, 1, 3}, Credit: 1, Due: 1000, Sent: 1004, Chunks: []int64{1305, 1405, 1505}, Reasoning: 1, Tail: 1507, End: 1508,
			Prompt: 274, Output: 8, Cached: 128, Reach: 192, Max: 8, Marker: beta},
		{Phase: "profiling", At: At{0, 0, 2, 0, 4}, Credit: 2, Due: 2600, Sent: 2601, Status: 503, Outcome: eventlog.OutcomeError, Class: "http",
			ErrType: "Service Unavailable", Error: `{"error":"overloaded, request 7f3a"}`, End: 2652, Prompt: 128, Max: 8, Marker: alpha},
		{Phase: "profiling", At: At{0, 0, 2, 1, 5}, Credit: 3, Due: 3252, Sent: 3255, Chunks: []int64{3456, 3456, 3656}, Tail: 3660, End: 3660,
			Prompt: 274, Output: 3, Cached: 128, Reach: 128, Max: 8, Running: true, Final: true, Marker: alpha},
		{Phase: "profiling", At: At{0, 0, 0, 2, 6}, Credit: 4, Due: 3660, Sent: 3661, Outcome: eventlog.OutcomeOK, Class: "no_visible_output", Tail: 3750, End: 3750,
			Prompt: 338, Output: 0, Cached: 256, Reach: 256, Max: 8, Marker: alpha},
		{Phase: "profiling", At: At{1, 1, 1, 2, 8}, Credit: 5, Due: 6000, Sent: 6001, Status: 400, Outcome: eventlog.OutcomeOverflow, Class: "http",
			ErrType: "Bad Request", Error: `{"error":{"message":"maximum context length is 256"}}`, Overflow: "maximum context",
			End: 6050, Prompt: 402, Max: 8, Final: true, Marker: beta},
		{Phase: "profiling", At: At{1, 2, 3, 0, 9}, Credit: 6, Due: 7060, Sent: 7061, Chunks: []int64{7162}, Tail: 7163, End: 7163,
			Prompt: 146, Output: 1, Cached: -1, Reach: 0, Max: 8, Marker: marker(2)},
		{Phase: "profiling", At: At{1, 2, 3, 1, 10}, Credit: 7, Due: 8000, Sent: 8001, Chunks: []int64{8202, 8402, 8602, 8802}, Tail: 8803, End: 8804,
			Prompt: 274, Output: 8, Cached: 128, Reach: 128, Max: 8, Marker: marker(2)},
		{Phase: "profiling", At: At{0, 0, 0, 3, 7}, Credit: 8, Due: 10_500, Sent: 10_501, Chunks: []int64{10_702, 10_902, 11_102, 11_302}, Tail: 11_303, End: 11_304,
			Prompt: 466, Output: 8, Cached: 320, Reach: 320, Max: 8, Marker: alpha},
		{Phase: "profiling", At: At{1, 2, 3, 2, 11}, Credit: 9, Due: 10_900, Sent: 10_901, Chunks: []int64{11_402, 12_402}, Tail: 12_402, End: 13_004,
			Outcome: eventlog.OutcomeCancelled, Reason: "grace", Prompt: 402, Output: 2, Cached: -1, Reach: 256, Max: 8, Final: true, Marker: marker(2)},
	}
}

func (l *Log) tail() {
	counts := map[string]any{"sent": 10, "completed": 9, "cancelled": 1, "errors": 2, "overflows": 1, "sent_sessions": 3, "completed_sessions": 0}
	l.Row(eventlog.KindPhaseComplete, 13_004*msNs, Nowhere(), map[string]any{
		"phase": "profiling", "counts": counts, "timed_out": true, "grace_over": true,
		"branches": map[string]any{"children_spawned": 1, "children_completed": 1, "parents_suspended": 1, "parents_resumed": 1},
		"guard":    map[string]any{"jumps": 1, "skipped_ns": 250 * msNs},
	})
	l.Row(eventlog.KindRunComplete, 13_004*msNs, Nowhere(), map[string]any{"why": "done"})
	l.Row(eventlog.KindClientSample, 13_010*msNs, Nowhere(), eventlog.ClientSample{CPUSeconds: 0.5, CPUShare: 0.1, InFlight: 2, LateP99Ns: 4 * msNs, LateMaxNs: 4 * msNs})
	l.Row(eventlog.KindAnchor, 13_020*msNs, Nowhere(), eventlog.Anchor{WallNs: WallNs + 13_020*msNs + 1000, Why: "end"})
	l.Row(eventlog.KindRunEnd, 13_020*msNs, Nowhere(), eventlog.RunEnd{ExitCode: 0, Reason: "done"})
}

// serverPage is a metrics page that grows with n.
func serverPage(n float64) string {
	return fmt.Sprintf(`# HELP vllm:prompt_tokens_total Number of prefill tokens processed.
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{engine="0",model_name="served"} %g
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="served"} %g
# HELP vllm:time_to_first_token_seconds Histogram of time to first token in seconds.
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.1"} %g
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.5"} %g
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf"} %g
vllm:time_to_first_token_seconds_sum{engine="0"} %g
vllm:time_to_first_token_seconds_count{engine="0"} %g
`, 1000*n, 1+n, n, 3*n, 4*n, 0.8*n, 4*n)
}
