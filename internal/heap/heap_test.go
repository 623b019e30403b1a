package heap

import "testing"

// The heap may always grow by Bytes, and by Percent where that is more.
func TestTheHeapHasRoomToGrow(t *testing.T) {
	room := Room{Percent: 45, Bytes: 128 << 20}
	for used, want := range map[uint64]int{0: 3200, 1 << 20: 3200, 64 << 20: 200, 128 << 20: 100, 1 << 30: 45} {
		if got := room.percentFor(used); got != want {
			t.Errorf("%d bytes in use: %d percent, want %d", used, got, want)
		}
	}
}
