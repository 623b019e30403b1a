package eventlog

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/zeebo/blake3"
)

// The vector of docs/event-log.md, "The chain": three events in two batches, a plan before the second.
// Its digests were computed by the Python program there.
func TestChainVector(t *testing.T) {
	kinds := []schemaKind{{1, "run_config"}, {2, "anchor"}}
	start := genesis(1, kinds)
	wantHex(t, "genesis", start[:], vectorGenesis)

	first := New(KindRunConfig, 0)
	first.Seq, first.Payload = 1, []byte(`{"schema":1}`)
	row := appendEvent(nil, &first)
	wantHex(t, "row 1", row, vectorRow1)

	c := newChain(start)
	c.addEvent(&first)
	digest := c.sum()
	wantHex(t, "batch 1", digest[:], vectorBatch1)
	c.next(digest)

	second := Event{Seq: 2, AtNs: -1, Kind: KindDispatch, Lane: 0, Play: 3, Stream: 4, Turn: 5, Exchange: 6, Cause: 1, Data: []byte{0xff}}
	third := New(KindRunEnd, 1<<40)
	third.Seq = 3
	c.addPlan(2, blake3.Sum256([]byte("plan")))
	c.addEvent(&second)
	c.addEvent(&third)
	digest = c.sum()
	wantHex(t, "batch 2", digest[:], vectorBatch2)
}

const (
	vectorGenesis = "49e19fcd8e7e6fee85db3f6421d810dc1e3492ca746ee39093aabbbf9c84f26e"
	vectorRow1    = "080000000100000000000000 080000000000000000000000 080000000100000000000000" +
		"ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff" + "0c0000007b22736368656d61223a317d" + "ffffffff"
	vectorBatch1 = "a05916d304722131fb3639026cc24c5121264961248894d430ab0edfa8de1c99"
	vectorBatch2 = "7ee48ee4f6a74e5d8b6952ba34fd7ad4cf3ff131fdce85955ed8eb74c3328398"
)

func wantHex(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	if hex.EncodeToString(got) != strings.ReplaceAll(want, " ", "") {
		t.Errorf("%s is %x, want %s", what, got, want)
	}
}

// The digest does not depend on how the canonical bytes are cut into writes.
func TestChainOverManyEventsEqualsOneHash(t *testing.T) {
	start := genesis(1, nil)
	c := newChain(start)
	all := append([]byte(nil), start[:]...)
	for i := range 2000 {
		event := sampleEvent(i)
		event.Seq = Seq(i + 1)
		c.addEvent(&event)
		all = appendEvent(all, &event)
	}
	if got, want := c.sum(), Digest(blake3.Sum256(all)); got != want {
		t.Errorf("the chain gives %x, one hash over the same bytes %x", got, want)
	}
}
