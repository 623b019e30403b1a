package bundle

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// newPacker makes the compressor of a writer. The level is the lowest that codes the third plane of
// the start tables, which has few values and no repeats (a seventh of a bundle). No checksums: the index
// has a digest of every frame. A window of 1 MiB suits text that repeats its templates, and bounds the
// memory of every worker.
func newPacker(parallel int) (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(parallel),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20))
}

// newUnpacker makes the decompressor of a reader; it may be used by several goroutines.
func newUnpacker() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(1<<30))
}

// unpack decompresses a frame whose length is known; it takes no more memory than that.
func unpack(unpacker *zstd.Decoder, stored []byte, length uint64) ([]byte, error) {
	data, err := unpacker.DecodeAll(stored, make([]byte, 0, length))
	if err != nil {
		return nil, err
	}
	if uint64(len(data)) != length {
		return nil, fmt.Errorf("unpacks to %d bytes, expected %d", len(data), length)
	}
	return data, nil
}
