package weka

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
)

// maxText bounds the text of one trace, in bytes.
const maxText = 1 << 30

// input is a file being read from start to end: unpacked text on one side, the BLAKE3 of the stored
// bytes on the other.
type input struct {
	stored  *bufio.Reader // of the stored bytes
	size    int64         // stored bytes read
	hasher  *blake3.Hasher
	text    *bufio.Reader // unpacked, without byte order mark
	skipped int64         // bytes of the byte order mark
	packed  bool
	isRows  bool  // Parquet: text holds the file's bytes
	broken  error // the file cannot be unpacked
	closes  []func() error
}

// errNoStdin says that Settings.Stdin is missing.
var errNoStdin = errors.New("the standard input is not given")

// openInput opens a source. Its text begins behind a byte order mark.
func openInput(source Source, stdin io.Reader) (*input, error) {
	in := &input{hasher: blake3.New()}
	var raw io.Reader
	if source.Path == Stdin {
		if stdin == nil {
			return nil, errNoStdin
		}
		raw = stdin
	} else {
		file, err := os.Open(source.Path)
		if err != nil {
			return nil, err
		}
		in.closes = append(in.closes, file.Close)
		raw = file
	}
	in.stored = bufio.NewReaderSize(io.TeeReader(raw, in), 1<<17)
	head, err := in.stored.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, in.close())
	}
	in.broken = in.unpack(sniff(head))
	return in, nil
}

// Write takes note of stored bytes as they are read.
func (in *input) Write(stored []byte) (int, error) {
	in.size += int64(len(stored))
	return in.hasher.Write(stored)
}

// unpack sets text according to the stored form.
func (in *input) unpack(stored form) error {
	in.text = in.stored
	switch stored {
	case formGzip:
		unpacker, err := gzip.NewReader(in.stored)
		if err != nil {
			return fmt.Errorf("gzip: %w", err)
		}
		in.text, in.packed = bufio.NewReaderSize(unpacker, 1<<17), true
	case formZstd:
		unpacker, err := zstd.NewReader(in.stored, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxText))
		if err != nil {
			return fmt.Errorf("zstd: %w", err)
		}
		in.closes = append(in.closes, func() error { unpacker.Close(); return nil })
		in.text, in.packed = bufio.NewReaderSize(unpacker, 1<<17), true
	}
	head, err := in.text.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	in.isRows = sniff(head) == formParquet
	if bytes.HasPrefix(head, bom) {
		in.skipped = int64(len(bom))
		_, err = in.text.Discard(len(bom))
		return err
	}
	return nil
}

// digest reads what is left of the file and gives the BLAKE3 and the number of all its stored bytes.
func (in *input) digest() (sum [32]byte, size int64, err error) {
	if _, err := io.Copy(io.Discard, in.stored); err != nil {
		return sum, in.size, err
	}
	copy(sum[:], in.hasher.Sum(nil))
	return sum, in.size, nil
}

func (in *input) close() error {
	var failed []error
	for i := len(in.closes) - 1; i >= 0; i-- {
		failed = append(failed, in.closes[i]())
	}
	return errors.Join(failed...)
}

// errTooLong says that a trace is larger than any that can be held.
var errTooLong = fmt.Errorf("is longer than %d bytes, the most that one trace may take", maxText)

// lines reads a text by lines.
type lines struct {
	text   *bufio.Reader
	number int   // of the line read last, from 1
	at     int64 // byte after it
	buffer []byte
}

// next reads the next line that is not blank, with its end; the slice is valid until the next call.
// start is the offset of its first byte. At the end err is io.EOF.
func (l *lines) next() (line []byte, start int64, err error) {
	for {
		start = l.at
		l.buffer = l.buffer[:0]
		err := l.append()
		if err != nil {
			return nil, start, err
		}
		if len(bytes.TrimLeft(l.buffer, " \t\r\n")) > 0 {
			return l.buffer, start, nil
		}
	}
}

// append reads one line to the end of the buffer; io.EOF when there is none.
func (l *lines) append() error {
	for {
		piece, err := l.text.ReadSlice('\n')
		l.buffer = append(l.buffer, piece...)
		l.at += int64(len(piece))
		switch {
		case len(l.buffer) > maxText:
			return errTooLong
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(l.buffer) > 0:
			l.number++
			return nil
		case err != nil:
			return err
		}
		l.number++
		return nil
	}
}
