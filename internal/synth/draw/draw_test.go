package draw

import "testing"

// The stream is part of the bundle format's recipe: a change of it needs a new generator version.
func TestStreamIsFixed(t *testing.T) {
	g := New(0, "filler", "coding")
	first := [4]uint32{g.Uint32(), g.Uint32(), g.Uint32(), g.Uint32()}
	if again := New(0, "filler", "coding"); again.Uint32() != first[0] {
		t.Error("the same name gives another stream")
	}
	for _, other := range []*Generator{New(1, "filler", "coding"), New(0, "filler", "words"), New(0, "fillercoding"), New(0, "filler", "coding", "")} {
		if other.Uint32() == first[0] {
			t.Error("another name gives the same stream")
		}
	}
	if want := [4]uint32{0x237f2dc4, 0x79d1fca, 0xa6416492, 0xb309ad49}; first != want {
		t.Errorf("stream begins with %#x", first)
	}
}

func TestBelowIsEven(t *testing.T) {
	g := New(7, "test")
	var counts [3]int
	for range 30_000 {
		counts[g.Below(3)]++
	}
	for value, count := range counts {
		if count < 9_700 || count > 10_300 {
			t.Errorf("value %d came %d times of 30000", value, count)
		}
	}
	for range 1000 {
		if got := g.Between(-2, 5); got < -2 || got > 5 {
			t.Fatalf("drew %d", got)
		}
	}
}
