package eventlog

import (
	"encoding/binary"

	"github.com/zeebo/blake3"
)

// Digest is a BLAKE3 digest of 32 bytes.
type Digest [32]byte

// nullLength is the length that stands for NULL in canonical bytes.
const nullLength = 0xFFFF_FFFF

// The canonical bytes of a row are its column values in the order of the table, each a length (u32,
// little-endian) and the bytes: integers 8 bytes, two's complement, little-endian; text UTF-8; blobs
// as they are; NULL the length 0xFFFFFFFF and nothing. docs/event-log.md has a vector.

func appendInt(to []byte, value int64) []byte {
	to = binary.LittleEndian.AppendUint32(to, 8)
	return binary.LittleEndian.AppendUint64(to, uint64(value))
}

func appendBytes(to, value []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(len(value)))
	return append(to, value...)
}

// appendIntOr is NULL where value equals absent.
func appendIntOr(to []byte, value, absent int64) []byte {
	if value == absent {
		return binary.LittleEndian.AppendUint32(to, nullLength)
	}
	return appendInt(to, value)
}

// appendBytesOr is NULL where value is empty: the writer stores no empty payload or data.
func appendBytesOr(to, value []byte) []byte {
	if len(value) == 0 {
		return binary.LittleEndian.AppendUint32(to, nullLength)
	}
	return appendBytes(to, value)
}

// appendEvent appends the canonical bytes of an event's row.
func appendEvent(to []byte, event *Event) []byte {
	to = appendInt(to, int64(event.Seq))
	to = appendInt(to, event.AtNs)
	to = appendInt(to, int64(event.Kind))
	to = appendIntOr(to, event.Lane, None)
	to = appendIntOr(to, event.Play, None)
	to = appendIntOr(to, event.Stream, None)
	to = appendIntOr(to, event.Turn, None)
	to = appendIntOr(to, event.Exchange, None)
	to = appendIntOr(to, int64(event.Cause), 0)
	to = appendBytesOr(to, event.Payload)
	return appendBytesOr(to, event.Data)
}

// appendPlan appends what stands for a plan in the chain: its place and its digest.
func appendPlan(to []byte, before Seq, digest Digest) []byte {
	to = appendInt(to, int64(before))
	return appendBytes(to, digest[:])
}

// genesis is the digest before the first batch: it covers the format and the table kinds.
func genesis(version int, kinds []schemaKind) Digest {
	bytes := appendBytes(nil, []byte("agentx event log"))
	bytes = appendInt(bytes, int64(version))
	for _, kind := range kinds {
		bytes = appendInt(bytes, kind.id)
		bytes = appendBytes(bytes, []byte(kind.name))
	}
	return blake3.Sum256(bytes)
}

// chain is the running state of the digest over batches.
type chain struct {
	previous Digest
	hasher   *blake3.Hasher
	buffer   []byte
}

func newChain(start Digest) *chain {
	c := &chain{previous: start, hasher: blake3.New()}
	c.begin()
	return c
}

func (c *chain) begin() {
	c.hasher.Reset()
	c.buffer = append(c.buffer[:0], c.previous[:]...)
}

// chainFlush is how many canonical bytes are gathered before they are hashed: BLAKE3 is several
// times faster over long stretches.
const chainFlush = 64 << 10

func (c *chain) addEvent(event *Event) {
	c.buffer = appendEvent(c.buffer, event)
	c.flush(chainFlush)
}

func (c *chain) addPlan(before Seq, digest Digest) {
	c.buffer = appendPlan(c.buffer, before, digest)
	c.flush(chainFlush)
}

func (c *chain) flush(limit int) {
	if len(c.buffer) < limit {
		return
	}
	_, _ = c.hasher.Write(c.buffer) // never fails
	c.buffer = c.buffer[:0]
}

// sum is the digest of the batch so far; it changes nothing.
func (c *chain) sum() Digest {
	c.flush(0)
	var digest Digest
	c.hasher.Sum(digest[:0])
	return digest
}

// next goes on to the batch after the one whose digest is given.
func (c *chain) next(digest Digest) {
	c.previous = digest
	c.begin()
}
