package eventlog

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ChunkClass says what a streamed piece carried. Numbers are part of the file format.
type ChunkClass uint8

// The classes.
const (
	ChunkRole ChunkClass = iota + 1
	ChunkReasoning
	ChunkText
	ChunkTool
	ChunkUsage
	ChunkDone
	ChunkKeepAlive
	ChunkError
	ChunkOther
)

// chunkClasses is how many there are.
const chunkClasses = int(ChunkOther)

// String is the name of the class as docs/event-log.md has it.
func (class ChunkClass) String() string {
	names := [chunkClasses]string{"role", "reasoning", "text", "tool", "usage", "done", "keep_alive", "error", "other"}
	if class == 0 || class > ChunkOther {
		return fmt.Sprintf("class_%d", uint8(class))
	}
	return names[class-1]
}

// Chunk is one streamed piece of an answer.
type Chunk struct {
	AtNs      int64 // arrival at the socket, since run start
	Class     ChunkClass
	WireBytes int64 // of the event on the wire
	TextBytes int64 // of the visible, reasoning or tool text in it
	Choice    int64 // index of the choice; mostly 0
	Tokens    int64 // running completion tokens; only with HasTokens
	HasTokens bool
	// Part marks a further kind of content of the same choice and stream event as the chunk before.
	Part bool
}

// A blob of chunks begins with its form and goes on with entries; in the shared form a table of the
// exchanges comes first and each entry begins with its slot in the table.
const (
	formShared byte = 1 // data of a chunks event
	formOwn    byte = 2 // data of an exchange_end event
)

// The class byte: four bits of class, and what follows the entry.
const (
	classMask      = 0x0f
	classHasChoice = 0x10
	classHasTokens = 0x20
	classPart      = 0x40
)

// chunkEncoder appends entries; the difference of the first is counted from 0.
type chunkEncoder struct {
	bytes []byte
	atNs  int64
}

func (e *chunkEncoder) add(chunk *Chunk) {
	e.bytes = binary.AppendVarint(e.bytes, chunk.AtNs-e.atNs)
	e.atNs = chunk.AtNs
	class := byte(chunk.Class)
	if chunk.Choice != 0 {
		class |= classHasChoice
	}
	if chunk.HasTokens {
		class |= classHasTokens
	}
	if chunk.Part {
		class |= classPart
	}
	e.bytes = append(e.bytes, class)
	e.bytes = binary.AppendUvarint(e.bytes, uint64(chunk.WireBytes))
	e.bytes = binary.AppendUvarint(e.bytes, uint64(chunk.TextBytes))
	if chunk.Choice != 0 {
		e.bytes = binary.AppendUvarint(e.bytes, uint64(chunk.Choice))
	}
	if chunk.HasTokens {
		e.bytes = binary.AppendUvarint(e.bytes, uint64(chunk.Tokens))
	}
}

// encodeOwn is the data of an exchange_end event; nil for no chunks.
func encodeOwn(chunks []Chunk) []byte {
	if len(chunks) == 0 {
		return nil
	}
	encoder := chunkEncoder{bytes: make([]byte, 1, 8+len(chunks)*9)}
	encoder.bytes[0] = formOwn
	for i := range chunks {
		encoder.add(&chunks[i])
	}
	return encoder.bytes
}

// EachChunk calls each for every chunk in the data of a chunks or exchange_end event, in the order of
// arrival, and stops at its error. Other kinds have none. An error names the event and the byte.
func (event Event) EachChunk(each func(exchange int64, chunk Chunk) error) error {
	if len(event.Data) == 0 || (event.Kind != KindChunks && event.Kind != KindExchangeEnd) {
		return nil
	}
	decoder := chunkDecoder{rest: event.Data}
	err := decoder.decode(event.Exchange, event.Kind == KindChunks, each)
	if err != nil {
		return fmt.Errorf("event %d (%v): chunks: byte %d of %d: %w",
			event.Seq, event.Kind, len(event.Data)-len(decoder.rest), len(event.Data), err)
	}
	return nil
}

// chunkDecoder reads a blob; it trusts nothing in it.
type chunkDecoder struct {
	rest []byte
	err  error
}

var (
	errChunkCut   = errors.New("the blob ends inside an entry, or a number is too long")
	errChunkClass = errors.New("unknown class byte")
)

func (d *chunkDecoder) decode(exchange int64, shared bool, each func(int64, Chunk) error) error {
	form := d.byte()
	if shared != (form == formShared) || (form != formShared && form != formOwn) {
		return fmt.Errorf("unknown form %d", form)
	}
	var slots []int64
	if shared {
		slots = d.slots()
	}
	for atNs := int64(0); d.err == nil && len(d.rest) > 0; {
		if shared {
			slot := d.uvarint()
			if d.err == nil && slot >= int64(len(slots)) {
				return fmt.Errorf("slot %d of %d", slot, len(slots))
			}
			if d.err == nil {
				exchange = slots[slot]
			}
		}
		chunk := d.entry(atNs)
		atNs = chunk.AtNs
		if d.err == nil {
			if err := each(exchange, chunk); err != nil {
				return err
			}
		}
	}
	return d.err
}

// slots reads the table of exchanges: their count, then each as the difference to the one before.
func (d *chunkDecoder) slots() []int64 {
	count := d.uvarint()
	if count > int64(len(d.rest)) { // each takes a byte at least
		d.err = errChunkCut
		return nil
	}
	slots := make([]int64, count)
	exchange := int64(0)
	for i := range slots {
		exchange += d.varint()
		slots[i] = exchange
	}
	return slots
}

func (d *chunkDecoder) entry(before int64) Chunk {
	chunk := Chunk{AtNs: before + d.varint()}
	class := d.byte()
	chunk.Class, chunk.Part = ChunkClass(class&classMask), class&classPart != 0
	if d.err == nil && (chunk.Class == 0 || chunk.Class > ChunkOther || class&^(classMask|classHasChoice|classHasTokens|classPart) != 0) {
		d.err = errChunkClass
	}
	chunk.WireBytes = d.uvarint()
	chunk.TextBytes = d.uvarint()
	if class&classHasChoice != 0 {
		chunk.Choice = d.uvarint()
	}
	if class&classHasTokens != 0 {
		chunk.HasTokens, chunk.Tokens = true, d.uvarint()
	}
	return chunk
}

func (d *chunkDecoder) byte() byte {
	if d.err != nil || len(d.rest) == 0 {
		d.cut()
		return 0
	}
	value := d.rest[0]
	d.rest = d.rest[1:]
	return value
}

// uvarint reads a number below 2^63.
func (d *chunkDecoder) uvarint() int64 {
	value, n := binary.Uvarint(d.rest)
	if d.err != nil || n <= 0 || value > 1<<63-1 {
		d.cut()
		return 0
	}
	d.rest = d.rest[n:]
	return int64(value)
}

func (d *chunkDecoder) varint() int64 {
	value, n := binary.Varint(d.rest)
	if d.err != nil || n <= 0 {
		d.cut()
		return 0
	}
	d.rest = d.rest[n:]
	return value
}

func (d *chunkDecoder) cut() {
	if d.err == nil {
		d.err = errChunkCut
	}
}
