package bundle

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// manifestHead is what the first frame of every bundle begins with.
const manifestHead = `{"format":`

// Begins reports whether a file begins as bundles do, whatever follows: recordings may be packed in the same
// way.
func Begins(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	is, _ := begins(file)
	return is && file.Close() == nil
}

// begins looks at the first bytes of the first frame. known is false where they cannot be unpacked.
func begins(file io.ReaderAt) (is, known bool) {
	unpacker, err := zstd.NewReader(io.NewSectionReader(file, 0, 1<<40), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<23))
	if err != nil {
		return false, false
	}
	defer unpacker.Close()
	head := make([]byte, len(manifestHead))
	if _, err := io.ReadFull(unpacker, head); err != nil {
		return false, false
	}
	return string(head) == manifestHead, true
}

// withoutFooter tells a bundle that was cut off from a file of another kind.
func (b *Bundle) withoutFooter() error {
	magic := make([]byte, 4)
	if _, err := b.file.ReadAt(magic, 0); err != nil || string(magic) != "\x28\xb5\x2f\xfd" {
		return &NotABundle{b.path, fmt.Sprintf("its %d bytes do not end with a bundle's footer", b.size)}
	}
	if is, known := begins(b.file); known && !is {
		return &NotABundle{b.path, "it is packed like one and holds something else"}
	}
	return b.damaged("the footer", errors.New("the file begins like a bundle and has no footer at its end; it may be cut off"))
}
