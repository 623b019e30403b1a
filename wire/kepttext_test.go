package wire

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/zeebo/blake3"
)

// TestStreamsKeepWhatTheirBodiesBeginWith plays streams side by side in a room that is too small for them:
// every body comes out as it is, from kept and gathered bytes; nothing is kept of an ended stream.
func TestStreamsKeepWhatTheirBodiesBeginWith(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	room := newKeptRoom(6 * keptBlock)
	ready, refused := int64(0), 0
	for range 12 {
		streams := make([]StreamBody, 4)
		talks := make([][]Message, len(streams))
		for range 40 {
			i := random.IntN(len(streams))
			for range 1 + random.IntN(3) {
				text := inPieces(random, string(randomBytes(random, random.IntN(60_000))))
				talks[i] = append(talks[i], Message{Role: "user", Content: text})
			}
			kept := random.IntN(len(talks[i]) + 1)
			if random.IntN(3) > 0 {
				kept = len(talks[i])
			}
			ready += play(t, random, room, &streams[i], talks[i], kept)
			if streams[i].text.full {
				refused++
			}
			talks[i] = talks[i][:kept]
		}
		for i := range streams {
			streams[i].Release()
		}
		if len(room.free)+room.left != 6 {
			t.Fatalf("%d blocks came back and %d were never given, of 6", len(room.free), room.left)
		}
	}
	if ready < 10<<20 || refused < 20 {
		t.Errorf("%d bytes lay ready and %d bodies found no room: the test tests little", ready, refused)
	}
}

// play reads one body as a sender does and gives how many bytes of it were kept.
func play(t *testing.T, random *rand.Rand, room *keptRoom, stream *StreamBody, messages []Message, kept int) (ready int64) {
	t.Helper()
	var plan bodyPlan
	plan.plan(&Options{}, &Body{Messages: messages, Model: "m", KeptMessages: kept})
	want := plan.appendTo(nil)
	stream.begin(room, plan.length, plan.kept)
	defer stream.end()
	var reader bodyReader
	for attempt := range 2 { // the second is a resend, the first may break off
		reader.begin(&plan, stream)
		ready = reader.keptTo
		var got []byte
		for !reader.done() && (attempt > 0 || random.IntN(8) > 0) {
			offset := reader.given
			part := reader.takeKept(1 + random.IntN(70_000))
			if random.IntN(2) == 0 || len(part) == 0 {
				var err error
				if part, err = reader.take(bytes.Clone(part), 1+random.IntN(70_000)); err != nil {
					t.Fatal(err)
				}
			}
			stream.writeAt(offset, part)
			got = append(got, part...)
		}
		if !bytes.Equal(got, want[:len(got)]) || attempt > 0 && len(got) != len(want) {
			t.Fatalf("attempt %d: a body of %d bytes, %d of them kept, came out as other %d bytes", attempt, len(want), ready, len(got))
		}
	}
	if stream.digest.sum() != blake3.Sum256(want) {
		t.Fatal("the digest is of other bytes")
	}
	return ready
}

// TestAReleasedStreamGivesItsRoomBackWhenItsExchangeEnds: a tree may end while an exchange that was given
// up still writes from what the stream kept.
func TestAReleasedStreamGivesItsRoomBackWhenItsExchangeEnds(t *testing.T) {
	room := newKeptRoom(2 * keptBlock)
	var stream StreamBody
	body := bytes.Repeat([]byte("text"), 30_000)
	begin := func() {
		stream.begin(room, int64(len(body)), int64(len(body)))
		stream.writeAt(0, body)
	}
	begin()
	stream.end()
	begin()
	stream.Release()
	if len(room.free) != 0 || !bytes.Equal(stream.text.at(0), body[:keptBlock]) {
		t.Error("the room was given back while an exchange was under way")
	}
	stream.end()
	if len(room.free) != 2 || stream.text.at(0) != nil {
		t.Errorf("%d blocks came back, want 2", len(room.free))
	}
	begin()
	stream.end()
	if len(room.free) != 2 {
		t.Error("a released stream took room again")
	}
}
