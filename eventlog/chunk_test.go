package eventlog

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// chunkGen draws chunks with all the shapes that a server may send.
func chunkGen() *rapid.Generator[Chunk] {
	return rapid.Custom(func(t *rapid.T) Chunk {
		chunk := Chunk{
			AtNs:      rapid.Int64Range(-5, 1<<50).Draw(t, "at"),
			Class:     ChunkClass(rapid.IntRange(1, chunkClasses).Draw(t, "class")),
			WireBytes: rapid.Int64Range(0, 1<<24).Draw(t, "wire"),
			TextBytes: rapid.Int64Range(0, 1<<20).Draw(t, "text"),
			Choice:    rapid.Int64Range(0, 3).Draw(t, "choice"),
			HasTokens: rapid.Bool().Draw(t, "has tokens"),
			Part:      rapid.Bool().Draw(t, "part"),
		}
		if chunk.HasTokens {
			chunk.Tokens = rapid.Int64Range(0, 1<<20).Draw(t, "tokens")
		}
		return chunk
	})
}

// Whatever the order of arrivals, flushes and ends, each exchange gets back exactly its own chunks.
func TestChunksComeBackByExchange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var log recorder
		buffer := NewChunkBuffer(&log, func() int64 { return 7 }, 0)
		want := map[int64][]Chunk{}
		open := map[int64]*ChunkSink{}
		ended := map[int64]bool{}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			exchange := rapid.Int64Range(0, 200).Draw(t, "exchange")
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				if err := buffer.Flush(); err != nil {
					t.Fatal(err)
				}
			case 1:
				if sink := open[exchange]; sink != nil && !ended[exchange] {
					ended[exchange] = true
					log.end(exchange, sink.End())
				}
			default:
				if ended[exchange] {
					continue
				}
				if open[exchange] == nil {
					open[exchange] = buffer.Open(exchange)
				}
				chunk := chunkGen().Draw(t, "chunk")
				open[exchange].Add(chunk)
				want[exchange] = append(want[exchange], chunk)
			}
		}
		if err := buffer.Close(); err != nil {
			t.Fatal(err)
		}
		checkLists(t, log.events, want, ended)
	})
}

func checkLists(t *rapid.T, events []Event, want map[int64][]Chunk, ended map[int64]bool) {
	lists := NewChunkLists()
	for _, event := range events {
		chunks, end, err := lists.Feed(event)
		if err != nil {
			t.Fatal(err)
		}
		if end != (event.Kind == KindExchangeEnd) {
			t.Fatalf("event %+v: ended is %v", event, end)
		}
		if end && !slices.Equal(chunks, want[event.Exchange]) {
			t.Fatalf("exchange %d has chunks %v, want %v", event.Exchange, chunks, want[event.Exchange])
		}
	}
	for exchange, chunks := range want {
		if !ended[exchange] && !slices.Equal(lists.Open()[exchange], chunks) {
			t.Fatalf("open exchange %d has chunks %v, want %v", exchange, lists.Open()[exchange], chunks)
		}
	}
}

// recorder is a log in memory.
type recorder struct{ events []Event }

func (r *recorder) Add(event Event) (Seq, error) {
	event.Seq = Seq(len(r.events) + 1)
	r.events = append(r.events, event.Clone())
	return event.Seq, nil
}

func (r *recorder) end(exchange int64, data []byte) {
	event := New(KindExchangeEnd, 0)
	event.Exchange, event.Data = exchange, data
	_, _ = r.Add(event)
}

func TestChunksAfterEndAreCounted(t *testing.T) {
	buffer := NewChunkBuffer(&recorder{}, func() int64 { return 0 }, 0)
	sink := buffer.Open(1)
	sink.Add(Chunk{AtNs: 5, Class: ChunkText})
	if data := sink.End(); len(data) == 0 {
		t.Error("the waiting chunk is not in the data of End")
	}
	sink.Add(Chunk{AtNs: 6, Class: ChunkText})
	if sink.Late() != 1 {
		t.Errorf("%d chunks came late, want 1", sink.Late())
	}
}

// A fixed vector of the format: documented in docs/event-log.md.
func TestChunkFormatVector(t *testing.T) {
	log := &recorder{}
	buffer := NewChunkBuffer(log, func() int64 { return 0 }, 0)
	a, b := buffer.Open(7), buffer.Open(5)
	a.Add(Chunk{AtNs: 1000, Class: ChunkText, WireBytes: 200, TextBytes: 4})
	b.Add(Chunk{AtNs: 990, Class: ChunkTool, WireBytes: 3, TextBytes: 1, Choice: 1, Tokens: 300, HasTokens: true})
	if err := buffer.Flush(); err != nil {
		t.Fatal(err)
	}
	want := []byte{
		1, 2, 14, 3, // shared form, two slots: exchange 7, then 7 - 2
		0, 0xd0, 0x0f, 3, 0xc8, 0x01, 4, // slot 0, +1000 ns, text, 200 bytes on the wire, 4 of text
		1, 19, 0x34, 3, 1, 1, 0xac, 0x02, // slot 1, -10 ns, tool with choice and tokens, 3, 1, choice 1, 300 tokens
	}
	if got := log.events[0].Data; !slices.Equal(got, want) {
		t.Errorf("the shared blob is % x, want % x", got, want)
	}
	a.Add(Chunk{AtNs: 1500, Class: ChunkDone, WireBytes: 14})
	if got, want := a.End(), []byte{2, 0xb8, 0x17, 6, 14, 0}; !slices.Equal(got, want) {
		t.Errorf("the own blob is % x, want % x", got, want)
	}
}

func TestDamagedChunksAreRefused(t *testing.T) {
	good := []byte{1, 2, 14, 3, 0, 0xd0, 0x0f, 3, 0xc8, 0x01, 4}
	for name, data := range map[string][]byte{
		"wrong form":        {2, 0, 3, 0, 0},
		"cut in an entry":   good[:len(good)-1],
		"cut in the table":  {1, 200},
		"slot out of range": {1, 1, 2, 1, 0, 3, 0, 0},
		"unknown class":     {1, 1, 2, 0, 0, 10, 0, 0},
		"no class":          {1, 1, 2, 0, 0, 0, 0, 0},
		"unknown bit":       {1, 1, 2, 0, 0, 0x83, 0, 0},
		"overlong number":   {1, 1, 2, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 3, 0, 0},
	} {
		event := New(KindChunks, 0)
		event.Data = data
		if err := event.EachChunk(func(int64, Chunk) error { return nil }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
