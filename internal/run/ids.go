package run

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/zeebo/blake3"
)

// identity makes the ids that a run's requests and sessions carry: shaped like UUIDv4, each the
// BLAKE3 of (run id, what it names, a counter), so that a fixed --run-id gives the same ids again
// (spec decision 34).
type identity struct{ runID string }

func (i identity) session(stream int64) string   { return i.uuid("session", stream) }
func (i identity) request(exchange int64) string { return i.uuid("request", exchange) }

func (i identity) uuid(kind string, counter int64) string {
	hasher := blake3.New()
	_, _ = hasher.WriteString(i.runID)
	_, _ = hasher.Write([]byte{0})
	_, _ = hasher.WriteString(kind)
	_, _ = hasher.Write([]byte{0})
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], uint64(counter))
	_, _ = hasher.Write(number[:])
	var digest [16]byte
	copy(digest[:], hasher.Sum(nil))
	digest[6] = digest[6]&0x0f | 0x40 // version 4
	digest[8] = digest[8]&0x3f | 0x80 // RFC 9562 variant
	var text [36]byte
	hex.Encode(text[0:8], digest[0:4])
	hex.Encode(text[9:13], digest[4:6])
	hex.Encode(text[14:18], digest[6:8])
	hex.Encode(text[19:23], digest[8:10])
	hex.Encode(text[24:36], digest[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}
