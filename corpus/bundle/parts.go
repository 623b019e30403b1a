package bundle

import (
	"fmt"
	"io"
)

// Part is a stretch of a bundle's file. The parts of some traces, with the shared ones, are a bundle of
// which only those traces can be read: OpenParts.
type Part struct {
	Offset int64
	Bytes  []byte
}

// SharedParts gives what opening a bundle and reading any text takes: the manifest, the filler, the index.
// Tokenizer and chat template are left out.
func (b *Bundle) SharedParts() ([]Part, error) {
	last := &b.frames[len(b.frames)-1]
	index := last.offset + last.stored
	tail, err := b.part(index, uint64(b.size)-index)
	if err != nil {
		return nil, err
	}
	parts := []Part{tail}
	for number, kind := range sharedKinds(false) {
		if kind == kindTokenizer {
			continue
		}
		part, err := b.part(b.frames[number].offset, b.frames[number].stored)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// TraceParts gives what a trace takes beside the shared parts: its plan and its text.
func (b *Bundle) TraceParts(trace int) ([]Part, error) {
	plan, text := &b.frames[b.planFrame(trace)], &b.frames[b.planFrame(trace)+1]
	part, err := b.part(plan.offset, plan.stored+text.stored) // text follows plan
	return []Part{part}, err
}

func (b *Bundle) part(offset, length uint64) (Part, error) {
	part := Part{Offset: int64(offset), Bytes: make([]byte, length)}
	if _, err := b.file.ReadAt(part.Bytes, part.Offset); err != nil {
		return Part{}, fmt.Errorf("reading %s: %w", b.path, err)
	}
	return part, nil
}

// OpenParts opens a bundle of size bytes of which only some parts are at hand; reading what lies elsewhere
// gives the error of parts. name stands for it in errors.
func OpenParts(name string, size int64, parts io.ReaderAt) (*Bundle, error) {
	return openFile(name, unclosed{parts}, size)
}

// unclosed is a file that somebody else closes.
type unclosed struct{ io.ReaderAt }

func (unclosed) Close() error { return nil }
