package run

import (
	"errors"
	"sync"
	"time"

	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/sched"
	"agentx/wire"
)

// chunkFlush is how often the chunks of open exchanges go into the log.
const chunkFlush = 250 * time.Millisecond

// journal writes the run's events. Exchanges log from their own goroutines and cannot stop the run
// themselves; the first refusal of the log is kept and ends the loop.
type journal struct {
	writer  *eventlog.Writer
	encoder *schedlog.Encoder // of the loop's goroutine
	chunks  *eventlog.ChunkBuffer
	clock   *clock
	status  *status
	refused chan struct{} // closed at the first refusal
	once    sync.Once
	err     error
}

func newJournal(writer *eventlog.Writer, machine sched.Config, clock *clock, status *status) *journal {
	return &journal{
		writer:  writer,
		encoder: schedlog.NewEncoder(machine),
		chunks:  eventlog.NewChunkBuffer(writer, clock.Now, chunkFlush),
		clock:   clock,
		status:  status,
		refused: make(chan struct{}),
	}
}

// Failed is closed when the log has refused an event or cannot be written.
func (j *journal) Failed() <-chan struct{} { return j.refused }

// watch carries a failure of the disk over to Failed; it returns when stop is closed.
func (j *journal) watch(stop <-chan struct{}) {
	select {
	case <-j.writer.Failed():
		j.refuse(j.writer.Err())
	case <-stop:
	}
}

func (j *journal) refuse(err error) {
	j.once.Do(func() {
		j.err = err
		close(j.refused)
	})
}

// Err is the first refusal; it may be called once Failed is closed.
func (j *journal) Err() error { return j.err }

// add logs an event; a refusal ends the run.
func (j *journal) add(event eventlog.Event, err error) eventlog.Seq {
	var seq eventlog.Seq
	if err == nil {
		seq, err = j.writer.Add(event)
	}
	if err != nil {
		j.refuse(err)
	}
	return seq
}

// Step logs what the machine was told and what it decided, and hands each decision that is logged to act.
func (j *journal) Step(now int64, input sched.Input, events []sched.Event, act func(*sched.Event)) error {
	return j.encoder.Encode(now, input, events, j.writer.Add, act)
}

// Log adds an event of the run itself.
func (j *journal) Log(kind eventlog.Kind, payload any) {
	j.add(eventlog.NewPayload(kind, j.clock.Now(), payload))
}

// Notice tells the log what the user was told.
func (j *journal) Notice(level, code, text string, facts map[string]any) {
	j.Log(eventlog.KindNotice, eventlog.Notice{Level: level, Code: code, Text: text, Facts: facts})
}

// StreamNames logs the session ids of a stream.
func (j *journal) StreamNames(now int64, opened *sched.Event, names eventlog.StreamNames) {
	event, err := eventlog.NewPayload(eventlog.KindStreamNames, now, names)
	event.Stream = int64(opened.Stream)
	j.add(event, err)
}

// exchangeEvent logs a fact of one exchange.
func (j *journal) exchangeEvent(kind eventlog.Kind, at, exchange int64, payload any) {
	event, err := eventlog.NewPayload(kind, at, payload)
	event.Exchange = exchange
	j.add(event, err)
}

// LateEnd logs the real end of an exchange that the machine had been told was abandoned.
func (j *journal) LateEnd(now int64, exchange sched.ExchangeID) {
	event := eventlog.New(eventlog.KindLateEnd, now)
	event.Exchange = int64(exchange)
	j.add(event, nil)
}

// ExchangeEnd logs an exchange's whole result with the chunks that no flush has taken.
func (j *journal) ExchangeEnd(item *finished) {
	event, err := eventlog.NewPayload(eventlog.KindExchangeEnd, item.end.EndNs, item.end)
	event.Exchange = item.exchange
	event.Data = item.chunks
	j.add(event, err)
	j.status.result(item.phase, sched.ExchangeID(item.exchange), &item.end)
}

// Hooks log what an exchange sees while it is under way.
func (j *journal) Hooks(x *exchange, inputs chan<- sched.Input, slots bool) wire.Hooks {
	id := int64(x.id)
	x.chunks = j.chunks.Open(id)
	return wire.Hooks{
		Written: func(at, bodyBytes int64) {
			j.exchangeEvent(eventlog.KindRequestWritten, at, id, eventlog.RequestWritten{Bytes: bodyBytes})
		},
		FirstContent: func(at int64, class wire.ChunkClass) {
			j.exchangeEvent(eventlog.KindFirstContent, at, id, eventlog.FirstContent{Class: class.String()})
			if slots {
				inputs <- sched.FirstToken(x.id, at)
			}
		},
		Chunks: func(batch []wire.Chunk) {
			for len(batch) > 0 {
				var logged [chunksAtOnce]eventlog.Chunk
				n := min(len(batch), chunksAtOnce)
				for i := range n {
					logged[i] = logChunk(&batch[i])
				}
				x.chunks.Add(logged[:n]...)
				batch = batch[n:]
			}
		},
	}
}

// chunksAtOnce is how many chunks of one read are handed to the log together.
const chunksAtOnce = 32

func logChunk(chunk *wire.Chunk) eventlog.Chunk {
	return eventlog.Chunk{
		AtNs:      chunk.At,
		Class:     eventlog.ChunkClass(chunk.Class),
		WireBytes: int64(chunk.WireBytes),
		TextBytes: int64(chunk.TextBytes),
		Choice:    int64(chunk.Choice),
		Part:      chunk.Part,
		Tokens:    int64(max(chunk.Completion, 0)),
		HasTokens: chunk.Completion >= 0,
	}
}

// close flushes the chunks, ends the log with its last event and closes it.
func (j *journal) close(end eventlog.RunEnd) error {
	flushed := j.chunks.Close()
	j.Log(eventlog.KindAnchor, eventlog.Anchor{WallNs: j.clock.Wall(), Why: "end"})
	j.Log(eventlog.KindRunEnd, end)
	return errors.Join(flushed, j.writer.Close())
}
