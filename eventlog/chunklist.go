package eventlog

import "maps"

// ChunkLists puts the chunks of exchanges together again from a scan over the log.
type ChunkLists struct {
	open map[int64][]Chunk
}

// NewChunkLists is ready to be fed with the chunks and exchange_end events of a log, in order.
func NewChunkLists() *ChunkLists { return &ChunkLists{open: map[int64][]Chunk{}} }

// Feed takes the next event. For an exchange_end it gives the exchange's whole list, in the order of
// arrival, and forgets it; ended is false for other kinds.
func (lists *ChunkLists) Feed(event Event) (chunks []Chunk, ended bool, err error) {
	err = event.EachChunk(func(exchange int64, chunk Chunk) error {
		lists.open[exchange] = append(lists.open[exchange], chunk)
		return nil
	})
	if err != nil || event.Kind != KindExchangeEnd {
		return nil, false, err
	}
	chunks = lists.open[event.Exchange]
	delete(lists.open, event.Exchange)
	return chunks, true, nil
}

// Open gives the lists of exchanges without an end: after the last event of an interrupted log, the
// requests that were in flight.
func (lists *ChunkLists) Open() map[int64][]Chunk { return maps.Clone(lists.open) }

// Chunks gives the chunk list of one exchange, in the order of arrival, by a scan over the chunk
// blobs up to its end. For many exchanges feed ChunkLists in one scan instead.
func (r *Reader) Chunks(exchange int64) ([]Chunk, error) {
	var chunks []Chunk
	for event, err := range r.Events(Filter{Kinds: []Kind{KindChunks, KindExchangeEnd}}) {
		if err != nil {
			return nil, err
		}
		if event.Kind == KindExchangeEnd && event.Exchange != exchange {
			continue
		}
		err = event.EachChunk(func(of int64, chunk Chunk) error {
			if of == exchange {
				chunks = append(chunks, chunk)
			}
			return nil
		})
		if err != nil || event.Kind == KindExchangeEnd {
			return chunks, err
		}
	}
	return chunks, nil
}
