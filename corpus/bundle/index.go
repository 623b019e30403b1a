package bundle

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/blake3"
)

// frame is an entry of the index.
type frame struct {
	kind   frameKind
	offset uint64
	stored uint64 // bytes in the file
	length uint64 // bytes unpacked
	digest Digest // of the bytes in the file
}

const (
	entrySize  = 1 + 3*8 + 32
	footerSize = 64
	headerSize = 8          // magic and size of the skippable frame
	skipMagic  = 0x184D2A5E // one of zstd's sixteen magics of skippable frames
	magic      = "agentx\x00B"
)

// The footer, whose layout no later format changes, so that a newer bundle can be told from a damaged
// one: digest of everything from the skippable frame's header to the file's end but these 32 bytes;
// offset of the skippable frame; length of the index; format; zero; magic.
type footer struct {
	digest Digest
	offset uint64
	length uint64 // of the index, without header and footer
	format uint32
}

// appendIndex appends the skippable frame that closes the file and that begins at byte offset.
func appendIndex(dst []byte, offset uint64, frames []frame, content, key Digest) []byte {
	payload := make([]byte, 0, 4+len(frames)*entrySize+64)
	payload = binary.LittleEndian.AppendUint32(payload, uint32(len(frames)))
	for i := range frames {
		f := &frames[i]
		payload = append(payload, byte(f.kind))
		payload = binary.LittleEndian.AppendUint64(payload, f.offset)
		payload = binary.LittleEndian.AppendUint64(payload, f.stored)
		payload = binary.LittleEndian.AppendUint64(payload, f.length)
		payload = append(payload, f.digest[:]...)
	}
	payload = append(payload, content[:]...)
	payload = append(payload, key[:]...)

	from := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, skipMagic)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)+footerSize))
	dst = append(dst, payload...)
	var tail []byte
	tail = binary.LittleEndian.AppendUint64(tail, offset)
	tail = binary.LittleEndian.AppendUint64(tail, uint64(len(payload)))
	tail = binary.LittleEndian.AppendUint32(tail, Format)
	tail = binary.LittleEndian.AppendUint32(tail, 0)
	tail = append(tail, magic...)
	digest := closingDigest(dst[from:], tail)
	dst = append(dst, digest[:]...)
	return append(dst, tail...)
}

// closingDigest covers header, index and the rest of the footer.
func closingDigest(headerAndIndex, tail []byte) Digest {
	hasher := blake3.New()
	hasher.Write(headerAndIndex)
	hasher.Write(tail)
	var digest Digest
	hasher.Sum(digest[:0])
	return digest
}

// readFooter reads the last footerSize bytes of a file.
func readFooter(data []byte) (footer, bool) {
	var f footer
	if string(data[footerSize-len(magic):]) != magic {
		return f, false
	}
	copy(f.digest[:], data)
	f.offset = binary.LittleEndian.Uint64(data[32:])
	f.length = binary.LittleEndian.Uint64(data[40:])
	f.format = binary.LittleEndian.Uint32(data[48:])
	return f, true
}

// readIndex reads the index and checks that its frames tile the file up to it.
func readIndex(payload []byte, end uint64) (frames []frame, content, key Digest, err error) {
	if len(payload) < 4+64 {
		return nil, content, key, fmt.Errorf("%d bytes are too few", len(payload))
	}
	count := uint64(binary.LittleEndian.Uint32(payload))
	if want := 4 + count*entrySize + 64; uint64(len(payload)) != want {
		return nil, content, key, fmt.Errorf("%d bytes for %d frames, expected %d", len(payload), count, want)
	}
	frames = make([]frame, count)
	at, rest := uint64(0), payload[4:]
	for i := range frames {
		f := &frames[i]
		f.kind = frameKind(rest[0])
		f.offset = binary.LittleEndian.Uint64(rest[1:])
		f.stored = binary.LittleEndian.Uint64(rest[9:])
		f.length = binary.LittleEndian.Uint64(rest[17:])
		copy(f.digest[:], rest[25:])
		rest = rest[entrySize:]
		if f.offset != at || f.stored > end-at {
			return nil, content, key, fmt.Errorf("frame %d does not follow the one before it", i)
		}
		if f.length > f.kind.maxLength() {
			return nil, content, key, fmt.Errorf("frame %d unpacks to %d bytes, at most %d are read", i, f.length, f.kind.maxLength())
		}
		at += f.stored
	}
	if at != end {
		return nil, content, key, fmt.Errorf("the frames end at byte %d, the index begins at %d", at, end)
	}
	copy(content[:], rest)
	copy(key[:], rest[32:])
	return frames, content, key, nil
}
