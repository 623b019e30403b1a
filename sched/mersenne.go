package sched

import "math/bits"

// mersenne is MT19937 seeded as Python's random.Random is with an integer.
type mersenne struct {
	state [624]uint32
	index int
}

func newMersenne(seed uint64) *mersenne {
	key := []uint32{uint32(seed)}
	if high := uint32(seed >> 32); high != 0 {
		key = append(key, high)
	}
	m := &mersenne{index: 624}
	s := &m.state
	s[0] = 19650218
	for i := 1; i < len(s); i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	i, j := 1, 0
	for range 624 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		if i++; i == len(s) {
			s[0], i = s[623], 1
		}
		if j++; j == len(key) {
			j = 0
		}
	}
	for range 623 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		if i++; i == len(s) {
			s[0], i = s[623], 1
		}
	}
	s[0] = 0x80000000
	return m
}

func (m *mersenne) next32() uint32 {
	if m.index == len(m.state) {
		m.refill()
	}
	y := m.state[m.index]
	m.index++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (m *mersenne) refill() {
	s := &m.state
	for i := range s {
		y := s[i]&0x80000000 | s[(i+1)%624]&0x7fffffff
		s[i] = s[(i+397)%624] ^ y>>1
		if y&1 != 0 {
			s[i] ^= 0x9908b0df
		}
	}
	m.index = 0
}

// below is uniform in [0, n): the top bits of 32-bit draws, rejected while they are n or more.
func (m *mersenne) below(n uint32) uint32 {
	shift := 32 - bits.Len32(n)
	for {
		if value := m.next32() >> shift; value < n {
			return value
		}
	}
}
