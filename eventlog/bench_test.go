package eventlog

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// exchangeRows are the rows of one exchange as a run writes them, with payloads of the usual length.
func exchangeRows(b *testing.B, i int) []Event {
	at := func(value int64) *int64 { return &value }
	start := int64(60e9) + int64(i)*1_500_000
	exchange, cause := int64(i), Seq(7*i+1)
	end := ExchangeEnd{
		Outcome: OutcomeOK, RequestID: "0f3a9c52-7be1-4d06-9a44-5d1c2b3e4f50", Status: 200, Protocol: "HTTP/1.1",
		StartNs: start + 90_000, ConnWaitNs: at(2_100), Reused: true, SendStartNs: at(start + 131_000), WrittenNs: at(start + 412_000),
		FirstByteNs: at(start + 95_412_123), HeadersNs: at(start + 95_430_456), FirstTokenNs: at(start + 95_482_789),
		FirstTextNs: at(start + 95_482_789), SecondTokenNs: at(start + 115_912_345), LastTokenNs: at(start + 10_115_912_345),
		LastResponseNs: at(start + 10_116_001_234), LastByteNs: at(start + 10_116_050_123), EndNs: start + 10_116_123_456,
		SentBytes: 265_123, ReceivedBytes: 131_072, Writes: 5, Reads: 502,
		BodyDigest:   "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
		PromptTokens: 65_123, MarkerTokens: 16, ReachTokens: 64_000, MaxTokens: 500,
		Chunks: ChunkCounts{Role: 1, Text: 499, Usage: 1, Done: 1}, FinishReasons: []string{"length"}, Done: true, Streamed: true,
		Model: "Qwen/Qwen2.5-7B-Instruct", Usage: &Usage{Prompt: at(65_140), Completion: at(500), Total: at(65_640), CacheRead: at(64_000)},
		OutputTokensLocal: at(500), ReasoningTokensLocal: at(0), ReadDelayMaxNs: 181_234,
		LocalAddr: "10.20.30.40:51234", RemoteAddr: "10.20.30.41:8000",
	}
	result, err := NewPayload(KindExchangeEnd, end.EndNs, end)
	if err != nil {
		b.Fatal(err)
	}
	row := func(kind Kind, at int64, cause Seq, exchange int64, payload string) Event {
		event := New(kind, at)
		event.Cause, event.Exchange = cause, exchange
		if payload != "" {
			event.Payload = []byte(payload)
		}
		return event
	}
	due := row(KindTurnDue, start, cause, None, `{"due_ns":60000000123}`)
	dispatch := row(KindDispatch, start, cause, exchange, fmt.Sprintf(
		`{"phase":"profiling","credit":%d,"plan":3,"c":0,"due_ns":60000000123,"ready_ns":60000000123,"waited":["gap"],"url":0,"marker":"0f3a9c527be1"}`, i))
	for _, event := range []*Event{&due, &dispatch} {
		event.Lane, event.Play, event.Stream, event.Turn = int64(i%64), int64(i/900), int64(i/30), int64(i%30)
	}
	ended := row(KindEnded, start+10_116_200_000, 0, exchange, fmt.Sprintf(`{"at_ns":%d,"outcome":"ok","answered":true,"timer":{"due_ns":%d,"gap_ns":2000000000}}`, end.EndNs, end.EndNs+2e9))
	return []Event{
		row(KindWake, start, 0, None, ""), due, dispatch,
		row(KindRequestWritten, start+412_000, 0, exchange, `{"n":265123}`),
		row(KindFirstContent, start+95_482_789, 0, exchange, `{"class":"text"}`),
		row(KindExchangeEnd, end.EndNs, 0, exchange, string(result.Payload)),
		ended,
	}
}

// addOrWait adds an event however long it takes: a benchmark may run ahead of the disk, a run may not.
func addOrWait(b *testing.B, w *Writer, event Event) {
	if _, err := w.AddWaiting(event); err != nil {
		b.Fatal(err)
	}
}

func fileSize(b *testing.B, path string) float64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return float64(info.Size())
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// BenchmarkAppend adds the rows of exchanges (seven each; one operation is one event) until all are on
// disk: events a second durable, CPU of the process, bytes of the closed file per event.
func BenchmarkAppend(b *testing.B) {
	w := newLog(b, Options{})
	rows := make([][]Event, 512)
	for i := range rows {
		rows[i] = exchangeRows(b, i)
	}
	b.ResetTimer()
	cpu := cpuSeconds()
	added := 0
	for i := 0; added < b.N; i++ {
		for _, event := range rows[i%len(rows)] {
			if event.Exchange != None {
				event.Exchange = int64(i)
			}
			addOrWait(b, w, event)
			added++
		}
	}
	if err := w.Sync(); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(added)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric((cpuSeconds()-cpu)/float64(added)*1e6, "cpu-us/event")
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(fileSize(b, w.Path())/float64(added), "bytes/event")
}

// BenchmarkExchangeEnd is the cost of the largest payload, to and from its stored form.
func BenchmarkExchangeEnd(b *testing.B) {
	var event Event
	for _, row := range exchangeRows(b, 1) {
		if row.Kind == KindExchangeEnd {
			event = row
		}
	}
	end, err := Decode[ExchangeEnd](event)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			if _, err := NewPayload(KindExchangeEnd, 0, end); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := Decode[ExchangeEnd](event); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64(len(event.Payload)), "bytes")
}

// BenchmarkChunks packs 64 streams of 50 chunks a second, exchanges of 500 chunks, on a virtual clock;
// one operation is one chunk. Bytes per chunk in the blobs alone, and of the whole file over the chunks.
func BenchmarkChunks(b *testing.B) {
	const streams, interval, length = 64, int64(20e6), 500
	w := newLog(b, Options{})
	now := int64(0)
	buffer := NewChunkBuffer(w, func() int64 { return now }, 0)
	sinks := make([]*ChunkSink, streams)
	counts := make([]int, streams)
	exchanges, chunks := 0, 0
	b.ResetTimer()
	for step := 0; chunks < b.N; step++ {
		for s := range streams {
			jitter := int64((step*7919+s*104729)%997) * 1500
			now = int64(step)*interval + int64(s)*interval/streams + jitter
			if sinks[s] == nil {
				sinks[s], counts[s] = buffer.Open(int64(exchanges)), 0
				exchanges++
			}
			sinks[s].Add(Chunk{AtNs: now, Class: ChunkText, WireBytes: 240 + int64(chunks%60), TextBytes: 2 + int64(chunks%7)})
			chunks++
			if counts[s]++; counts[s] == length {
				endExchange(b, w, exchanges, sinks[s])
				sinks[s] = nil
			}
		}
		if step%13 == 12 { // 260 ms
			if err := buffer.Flush(); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := buffer.Close(); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	blobs := 0
	for _, event := range readAll(b, w.Path(), Filter{}) {
		blobs += len(event.Data)
	}
	b.ReportMetric(float64(blobs)/float64(chunks), "blob-bytes/chunk")
	b.ReportMetric(fileSize(b, w.Path())/float64(chunks), "file-bytes/chunk")
}

// endExchange adds all rows of the exchange, the data of its sink in the last.
func endExchange(b *testing.B, w *Writer, exchange int, sink *ChunkSink) {
	for _, event := range exchangeRows(b, exchange) {
		if event.Kind == KindExchangeEnd {
			event.Data = sink.End()
		}
		addOrWait(b, w, event)
	}
}

// writeRows fills and closes a log of so many events, the last of them its closing event.
func writeRows(b *testing.B, w *Writer, events int) {
	rows := exchangeRows(b, 1)
	for i := range events - 1 {
		addOrWait(b, w, rows[i%len(rows)])
	}
	addOrWait(b, w, New(KindRunEnd, 1))
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkScan reads a log of a million events (ten million with AGENTX_LONG) from end to end.
func BenchmarkScan(b *testing.B) {
	events := 1_000_000
	if os.Getenv("AGENTX_LONG") != "" {
		events = 10_000_000
	}
	w := newLog(b, Options{})
	writeRows(b, w, events)
	runtime.GC()
	cpu := cpuSeconds()
	for b.Loop() {
		r, err := Open(w.Path())
		if err != nil {
			b.Fatal(err)
		}
		seen := 0
		for _, err := range r.Events(Filter{}) {
			if err != nil {
				b.Fatal(err)
			}
			seen++
		}
		if seen != events {
			b.Fatalf("%d events read, want %d", seen, events)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric((cpuSeconds()-cpu)/float64(events)/float64(b.N)*1e6, "cpu-us/event")
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	b.ReportMetric(float64(usage.Maxrss)/1024, "peak-MiB")
}

// BenchmarkCheck verifies a million events: database, order, chain.
func BenchmarkCheck(b *testing.B) {
	const events = 1_000_000
	w := newLog(b, Options{})
	writeRows(b, w, events)
	for b.Loop() {
		if report := checkLog(b, w.Path()); report.ValidTo != events {
			b.Fatalf("valid to %d", report.ValidTo)
		}
	}
	b.ReportMetric(events*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkAddOnASlowDisk measures what a caller waits in Add, one event each 100 µs, while every
// commit takes 200 ms.
func BenchmarkAddOnASlowDisk(b *testing.B) {
	w := newLog(b, Options{Hook: func(point Point, _ Seq) {
		if point == PointBeforeCommit {
			time.Sleep(200 * time.Millisecond)
		}
	}})
	rows := exchangeRows(b, 1)
	waits := make([]time.Duration, 0, b.N)
	for i := 0; b.Loop(); i++ {
		event := rows[i%len(rows)]
		start := time.Now()
		if _, err := w.Add(event); err != nil {
			b.Fatal(err)
		}
		waits = append(waits, time.Since(start))
		if i%10 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	slices.Sort(waits)
	b.ReportMetric(float64(waits[len(waits)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(waits[len(waits)*99/100].Nanoseconds()), "p99-ns")
	b.ReportMetric(float64(waits[len(waits)-1].Nanoseconds()), "max-ns")
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
