package promtext

import (
	"bytes"

	"github.com/klauspost/compress/zstd"
)

// Unpack gives a page as it was scraped, from the form in which a log keeps it: a zstd frame, or the page
// itself. At most MaxPage bytes are unpacked: a log is input from outside.
func Unpack(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return data, nil
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxPage))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	return decoder.DecodeAll(data, nil)
}
