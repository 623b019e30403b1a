package sse

import (
	"bytes"
	"sync"
	"testing"
)

// TestScannersShareABufferForLongLines: the events stay those of each stream while several have long lines, and
// the buffer of one serves the next.
func TestScannersShareABufferForLongLines(t *testing.T) {
	var spare Spare
	var group sync.WaitGroup
	for number := range 4 {
		group.Go(func() {
			scanner := Scanner{Limit: 4 << 20, Spare: &spare}
			for round := range 6 {
				scanner.Reset()
				want := bytes.Repeat([]byte{'a' + byte(number)}, 1<<20+(round+1)*300_000)
				stream := append(append([]byte("data: "), want...), "\n\ndata: x\n\n"...)
				if got := readLong(&scanner, stream); len(got) != 2 || !bytes.Equal(got[0], want) || string(got[1]) != "x" {
					t.Errorf("scanner %d, round %d: %d events", number, round, len(got))
				}
			}
		})
	}
	group.Wait()
	kept := spare.take(1)
	if cap(kept) <= keepBuffer {
		t.Fatalf("a buffer of %d bytes is kept", cap(kept))
	}
	spare.give(kept)
	scanner := Scanner{Spare: &spare}
	line := append([]byte("data: "), make([]byte, keepBuffer)...)
	scanner.Feed(line[:keepBuffer], 1)
	scanner.Next(new(Event))
	scanner.Feed(line[keepBuffer:], 2)
	scanner.Next(new(Event))
	if &scanner.carry[0] != &kept[:1][0] || spare.take(1) != nil {
		t.Error("the kept buffer was not used for the next long line")
	}
}

// readLong feeds a stream in reads of 16 KiB and gives the data of its events.
func readLong(scanner *Scanner, stream []byte) (events [][]byte) {
	var event Event
	for len(stream) > 0 {
		n := min(16<<10, len(stream))
		scanner.Feed(stream[:n], 1)
		for scanner.Next(&event) {
			events = append(events, bytes.Clone(event.Data))
		}
		stream = stream[n:]
	}
	return events
}
