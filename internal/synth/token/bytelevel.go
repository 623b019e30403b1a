package token

import "fmt"

// byteLevel merges bytes. Token text is kept as raw bytes, not in the printable form of the files.
type byteLevel struct {
	tokens []string // raw bytes by id; "" where there is none
	ids    map[string]ID
	bytes  [256]ID
	ranks  ranker
	// wholeFirst: a pre-token that is a token is taken as it is (ignore_merges; tiktoken does too).
	wholeFirst bool
}

func (b *byteLevel) appendWord(dst []ID, word string, s *scratch) []ID {
	if b.wholeFirst {
		if id, ok := b.ids[word]; ok {
			return append(dst, id)
		}
	}
	symbols := s.symbols[:0]
	for i := range len(word) {
		symbols = append(symbols, symbol{id: b.bytes[word[i]], at: int32(i)})
	}
	s.symbols = symbols
	return mergeAll(dst, word, symbols, b.ranks, s)
}

func (b *byteLevel) raw(id ID) (string, bool) {
	if int(id) >= len(b.tokens) || b.tokens[id] == "" {
		return "", false
	}
	return b.tokens[id], true
}

// crossing: only pre-tokens matter, and the caller asks beyond them.
func (b *byteLevel) crossing(byte, byte) bool { return false }

// needBytes fails unless every byte that UTF-8 text can hold is a token.
func (b *byteLevel) needBytes() error {
	for c := range 256 {
		id, ok := b.ids[string([]byte{byte(c)})]
		if !ok && c != 0xC0 && c != 0xC1 && c < 0xF5 {
			return fmt.Errorf("byte 0x%02X has no token", c)
		}
		b.bytes[c] = id
	}
	return nil
}

// byteOfRune is the printable alphabet in which byte-level files write bytes: visible Latin-1
// characters stand for themselves, the others for 256 and up, in order (GPT-2's table).
func byteOfRune() map[rune]byte {
	table := make(map[rune]byte, 256)
	next := rune(256)
	for c := range 256 {
		r := rune(c)
		if '!' <= r && r <= '~' || 0xA1 <= r && r <= 0xAC || 0xAE <= r && r <= 0xFF {
			table[r] = byte(c)
			continue
		}
		table[next] = byte(c)
		next++
	}
	return table
}

// rawBytes turns the file's form of a token into bytes. A form with a character outside the alphabet
// stands for its own UTF-8, and is never met in text: inside is false.
func rawBytes(form string, table map[rune]byte) (raw string, inside bool) {
	bytes := make([]byte, 0, len(form))
	for _, r := range form {
		c, ok := table[r]
		if !ok {
			return form, false
		}
		bytes = append(bytes, c)
	}
	return string(bytes), true
}
