package watch

import (
	"bytes"
	"fmt"

	"agentx/internal/promtext"

	"github.com/klauspost/compress/zstd"
)

// server is what the last metrics page of an endpoint said. Pages are unpacked when they are shown: of a
// finished log only the last one is.
type server struct {
	page    []byte // as the log has it; nil once it was read
	facts   promtext.Facts
	atNs    int64
	failed  int
	fetches int
	err     string
}

// mostPage bounds an unpacked page: a log is input from outside.
const mostPage = 64 << 20

func (s *server) read() promtext.Facts {
	if len(s.page) == 0 {
		return s.facts
	}
	page, err := unpack(s.page)
	s.page = nil
	if err != nil {
		s.err = fmt.Sprintf("its last page cannot be read: %v", err)
		return s.facts
	}
	parsed, _, _ := promtext.Parse(page) // lines that cannot be read say nothing
	s.facts = parsed.Facts()
	return s.facts
}

// unpack is a page as it was scraped; it is packed as a zstd frame, or not at all.
func unpack(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return data, nil
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostPage))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	return decoder.DecodeAll(data, nil)
}
