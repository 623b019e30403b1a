// Package logtest makes small event logs in memory for the tests of what reads logs. It promises the
// same rows as a run writes, nothing more: no clock, no disk.
package logtest

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"agentx/corpus"
	"agentx/eventlog"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
)

// Log is an event log in memory.
type Log struct {
	rows   []eventlog.Event
	plans  map[eventlog.Digest][]byte
	chunks *eventlog.ChunkBuffer
	nowNs  int64
}

// New is an empty log.
func New() *Log {
	log := &Log{plans: map[eventlog.Digest][]byte{}}
	log.chunks = eventlog.NewChunkBuffer(log, func() int64 { return log.nowNs }, 0)
	return log
}

// Add appends an event and numbers it.
func (l *Log) Add(event eventlog.Event) (eventlog.Seq, error) {
	event = event.Clone()
	event.Seq = eventlog.Seq(len(l.rows) + 1)
	if len(event.Data) == 0 {
		event.Data = nil
	}
	l.rows = append(l.rows, event)
	l.nowNs = max(l.nowNs, event.AtNs)
	return event.Seq, nil
}

// Events gives the rows that a filter chooses, as eventlog.Reader does.
func (l *Log) Events(filter eventlog.Filter) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for _, event := range l.rows {
			if len(filter.Kinds) > 0 && !slices.Contains(filter.Kinds, event.Kind) {
				continue
			}
			if filter.NoData {
				event.Data = nil
			}
			if !yield(event, nil) {
				return
			}
		}
	}
}

// Plan gives a plan frame.
func (l *Log) Plan(digest eventlog.Digest) ([]byte, bool, error) {
	frame, ok := l.plans[digest]
	return frame, ok, nil
}

// Cut is the log as a kill after so many rows leaves it.
func (l *Log) Cut(rows int) *Log {
	return &Log{rows: l.rows[:min(rows, len(l.rows))], plans: l.plans}
}

// Len is the number of rows.
func (l *Log) Len() int { return len(l.rows) }

// Rows are the events, for tests that change one.
func (l *Log) Rows() []eventlog.Event { return l.rows }

// At is where a row belongs; -1 for none.
type At struct{ Lane, Play, Stream, Turn, Exchange int64 }

// Nowhere is the At of rows about the whole run.
func Nowhere() At { return At{-1, -1, -1, -1, -1} }

// Row appends a row with a payload; payload may be a map.
func (l *Log) Row(kind eventlog.Kind, ns int64, at At, payload any) {
	text, err := json.Marshal(payload)
	if err != nil {
		panic(fmt.Sprintf("a test payload: %v", err))
	}
	l.add(kind, ns, at, text, nil)
}

func (l *Log) add(kind eventlog.Kind, ns int64, at At, payload, data []byte) {
	_, _ = l.Add(eventlog.Event{ // never fails
		AtNs: ns, Kind: kind, Lane: at.Lane, Play: at.Play, Stream: at.Stream, Turn: at.Turn, Exchange: at.Exchange,
		Payload: payload, Data: data,
	})
}

// Trace introduces a trace with its plan.
func (l *Log) Trace(ns int64, number int, plan *corpus.Plan) {
	frame, err := json.Marshal(plan)
	if err != nil {
		panic(fmt.Sprintf("a test plan: %v", err))
	}
	digest := eventlog.Digest(blake3.Sum256(frame))
	l.plans[digest] = frame
	sent := make([]string, len(plan.Models))
	for i := range sent {
		sent[i] = "served"
	}
	l.Row(eventlog.KindModelMap, ns, Nowhere(), eventlog.ModelMap{
		Plan: number, Trace: string(plan.Trace), Digest: fmt.Sprintf("%x", digest[:]), Recorded: plan.Models, Sent: sent,
	})
}

// Scrape appends a metrics page of a server, packed as a run packs it.
func (l *Log) Scrape(ns int64, url, page string) {
	payload, err := json.Marshal(eventlog.ServerSample{URL: url, FetchNs: 2e6, Status: 200})
	if err != nil {
		panic(fmt.Sprintf("a test payload: %v", err))
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		panic(fmt.Sprintf("a test page: %v", err))
	}
	at := Nowhere()
	l.add(eventlog.KindServerSample, ns, at, payload, encoder.EncodeAll([]byte(page), nil))
}
