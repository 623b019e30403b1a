package main

import "testing"

// The heap may always grow by growBytes, and by growPercent where that is more.
func TestTheHeapHasRoomToGrow(t *testing.T) {
	for inUse, want := range map[uint64]int{0: 3200, 1 << 20: 3200, 64 << 20: 200, 128 << 20: 100, 1 << 30: growPercent} {
		if got := percentFor(inUse); got != want {
			t.Errorf("%d bytes in use: %d percent, want %d", inUse, got, want)
		}
	}
}
