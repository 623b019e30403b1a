package servermodel

import "math/bits"

// Keys names the units of a prompt: Keys()[i] stands for its first i+1 units together, so that equal
// keys mean equal beginnings. It is the chained hash of the cache: each key mixes the one before it with
// the contents of its unit. The zero value is an empty prompt with units of DefaultUnitTokens.
//
// A chain may be copied by value and extended along two branches as long as Clone is used for the one
// that goes on later.
type Keys struct {
	unit    int
	keys    []uint64
	last    uint64
	partial uint64 // hash of the unit being filled
	filled  int    // tokens in it
}

// NewKeys is an empty chain with units of the given number of tokens.
func NewKeys(unitTokens int) Keys { return Keys{unit: unitTokens} }

// Token adds one token.
func (k *Keys) Token(id uint64) {
	k.partial = Mix(k.partial, id+1)
	k.filled++
	size := k.unit
	if size == 0 {
		size = DefaultUnitTokens
	}
	if k.filled == size {
		k.Unit(k.partial)
		k.partial, k.filled = 0, 0
	}
}

// Unit adds a whole unit by a hash of its contents. Mixing it with Token in the middle of a unit leaves
// the tokens of that unit pending.
func (k *Keys) Unit(content uint64) {
	k.last = Mix(k.last, content)
	k.keys = append(k.keys, k.last)
}

// List is the keys of the full units. It is valid until the chain is extended.
func (k *Keys) List() []uint64 { return k.keys }

// Pending is the number of tokens after the last full unit.
func (k *Keys) Pending() int { return k.filled }

// Clone is a copy that shares no memory that either side will write to.
func (k Keys) Clone() Keys {
	k.keys = k.keys[:len(k.keys):len(k.keys)]
	return k
}

// Mix hashes two 64-bit values into one: the folded product of both, each moved off zero by a constant
// (the multiply-and-fold step of the wyhash family). It is no cryptographic hash.
func Mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd6e8feb86659fd93)
	return high ^ low ^ bits.RotateLeft64(a, 29)
}
