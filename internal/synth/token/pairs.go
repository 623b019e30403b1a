package token

// pairTable maps neighbouring tokens to their merge: an open-addressing hash table, because the
// built-in map takes half of the time of encoding.
type pairTable struct {
	slots []pairSlot
	shift uint
}

type pairSlot struct {
	key  uint64 // left<<32 | right, plus one: zero is an empty slot
	rank uint32
	into ID
}

func newPairTable(pairs int) *pairTable {
	bits := uint(4)
	for 1<<bits < 2*pairs {
		bits++
	}
	return &pairTable{slots: make([]pairSlot, 1<<bits), shift: 64 - bits}
}

func pairKey(left, right ID) uint64 { return uint64(left)<<32 + uint64(right) + 1 }

func (t *pairTable) find(key uint64) *pairSlot {
	// Fibonacci hashing: the multiplier is 2^64 divided by the golden ratio.
	for at := key * 0x9E3779B97F4A7C15 >> t.shift; ; at = (at + 1) & uint64(len(t.slots)-1) {
		if slot := &t.slots[at]; slot.key == key || slot.key == 0 {
			return slot
		}
	}
}

// put enters a pair; a later entry replaces an earlier one.
func (t *pairTable) put(left, right ID, rank uint32, into ID) {
	slot := t.find(pairKey(left, right))
	*slot = pairSlot{pairKey(left, right), rank, into}
}

// rank implements ranker.
func (t *pairTable) rank(left, right ID, _ string) (uint32, ID) {
	slot := t.find(pairKey(left, right))
	if slot.key == 0 {
		return noRank, 0
	}
	return slot.rank, slot.into
}
