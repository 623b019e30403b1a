package servermodel

import (
	"encoding/binary"
	"math"

	"github.com/zeebo/blake3"
)

// Draw is an even number in [0, 1) named by seed, purpose and name: the first 53 bits of
// BLAKE3(seed, little endian ‖ purpose ‖ 0 ‖ name).
func Draw(seed uint64, purpose, name string) float64 {
	input := make([]byte, 8, 8+len(purpose)+1+len(name))
	binary.LittleEndian.PutUint64(input, seed)
	input = append(input, purpose...)
	input = append(input, 0)
	input = append(input, name...)
	digest := blake3.Sum256(input)
	return float64(binary.LittleEndian.Uint64(digest[:8])>>11) / (1 << 53)
}

// drawLength is the number of tokens up to and with a stop token that comes with probability 1/mean
// after each: inversion of the geometric distribution.
func drawLength(seed uint64, name string, mean float64) int {
	if mean <= 1 {
		return 1
	}
	u := Draw(seed, "output length", name)
	n := math.Ceil(math.Log1p(-u) / math.Log1p(-1/mean))
	return int(min(max(n, 1), math.MaxInt32))
}
