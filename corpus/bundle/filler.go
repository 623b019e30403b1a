package bundle

import (
	"errors"
	"fmt"
)

// filler is the text of a bundle, plain and escaped. It is immutable.
type filler struct {
	plain   []byte
	ends    []uint32 // byte in plain at which each token ends
	escaped []byte   // plain as the inside of a JSON string
	escEnds []uint32 // byte in escaped at which each token ends
}

// newFiller checks the two frames against each other and escapes the text. lengths has one byte a
// token: its bytes.
func newFiller(plain, lengths []byte) (*filler, error) {
	f := &filler{plain: plain, ends: make([]uint32, len(lengths)), escEnds: make([]uint32, len(lengths))}
	f.escaped = make([]byte, 0, len(plain)+len(plain)/8)
	at := 0
	for i, length := range lengths {
		if length == 0 || int(length) > len(plain)-at {
			return nil, fmt.Errorf("token %d has %d bytes, and %d of the text are left", i, length, len(plain)-at)
		}
		for _, c := range plain[at : at+int(length)] {
			switch {
			case c == '"' || c == '\\':
				f.escaped = append(f.escaped, '\\', c)
			case c == '\n':
				f.escaped = append(f.escaped, '\\', 'n')
			case c == '\t':
				f.escaped = append(f.escaped, '\\', 't')
			case ' ' <= c && c <= '~':
				f.escaped = append(f.escaped, c)
			default:
				return nil, fmt.Errorf("the text has the byte 0x%02X", c)
			}
		}
		at += int(length)
		f.ends[i], f.escEnds[i] = uint32(at), uint32(len(f.escaped))
	}
	if at != len(plain) {
		return nil, fmt.Errorf("the tokens have %d bytes of a text of %d", at, len(plain))
	}
	return f, nil
}

// place is where a window lies in a text.
type place struct{ from, to uint32 }

var errWindow = errors.New("a window lies outside of the filler text or does not begin with a blank")

// window is the place of n tokens from token start, in both texts.
func (f *filler) window(start uint32, n int) (plain, escaped place, err error) {
	end := uint64(start) + uint64(n)
	if n < 1 || end > uint64(len(f.ends)) {
		return plain, escaped, errWindow
	}
	if start > 0 {
		plain.from, escaped.from = f.ends[start-1], f.escEnds[start-1]
	}
	plain.to, escaped.to = f.ends[end-1], f.escEnds[end-1]
	// The first byte is the one that a message leaves out, and something must stay.
	if f.plain[plain.from] != ' ' || plain.to-plain.from < 2 {
		return plain, escaped, errWindow
	}
	return plain, escaped, nil
}
