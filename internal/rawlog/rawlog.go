// Package rawlog gives requests and answers as they went over the wire, from the log of a run and its
// bundle: answers where the run kept them (--export-level raw), request bodies where there is a bundle.
//
// It promises that nothing is made up: what neither of them holds is left out and named by Missing.
package rawlog

import (
	"encoding/hex"
	"fmt"
	"iter"
	"sync"

	"agentx/corpus/bundle"
	"agentx/eventlog"
	"agentx/internal/audit"
	"agentx/internal/prompt"
	"agentx/internal/view/report"
	"agentx/sched"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
)

// Log is the reader of an event log, as far as it is needed here.
type Log interface {
	Events(filter eventlog.Filter) iter.Seq2[eventlog.Event, error]
	Plan(digest eventlog.Digest) ([]byte, bool, error)
}

// maxBody bounds an unpacked answer: a log is untrusted input. Runs keep at most 64 MiB of one.
const maxBody = 128 << 20

// Source is the raw side of one run. Its methods may be called from several goroutines, and wait for each
// other: a log's reader is for one at a time.
type Source struct {
	mu       sync.Mutex
	log      Log
	requests *audit.Requests // nil without a bundle
	target   sched.CacheBust
	bodies   map[string]eventlog.Seq // the event that holds an answer's body, by digest
	unpacker *zstd.Decoder
	kept     bool // the run kept its answers
	missing  []string
}

// Open looks for what a log keeps of answers. b is the bundle that the run replayed; nil where it was not
// found. The source must be closed.
func Open(log Log, b *bundle.Bundle, config eventlog.RunConfig) (*Source, error) {
	s := &Source{log: log, target: sched.CacheBust(fmt.Sprint(config.Settings["cache-bust"])), bodies: map[string]eventlog.Seq{}}
	level := fmt.Sprint(config.Settings["export-level"])
	s.kept = level == "raw" && !config.Simulated
	if !s.kept {
		why := "the run kept no answers: its --export-level was " + level
		if config.Simulated {
			why = "a simulated run has no answers"
		}
		s.missing = append(s.missing, "request_headers: "+why, "responses: "+why, "response_text: "+why)
	}
	var err error
	if b == nil {
		s.missing = append(s.missing, "payload: the bundle of the run was not found")
	} else if s.requests, err = audit.NewRequests(log, b, config); err != nil {
		return nil, fmt.Errorf("request bodies: %w", err)
	}
	for event, err := range log.Events(eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindRawExchange}}) {
		if err != nil {
			return nil, fmt.Errorf("answers: %w", err)
		}
		if len(event.Data) == 0 {
			continue
		}
		kept, err := eventlog.Decode[eventlog.RawExchange](event)
		if err != nil {
			return nil, err
		}
		if _, known := s.bodies[kept.Body]; !known {
			s.bodies[kept.Body] = event.Seq
		}
	}
	s.unpacker, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
	return s, err
}

// Close gives the source's memory back; the log and the bundle stay open.
func (s *Source) Close() { s.unpacker.Close() }

// Kept says whether the run kept its answers.
func (s *Source) Kept() bool { return s.kept }

// Missing names the fields that cannot be given, each with the reason.
func (s *Source) Missing() []string { return s.missing }

// Texts are the texts of the answers that were kept, by exchange.
func (s *Source) Texts() (map[int64]report.AnswerText, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	texts := map[int64]report.AnswerText{}
	for event, err := range s.log.Events(eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindRawExchange}, NoData: true}) {
		if err != nil {
			return nil, err
		}
		kept, err := eventlog.Decode[eventlog.RawExchange](event)
		if err != nil {
			return nil, err
		}
		body, err := s.body(kept.Body)
		if err != nil {
			return nil, fmt.Errorf("answer of exchange %d: %w", event.Exchange, err)
		}
		if answer := textOf(body, kept.Head); !answer.Empty() {
			texts[event.Exchange] = answer
		}
	}
	return texts, nil
}

// body reads an answer's body by its digest; nil for none.
func (s *Source) body(digest string) ([]byte, error) {
	if digest == "" {
		return nil, nil
	}
	seq, known := s.bodies[digest]
	if !known {
		return nil, fmt.Errorf("no event holds the body %.16s…", digest)
	}
	for event, err := range s.log.Events(eventlog.Filter{From: seq, To: seq}) {
		if err != nil {
			return nil, err
		}
		body, err := s.unpacker.DecodeAll(event.Data, nil)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", seq, err)
		}
		if got := blake3.Sum256(body); hex.EncodeToString(got[:]) != digest {
			return nil, fmt.Errorf("event %d holds a body with the BLAKE3 %x…, expected %.16s…", seq, got[:8], digest)
		}
		return body, nil
	}
	return nil, fmt.Errorf("event %d is not in the log", seq)
}

// Exchanges yields every exchange that ended, in the order of the log. What it yields is valid until the
// next one.
func (s *Source) Exchanges() iter.Seq2[*report.RawExchange, error] {
	return func(yield func(*report.RawExchange, error) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		p := pass{source: s, lists: eventlog.NewChunkLists(), markers: map[int64]string{}, kept: map[int64]eventlog.RawExchange{}}
		for event, err := range s.log.Events(eventlog.Filter{Kinds: passKinds()}) {
			var exchange *report.RawExchange
			if err == nil {
				exchange, err = p.take(event)
			}
			if (exchange != nil || err != nil) && !yield(exchange, err) || err != nil {
				return
			}
		}
	}
}

func passKinds() []eventlog.Kind {
	return []eventlog.Kind{eventlog.KindDispatch, eventlog.KindChunks, eventlog.KindRawExchange, eventlog.KindExchangeEnd}
}

// pass goes through a log and puts exchanges together.
type pass struct {
	source  *Source
	lists   *eventlog.ChunkLists
	markers map[int64]string // digits, of exchanges under way
	kept    map[int64]eventlog.RawExchange
}

// take gives an exchange when its end comes.
func (p *pass) take(event eventlog.Event) (*report.RawExchange, error) {
	switch event.Kind {
	case eventlog.KindDispatch:
		row, err := eventlog.Decode[struct {
			Marker string `json:"marker"`
		}](event)
		p.markers[event.Exchange] = row.Marker
		return nil, err
	case eventlog.KindRawExchange:
		kept, err := eventlog.Decode[eventlog.RawExchange](event)
		p.kept[event.Exchange] = kept
		return nil, err
	}
	chunks, ended, err := p.lists.Feed(event)
	if err != nil || !ended {
		return nil, err
	}
	exchange, err := p.exchange(event.Exchange, chunks)
	if err != nil {
		err = fmt.Errorf("exchange %d: %w", event.Exchange, err)
	}
	delete(p.markers, event.Exchange)
	delete(p.kept, event.Exchange)
	return exchange, err
}

func (p *pass) exchange(id int64, chunks []eventlog.Chunk) (*report.RawExchange, error) {
	s := p.source
	out := &report.RawExchange{Exchange: id, Marker: prompt.Marker(s.target, p.markers[id])}
	if out.Marker != "" {
		out.MarkerTarget = string(s.target)
	}
	var err error
	if s.requests != nil {
		if out.Payload, _, err = s.requests.Body(id); err != nil {
			return nil, err
		}
	}
	kept, known := p.kept[id]
	if !known {
		return out, nil
	}
	body, err := s.body(kept.Body)
	if err != nil {
		return nil, err
	}
	out.Kept, out.RequestHeaders, out.Cut = true, kept.Sent, kept.Cut
	out.ResponseHeaders = headersOf(kept.Head)
	if kept.Masked {
		chunks = nil // bytes do not line up with what came: no stamps rather than wrong ones
	}
	out.Responses = responsesOf(body, kept.Head, chunks)
	return out, nil
}
