// Package draw makes random generators that are named by what they are for. A generator is the
// output stream of BLAKE3 over the seed, the purpose and the ids, so no draw depends on the order of
// others, on the machine or on the Go version.
package draw

import (
	"encoding/binary"
	"io"

	"github.com/zeebo/blake3"
)

// Generator draws numbers. It is not safe for several goroutines.
type Generator struct {
	stream *blake3.Digest
	buffer [512]byte
	at     int
}

// New is the generator for a purpose and the ids it concerns.
func New(seed int64, purpose string, ids ...string) *Generator {
	hasher := blake3.New()
	var number [8]byte
	write := func(text string) {
		binary.LittleEndian.PutUint64(number[:], uint64(len(text)))
		hasher.Write(number[:])
		hasher.WriteString(text)
	}
	binary.LittleEndian.PutUint64(number[:], uint64(seed))
	hasher.Write(number[:])
	write(purpose)
	for _, id := range ids {
		write(id)
	}
	g := &Generator{stream: hasher.Digest()}
	g.at = len(g.buffer)
	return g
}

// Uint32 draws 32 bits.
func (g *Generator) Uint32() uint32 {
	if g.at == len(g.buffer) {
		// The output of BLAKE3 does not end and reading it does not fail.
		if _, err := io.ReadFull(g.stream, g.buffer[:]); err != nil {
			panic(err)
		}
		g.at = 0
	}
	value := binary.LittleEndian.Uint32(g.buffer[g.at:])
	g.at += 4
	return value
}

// Below draws a number from 0 to n-1, all equally likely; n is at least 1. (Lemire, "Fast Random
// Integer Generation in an Interval", 2019.)
func (g *Generator) Below(n int) int {
	bound := uint32(n)
	product := uint64(g.Uint32()) * uint64(bound)
	if low := uint32(product); low < bound {
		for threshold := -bound % bound; low < threshold; low = uint32(product) {
			product = uint64(g.Uint32()) * uint64(bound)
		}
	}
	return int(product >> 32)
}

// Between draws a number from low to high, both possible.
func (g *Generator) Between(low, high int) int { return low + g.Below(high-low+1) }

// Chance is true in percent of 100 cases.
func (g *Generator) Chance(percent int) bool { return g.Below(100) < percent }

// Of draws one of the choices.
func (g *Generator) Of(choices []string) string { return choices[g.Below(len(choices))] }
