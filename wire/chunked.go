package wire

import (
	"bytes"
	"math"
)

// maxChunkLine bounds a chunk's size line and a trailer line.
const maxChunkLine = 4096

// maxTrailer bounds the trailers together.
const maxTrailer = 64 << 10

// maxOverhead is what a chunk's size line may take besides twice the chunk's size, maxExcess how much
// more all of them may take together: a body of extensions is no body.
const (
	maxOverhead = 16
	maxExcess   = 16 << 10
)

type chunkState uint8

const (
	chunkSize chunkState = iota
	chunkData
	chunkEnd // the CR LF after a chunk's data
	chunkTrailer
	chunkDone
)

// chunkDecoder takes the chunk framing off a body as its bytes come: it hands out what has arrived of a
// chunk without waiting for the rest.
type chunkDecoder struct {
	state   chunkState
	left    int64  // bytes of the chunk under way
	line    []byte // beginning of a line that the bytes before cut off
	trailer int    // bytes of trailers
	excess  int64  // bytes of framing above what chunks of their sizes need
}

func (d *chunkDecoder) reset() { *d = chunkDecoder{line: d.line[:0]} }

// next takes bytes off input until it has some of the body, or all of input. data is a part of input.
func (d *chunkDecoder) next(input []byte) (data, rest []byte, err error) {
	for len(input) > 0 && d.state != chunkDone {
		if d.state == chunkData {
			n := int(min(d.left, int64(len(input))))
			data, input = input[:n], input[n:]
			if d.left -= int64(n); d.left == 0 {
				d.state = chunkEnd
			}
			return data, input, nil
		}
		var line []byte
		var whole bool
		line, input, whole, err = d.cut(input)
		if err != nil || !whole {
			return nil, input, err
		}
		if err := d.step(line); err != nil {
			return nil, input, err
		}
	}
	return nil, input, nil
}

// cut takes one line off input, or keeps its beginning for later.
func (d *chunkDecoder) cut(input []byte) (line, rest []byte, whole bool, err error) {
	feed := bytes.IndexByte(input, '\n')
	n := feed + 1
	if feed < 0 {
		n = len(input)
	}
	if len(d.line)+n > maxChunkLine {
		return nil, nil, false, framing("TransferEncodingError", "a chunk's size line is longer than %d bytes", maxChunkLine)
	}
	line = input[:n]
	if len(d.line) > 0 || feed < 0 {
		d.line = append(d.line, line...)
		line = d.line
	}
	if feed < 0 {
		return nil, nil, false, nil
	}
	d.line = d.line[:0]
	if len(line) < 2 || bytes.IndexByte(line, '\r') != len(line)-2 {
		return nil, nil, false, framing("TransferEncodingError", "a chunk's line %.40q does not end with its only CR and LF", line)
	}
	return line[:len(line)-2], input[n:], true, nil
}

func (d *chunkDecoder) step(line []byte) error {
	switch d.state {
	case chunkSize:
		size, err := parseChunkSize(line)
		if err != nil {
			return err
		}
		if d.excess = max(d.excess+int64(len(line))-maxOverhead-2*size, 0); d.excess > maxExcess {
			return framing("TransferEncodingError", "the body is mostly chunk framing")
		}
		d.left, d.state = size, chunkData
		if size == 0 {
			d.state = chunkTrailer
		}
	case chunkEnd:
		if len(line) > 0 {
			return framing("TransferEncodingError", "a chunk is longer than its size says: %.40q follows it", line)
		}
		d.state = chunkSize
	case chunkTrailer:
		if len(line) == 0 {
			d.state = chunkDone
		} else if d.trailer += len(line); d.trailer > maxTrailer {
			return framing("TransferEncodingError", "trailers of more than %d bytes", maxTrailer)
		}
	}
	return nil
}

func parseChunkSize(line []byte) (size int64, err error) {
	digits, _, _ := bytes.Cut(bytes.TrimRight(line, " \t"), []byte{';'})
	if len(digits) == 0 || len(digits) > 16 {
		return 0, framing("TransferEncodingError", "a chunk's size line is %.40q", line)
	}
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, framing("TransferEncodingError", "a chunk's size line is %.40q", line)
		}
		if size > math.MaxInt64>>5 {
			return 0, framing("TransferEncodingError", "a chunk's size is %.40q", line)
		}
		size = size<<4 | int64(c)
	}
	return size, nil
}
