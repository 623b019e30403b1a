package wire

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/zeebo/blake3"
)

// TestBodyDigestGoesOnFromSavedState plays random streams of bodies that share a beginning, written in
// random pieces, against hashing each whole.
func TestBodyDigestGoesOnFromSavedState(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	reused := 0
	for range 60 {
		var digest bodyDigest
		body := []byte{}
		for range 12 {
			body = append(body, randomBytes(random, random.IntN(40000))...)
			kept := random.IntN(len(body) + 1)
			digest.begin(int64(len(body)), int64(kept))
			if digest.taken > 0 {
				reused++
			}
			writePieces(random, &digest, body)
			if got, want := digest.sum(), blake3.Sum256(body); got != want {
				t.Fatalf("body of %d bytes: %x, want %x", len(body), got, want)
			}
			if digest.savedLength > int64(kept) || digest.savedLength%digestBlock != 0 {
				t.Fatalf("saved %d of %d kept bytes", digest.savedLength, kept)
			}
			body = body[:kept]
		}
	}
	if reused < 100 {
		t.Errorf("only %d bodies went on from a saved state: the test tests little", reused)
	}
}

// TestBodyDigestSurvivesAResend offers the first part twice, as a resend after a broken write does.
func TestBodyDigestSurvivesAResend(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 4000)
	var digest bodyDigest
	for range 2 {
		digest.begin(int64(len(body)), 30000)
		digest.writeAt(0, body[:20000])
		digest.writeAt(20000, body[20000:40000])
		digest.writeAt(0, body[:25000])
		digest.writeAt(25000, body[25000:])
		if got, want := digest.sum(), blake3.Sum256(body); got != want {
			t.Errorf("%x, want %x", got, want)
		}
		if digest.savedLength != 24576 {
			t.Errorf("saved at %d, want 24576", digest.savedLength)
		}
	}
}

func writePieces(random *rand.Rand, digest *bodyDigest, body []byte) {
	for offset := 0; offset < len(body); {
		n := min(1+random.IntN(9000), len(body)-offset)
		digest.writeAt(int64(offset), body[offset:offset+n])
		offset += n
	}
}

func randomBytes(random *rand.Rand, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(random.Uint32())
	}
	return out
}
