package sched

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"strconv"
)

// The generators here are NumPy's and Python's, bit for bit, so that a seed gives the same workload
// as it does in AIPerf. Algorithms: spec scheduling 17.4.

// labelSeed is the 64-bit seed that a text stands for: the first 8 bytes, big endian, of its SHA-256.
func labelSeed(label string) uint64 {
	digest := sha256.Sum256([]byte(label))
	return binary.BigEndian.Uint64(digest[:8])
}

// trajectorySeed names the generator of t* by run seed, trace and lane (2.8).
func trajectorySeed(seed uint64, trace string, lane LaneID) uint64 {
	return labelSeed(strconv.FormatUint(seed, 10) + ":" + trace + ":" + strconv.Itoa(int(lane)))
}

// seedWords is NumPy's SeedSequence for an integer: four 64-bit words of state.
func seedWords(seed uint64) [4]uint64 {
	var pool [4]uint32
	hash := uint32(0x43b0d7e5)
	mixIn := func(value uint32) uint32 {
		value ^= hash
		hash *= 0x931e8875
		value *= hash
		return value ^ value>>16
	}
	words := [4]uint32{uint32(seed), uint32(seed >> 32)}
	for i := range pool {
		pool[i] = mixIn(words[i])
	}
	for source := range pool {
		for target := range pool {
			if source == target {
				continue
			}
			mixed := 0xca01f9dd*pool[target] - 0x4973f715*mixIn(pool[source])
			pool[target] = mixed ^ mixed>>16
		}
	}
	var out [4]uint64
	hash = 0x8b51f9dd
	for i := range 8 {
		value := pool[i%4] ^ hash
		hash *= 0x58f38ded
		value *= hash
		value ^= value >> 16
		out[i/2] |= uint64(value) << (32 * (i % 2))
	}
	return out
}

// pcg is PCG64 (XSL-RR 128/64) seeded as NumPy's default generator is.
type pcg struct {
	stateHigh, stateLow uint64
	incHigh, incLow     uint64
	spare               uint32 // high half of the last 64-bit output taken for 32 bits
	hasSpare            bool
}

func newPCG(seed uint64) *pcg {
	words := seedWords(seed)
	g := &pcg{incHigh: words[2]<<1 | words[3]>>63, incLow: words[3]<<1 | 1}
	g.step()
	var carry uint64
	g.stateLow, carry = bits.Add64(g.stateLow, words[1], 0)
	g.stateHigh, _ = bits.Add64(g.stateHigh, words[0], carry)
	g.step()
	return g
}

func (g *pcg) step() {
	const mulHigh, mulLow = 0x2360ed051fc65da4, 0x4385df649fccf645
	high, low := bits.Mul64(g.stateLow, mulLow)
	high += g.stateHigh*mulLow + g.stateLow*mulHigh
	var carry uint64
	g.stateLow, carry = bits.Add64(low, g.incLow, 0)
	g.stateHigh, _ = bits.Add64(high, g.incHigh, carry)
}

func (g *pcg) next64() uint64 {
	g.step()
	return bits.RotateLeft64(g.stateHigh^g.stateLow, -int(g.stateHigh>>58))
}

// next32 takes the low half of an output first and keeps the high half for the next call.
func (g *pcg) next32() uint32 {
	if g.hasSpare {
		g.hasSpare = false
		return g.spare
	}
	value := g.next64()
	g.spare, g.hasSpare = uint32(value>>32), true
	return uint32(value)
}

// unit is uniform in [0, 1) with 53 bits.
func (g *pcg) unit() float64 { return float64(float64(g.next64()>>11) * 0x1p-53) }

// masked is uniform in [0, limit] by masking 32-bit draws and rejecting what is above.
func (g *pcg) masked(limit uint32) uint32 {
	if limit == 0 {
		return 0
	}
	mask := uint32(1)<<bits.Len32(limit) - 1
	for {
		if value := g.next32() & mask; value <= limit {
			return value
		}
	}
}

// choice is uniform in [0, n) by Lemire's method, as NumPy's choice draws an index.
func (g *pcg) choice(n uint32) uint32 {
	if n == 1 {
		return 0
	}
	product := uint64(g.next32()) * uint64(n)
	if uint32(product) < n {
		threshold := -n % n
		for uint32(product) < threshold {
			product = uint64(g.next32()) * uint64(n)
		}
	}
	return uint32(product >> 32)
}
