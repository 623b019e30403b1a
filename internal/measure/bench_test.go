package measure_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

const (
	benchLanes  = 64
	benchTurns  = 30
	benchChunks = 200
)

// benchExchanges is the size of the benchmark's log; AGENTX_BENCH_EXCHANGES changes it.
func benchExchanges() int {
	if n, err := strconv.Atoi(os.Getenv("AGENTX_BENCH_EXCHANGES")); err == nil {
		return n
	}
	return 100_000
}

// benchLog writes a log of exchanges with ten rows and 200 chunks each, 64 at a time. AGENTX_BENCH_LOG
// names a file where it is kept, so that programs can be measured on it too.
func benchLog(b *testing.B, exchanges int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "run.db")
	if kept := os.Getenv("AGENTX_BENCH_LOG"); kept != "" {
		if _, err := os.Stat(kept); err == nil {
			return kept
		}
		path = kept
	}
	w, err := eventlog.Create(path, eventlog.Options{QueueBytes: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	add := func(event eventlog.Event) {
		for {
			if _, err := w.Add(event); err == nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	row := func(kind eventlog.Kind, ns int64, at logtest.At, payload any) {
		text, err := json.Marshal(payload)
		if err != nil {
			b.Fatal(err)
		}
		add(eventlog.Event{Kind: kind, AtNs: ns, Lane: at.Lane, Play: at.Play, Stream: at.Stream, Turn: at.Turn, Exchange: at.Exchange, Payload: text})
	}
	nowhere := logtest.Nowhere()
	row(eventlog.KindRunConfig, 0, nowhere, logtest.Config("", nil))
	row(eventlog.KindAnchor, 0, nowhere, eventlog.Anchor{WallNs: logtest.WallNs, Why: "start"})
	row(eventlog.KindPhaseStart, 0, nowhere, map[string]any{"phase": "profiling", "lanes": benchLanes})
	for i := range exchanges {
		benchExchange(i, row, add)
	}
	row(eventlog.KindRunEnd, int64(exchanges)*70e6, nowhere, eventlog.RunEnd{Reason: "done"})
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

func benchExchange(i int, row func(eventlog.Kind, int64, logtest.At, any), add func(eventlog.Event)) {
	stream := i / benchLanes / benchTurns * benchLanes
	at := logtest.At{Lane: int64(i % benchLanes), Play: int64(stream + i%benchLanes), Stream: int64(stream + i%benchLanes),
		Turn: int64(i / benchLanes % benchTurns), Exchange: int64(i)}
	start := int64(i) * 70e6
	if at.Turn == 0 {
		row(eventlog.KindTreeOpen, start, logtest.At{Lane: at.Lane, Play: at.Play, Stream: -1, Turn: -1, Exchange: -1}, map[string]any{"phase": "profiling", "trace": "t", "kind": "full"})
		row(eventlog.KindStreamOpen, start, logtest.At{Lane: at.Lane, Play: at.Play, Stream: at.Stream, Turn: -1, Exchange: -1}, map[string]any{"c": 0, "id": "t", "turns": benchTurns, "parent": -1})
	}
	row(eventlog.KindWake, start, logtest.Nowhere(), nil)
	row(eventlog.KindTurnDue, start, at, map[string]any{"due_ns": start})
	row(eventlog.KindDispatch, start, at, map[string]any{"phase": "profiling", "credit": i, "c": 0, "due_ns": start, "ready_ns": start, "waited": []string{"gap"}, "url": 0, "marker": "0123456789ab"})
	row(eventlog.KindRequestWritten, start+300e3, logtest.At{Lane: -1, Play: -1, Stream: -1, Turn: -1, Exchange: at.Exchange}, map[string]any{"n": 265123})
	row(eventlog.KindFirstContent, start+90e6, logtest.At{Lane: -1, Play: -1, Stream: -1, Turn: -1, Exchange: at.Exchange}, map[string]any{"class": "text"})
	chunks, sink := make([]eventlog.Chunk, 0, benchChunks), int64(0)
	for c := range int64(benchChunks) {
		sink = start + 90e6 + c*20e6 + (c*7919+int64(i)*104729)%997*10e3
		chunks = append(chunks, eventlog.Chunk{AtNs: sink, Class: eventlog.ChunkText, WireBytes: 240 + c%60, TextBytes: 2 + c%7})
	}
	end := benchEnd(i, start, chunks[0].AtNs, chunks[1].AtNs, sink)
	text, _ := json.Marshal(end)
	event := eventlog.Event{Kind: eventlog.KindExchangeEnd, AtNs: end.EndNs, Lane: -1, Play: -1, Stream: -1, Turn: -1, Exchange: at.Exchange, Payload: text, Data: ownBlob(chunks)}
	add(event)
	row(eventlog.KindEnded, end.EndNs, logtest.At{Lane: -1, Play: -1, Stream: -1, Turn: -1, Exchange: at.Exchange}, map[string]any{"at_ns": end.EndNs, "outcome": "ok", "answered": true})
	row(eventlog.KindTimerSet, end.EndNs, at, map[string]any{"due_ns": end.EndNs + 2e9, "base_ns": end.EndNs, "gap_ns": 2e9, "why": "gap"})
	row(eventlog.KindWake, end.EndNs, logtest.Nowhere(), nil)
}

// ownBlob packs the chunks of one exchange as a run does.
func ownBlob(chunks []eventlog.Chunk) []byte {
	buffer := eventlog.NewChunkBuffer(logtest.New(), func() int64 { return 0 }, 0)
	sink := buffer.Open(0)
	for _, chunk := range chunks {
		sink.Add(chunk)
	}
	return sink.End()
}

func benchEnd(i int, start, first, second, last int64) eventlog.ExchangeEnd {
	at := func(value int64) *int64 { return &value }
	return eventlog.ExchangeEnd{
		Outcome: eventlog.OutcomeOK, RequestID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), Status: 200, Protocol: "HTTP/1.1",
		StartNs: start + 90e3, ConnWaitNs: at(2100), Reused: true, SendStartNs: at(start + 131e3), WrittenNs: at(start + 412e3),
		FirstByteNs: at(start + 80e6), HeadersNs: at(start + 80e6), FirstTokenNs: at(first), FirstTextNs: at(first), SecondTokenNs: at(second),
		LastTokenNs: at(last), LastResponseNs: at(last + 1e6), LastByteNs: at(last + 1e6), EndNs: last + 1e6,
		SentBytes: 265_123, ReceivedBytes: 131_072, Writes: 5, Reads: benchChunks,
		PromptTokens: 65_123, MarkerTokens: 16, ReachTokens: 64_000, MaxTokens: benchChunks,
		Chunks: eventlog.ChunkCounts{Role: 1, Text: benchChunks, Usage: 1, Done: 1}, FinishReasons: []string{"length"}, Done: true, Streamed: true,
		Model: "Qwen/Qwen2.5-7B-Instruct", Usage: &eventlog.Usage{Prompt: at(65_140), Completion: at(benchChunks), Total: at(65_340), CacheRead: at(64_000)},
		OutputTokensLocal: at(benchChunks), ReasoningTokensLocal: at(0), LocalAddr: "10.20.30.40:51234", RemoteAddr: "10.20.30.41:8000",
	}
}

// cpuSeconds is what the process has used so far: on a shared machine it tells more than the clock.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// BenchmarkAnalyze reads a log of 100,000 exchanges, a million events and 20 million chunks: once for
// a summary without chunk-level metrics, once with everything.
func BenchmarkAnalyze(b *testing.B) {
	path := benchLog(b, benchExchanges())
	for name, options := range map[string]measure.Options{
		"summary":    {NoChunks: true, NoCurves: true},
		"everything": {},
	} {
		b.Run(name, func(b *testing.B) {
			before := cpuSeconds()
			for range b.N {
				reader, err := eventlog.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				a, err := measure.Analyze(reader, options)
				if err != nil {
					b.Fatal(err)
				}
				if err := reader.Close(); err != nil {
					b.Fatal(err)
				}
				var memory runtime.MemStats
				runtime.ReadMemStats(&memory)
				b.ReportMetric(float64(memory.Sys)/1e6, "MB-sys")
				b.ReportMetric(float64(a.Events), "rows")
			}
			b.ReportMetric((cpuSeconds()-before)/float64(b.N), "cpu-s/op")
		})
	}
}
