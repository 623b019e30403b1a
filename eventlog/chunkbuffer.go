package eventlog

import (
	"encoding/binary"
	"slices"
	"sync"
	"time"
)

const (
	// ChunkFlush is how often the chunks of open exchanges go into the log.
	ChunkFlush = 250 * time.Millisecond
	// chunkLimit is how many chunks wait at most; then they are flushed at once.
	chunkLimit = 65_536
)

// Adder takes events: a Writer.
type Adder interface {
	Add(event Event) (Seq, error)
}

// A ChunkBuffer gathers the chunks of all open exchanges and puts them into the log as one shared
// blob every ChunkFlush. All methods may be called from any goroutine; none waits for the disk.
type ChunkBuffer struct {
	log   Adder
	nowNs func() int64

	mu      sync.Mutex
	arrived []*ChunkSink // one entry for each waiting chunk, in the order of arrival
	live    int          // of these, how many belong to exchanges that have not ended
	err     error        // of the log; what came after it is not kept

	stop chan struct{}
	done chan struct{}
}

// NewChunkBuffer starts a goroutine that flushes every interval, until Close; with interval 0 only
// Flush does. nowNs is the run clock; it stamps the chunks events.
func NewChunkBuffer(log Adder, nowNs func() int64, interval time.Duration) *ChunkBuffer {
	b := &ChunkBuffer{log: log, nowNs: nowNs, stop: make(chan struct{}), done: make(chan struct{})}
	if interval == 0 {
		close(b.done)
		return b
	}
	go b.tick(interval)
	return b
}

func (b *ChunkBuffer) tick(interval time.Duration) {
	defer close(b.done)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			_ = b.Flush() // the log keeps its error, Close returns it
		case <-b.stop:
			return
		}
	}
}

// Close stops the goroutine, waits for it, and flushes what is left of exchanges that have not ended.
func (b *ChunkBuffer) Close() error {
	close(b.stop)
	<-b.done
	return b.Flush()
}

// ChunkSink takes the chunks of one exchange.
type ChunkSink struct {
	buffer   *ChunkBuffer
	exchange int64
	waiting  []Chunk
	flushed  int // of waiting, during a flush
	slot     int // during a flush; -1 outside one
	ended    bool
	late     int64
}

// Open begins an exchange.
func (b *ChunkBuffer) Open(exchange int64) *ChunkSink {
	return &ChunkSink{buffer: b, exchange: exchange, slot: -1}
}

// Add takes chunks that arrived together. After End they are only counted: see Late.
func (s *ChunkSink) Add(chunks ...Chunk) {
	s.buffer.mu.Lock()
	defer s.buffer.mu.Unlock()
	if s.ended {
		s.late += int64(len(chunks))
		return
	}
	s.waiting = slices.Grow(s.waiting, len(chunks))
	for i := range chunks {
		s.waiting = append(s.waiting, chunks[i])
		s.buffer.arrived = append(s.buffer.arrived, s)
		s.buffer.live++
		if len(s.buffer.arrived) >= chunkLimit {
			s.buffer.flush()
		}
	}
}

// End gives the chunks that no flush has taken, as the Data of the exchange_end event (nil: none). The
// event must be added after End; the chunks that were flushed are in the log before it.
func (s *ChunkSink) End() []byte {
	s.buffer.mu.Lock()
	defer s.buffer.mu.Unlock()
	s.ended = true
	data := encodeOwn(s.waiting)
	s.buffer.live -= len(s.waiting)
	s.waiting = nil
	return data
}

// Late is how many chunks came after End.
func (s *ChunkSink) Late() int64 {
	s.buffer.mu.Lock()
	defer s.buffer.mu.Unlock()
	return s.late
}

// Flush adds a chunks event with all that waits; with nothing waiting it does nothing. The error is
// the log's first refusal; it stays.
func (b *ChunkBuffer) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flush()
	return b.err
}

// flush holds the lock until the event is added, so that no exchange_end can come before it.
func (b *ChunkBuffer) flush() {
	if b.live > 0 && b.err == nil {
		event := New(KindChunks, b.nowNs())
		event.Data = b.encode()
		_, b.err = b.log.Add(event)
	}
	for i, sink := range b.arrived {
		sink.waiting, sink.flushed, sink.slot = sink.waiting[:0], 0, -1
		b.arrived[i] = nil
	}
	b.arrived, b.live = b.arrived[:0], 0
}

// encode gives slots in the order of first arrival. A chunk that arrived out of order, by the clock,
// keeps its place: differences may be negative.
func (b *ChunkBuffer) encode() []byte {
	var sinks []*ChunkSink
	for _, sink := range b.arrived {
		if !sink.ended && sink.slot < 0 {
			sink.slot = len(sinks)
			sinks = append(sinks, sink)
		}
	}
	encoder := chunkEncoder{bytes: make([]byte, 1, 16+4*len(sinks)+10*b.live)}
	encoder.bytes[0] = formShared
	encoder.bytes = binary.AppendUvarint(encoder.bytes, uint64(len(sinks)))
	before := int64(0)
	for _, sink := range sinks {
		encoder.bytes = binary.AppendVarint(encoder.bytes, sink.exchange-before)
		before = sink.exchange
	}
	for _, sink := range b.arrived {
		if sink.ended {
			continue
		}
		encoder.bytes = binary.AppendUvarint(encoder.bytes, uint64(sink.slot))
		encoder.add(&sink.waiting[sink.flushed])
		sink.flushed++
	}
	return encoder.bytes
}
