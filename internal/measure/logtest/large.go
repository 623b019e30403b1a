package logtest

import (
	"encoding/json"
	"errors"
	"fmt"

	"agentx/eventlog"
)

const (
	largeLanes = 64
	largeTurns = 30
)

// WriteLarge writes a log of exchanges with nine rows each, two more where a tree opens, and so many chunks, 64
// at a time: what a run of many hours leaves, for benchmarks. The file must not exist.
func WriteLarge(path string, exchanges, chunks int) error {
	w, err := eventlog.Create(path, eventlog.Options{QueueBytes: 1 << 30})
	if err != nil {
		return err
	}
	l := &large{writer: w, chunks: chunks}
	l.row(eventlog.KindRunConfig, 0, Nowhere(), Config("", nil))
	l.row(eventlog.KindAnchor, 0, Nowhere(), eventlog.Anchor{WallNs: WallNs, Why: "start"})
	l.row(eventlog.KindPhaseStart, 0, Nowhere(), map[string]any{"phase": "profiling", "lanes": largeLanes})
	for i := range exchanges {
		l.exchange(i)
	}
	l.row(eventlog.KindRunEnd, int64(exchanges)*70e6, Nowhere(), eventlog.RunEnd{Reason: "done"})
	return errors.Join(l.failed, w.Close())
}

// large writes rows and keeps the first error.
type large struct {
	writer *eventlog.Writer
	chunks int
	failed error
}

func (l *large) add(event eventlog.Event) {
	if l.failed == nil {
		_, l.failed = l.writer.AddWaiting(event)
	}
}

func (l *large) row(kind eventlog.Kind, ns int64, at At, payload any) {
	text, err := json.Marshal(payload)
	if err != nil {
		l.failed = errors.Join(l.failed, err)
	}
	l.add(eventlog.Event{Kind: kind, AtNs: ns, Lane: at.Lane, Play: at.Play, Stream: at.Stream, Turn: at.Turn, Exchange: at.Exchange, Payload: text})
}

func (l *large) exchange(i int) {
	stream := int64(i/largeLanes/largeTurns*largeLanes + i%largeLanes)
	at := At{Lane: int64(i % largeLanes), Play: stream, Stream: stream, Turn: int64(i / largeLanes % largeTurns), Exchange: int64(i)}
	alone := At{Lane: -1, Play: -1, Stream: -1, Turn: -1, Exchange: at.Exchange}
	start := int64(i) * 70e6
	if at.Turn == 0 {
		l.row(eventlog.KindTreeOpen, start, At{Lane: at.Lane, Play: at.Play, Stream: -1, Turn: -1, Exchange: -1}, map[string]any{"phase": "profiling", "trace": "t", "kind": "full"})
		l.row(eventlog.KindStreamOpen, start, At{Lane: at.Lane, Play: at.Play, Stream: at.Stream, Turn: -1, Exchange: -1}, map[string]any{"c": 0, "id": "t", "turns": largeTurns, "parent": -1})
	}
	l.row(eventlog.KindWake, start, Nowhere(), nil)
	l.row(eventlog.KindTurnDue, start, at, map[string]any{"due_ns": start})
	l.row(eventlog.KindDispatch, start, at, map[string]any{"phase": "profiling", "credit": i, "c": 0, "due_ns": start, "ready_ns": start, "waited": []string{"gap"}, "url": 0, "marker": "0123456789ab"})
	l.row(eventlog.KindRequestWritten, start+300e3, alone, map[string]any{"n": 265123})
	l.row(eventlog.KindFirstContent, start+90e6, alone, map[string]any{"class": "text"})
	end, data := l.end(i, start)
	text, err := json.Marshal(end)
	if err != nil {
		l.failed = errors.Join(l.failed, err)
	}
	l.add(eventlog.Event{Kind: eventlog.KindExchangeEnd, AtNs: end.EndNs, Lane: -1, Play: -1, Stream: -1, Turn: -1, Exchange: at.Exchange, Payload: text, Data: data})
	l.row(eventlog.KindEnded, end.EndNs, alone, map[string]any{"at_ns": end.EndNs, "outcome": "ok", "answered": true})
	l.row(eventlog.KindTimerSet, end.EndNs, at, map[string]any{"due_ns": end.EndNs + 2e9, "base_ns": end.EndNs, "gap_ns": 2e9, "why": "gap"})
	l.row(eventlog.KindWake, end.EndNs, Nowhere(), nil)
}

// end is the end of an exchange, and its chunks as a run packs them: 20 ms apart, give or take.
func (l *large) end(i int, start int64) (eventlog.ExchangeEnd, []byte) {
	buffer := eventlog.NewChunkBuffer(New(), func() int64 { return 0 }, 0)
	sink := buffer.Open(0)
	times := make([]int64, 0, max(l.chunks, 2))
	for c := range int64(max(l.chunks, 2)) {
		at := start + 90e6 + c*20e6 + (c*7919+int64(i)*104729)%997*10e3
		times = append(times, at)
		if int(c) < l.chunks {
			sink.Add(eventlog.Chunk{AtNs: at, Class: eventlog.ChunkText, WireBytes: 240 + c%60, TextBytes: 2 + c%7})
		}
	}
	last := times[len(times)-1]
	at := func(value int64) *int64 { return &value }
	tokens := int64(len(times))
	return eventlog.ExchangeEnd{
		Outcome: eventlog.OutcomeOK, RequestID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), Status: 200, Protocol: "HTTP/1.1",
		StartNs: start + 90e3, ConnWaitNs: at(2100), Reused: true, SendStartNs: at(start + 131e3), WrittenNs: at(start + 412e3),
		FirstByteNs: at(start + 80e6), HeadersNs: at(start + 80e6), FirstTokenNs: at(times[0]), FirstTextNs: at(times[0]), SecondTokenNs: at(times[1]),
		LastTokenNs: at(last), LastResponseNs: at(last + 1e6), LastByteNs: at(last + 1e6), EndNs: last + 1e6,
		SentBytes: 265_123, ReceivedBytes: 131_072, Writes: 5, Reads: len(times),
		PromptTokens: 65_123, MarkerTokens: 16, ReachTokens: 64_000, MaxTokens: tokens,
		Chunks: eventlog.ChunkCounts{Role: 1, Text: len(times), Usage: 1, Done: 1}, FinishReasons: []string{"length"}, Done: true, Streamed: true,
		Model: "Qwen/Qwen2.5-7B-Instruct", Usage: &eventlog.Usage{Prompt: at(65_140), Completion: at(tokens), Total: at(65_140 + tokens), CacheRead: at(64_000)},
		OutputTokensLocal: at(tokens), ReasoningTokensLocal: at(0), LocalAddr: "10.20.30.40:51234", RemoteAddr: "10.20.30.41:8000",
	}, sink.End()
}
