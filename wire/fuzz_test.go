package wire

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http/httputil"
	"testing"
	"time"
)

// FuzzAnswer feeds any bytes as a server's answer: one outcome, no panic, no endless wait, and the same
// record wherever the reads cut.
func FuzzAnswer(f *testing.F) {
	for _, answer := range ownStreams() {
		f.Add([]byte(answer), uint64(1))
	}
	client, err := New(Options{URLs: []string{"http://h"}, Timeouts: Timeouts{FinishGrace: time.Nanosecond}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, answer []byte, seed uint64) {
		whole := doScripted(client, chatRequest(), io.EOF, answer)
		if whole.Outcome == "" || whole.EndNs == Unset || (whole.Outcome != OutcomeOK) != (whole.Err != nil) {
			t.Fatalf("%q: %s", answer, describeResult(&whole))
		}
		random := rand.New(rand.NewPCG(seed, 1))
		var pieces [][]byte
		for rest := answer; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		cut := doScripted(client, chatRequest(), io.EOF, pieces...)
		if recordOf(&whole) != recordOf(&cut) {
			t.Fatalf("%q in %q:\n%s\n%s", answer, pieces, recordOf(&whole), recordOf(&cut))
		}
	})
}

// FuzzChunkDecoder holds the chunk decoder against the standard library's.
func FuzzChunkDecoder(f *testing.F) {
	f.Add([]byte("5\r\nhello\r\n0\r\n\r\n"), uint64(1))
	f.Add([]byte("5;a=b\r\nhello\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n"), uint64(2))
	f.Add([]byte("ffffffffffffffff\r\n"), uint64(3))
	f.Add([]byte("\n"), uint64(31))
	f.Add([]byte("0;\r\r000000\r00\r\n\r\n0"), uint64(92))
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 1))
		var decoder chunkDecoder
		var got []byte
		var failure error
		for rest := stream; len(rest) > 0 && failure == nil && decoder.state != chunkDone; {
			n := 1 + random.IntN(len(rest))
			piece := rest[:n]
			rest = rest[n:]
			for len(piece) > 0 && failure == nil && decoder.state != chunkDone {
				var data []byte
				data, piece, failure = decoder.next(piece)
				got = append(got, data...)
			}
		}
		want, err := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(stream)))
		if decoder.state == chunkDone && failure == nil && (err != nil || !bytes.Equal(got, want)) {
			t.Fatalf("%q: took %q as whole; the library says %q, %v", stream, got, want, err)
		}
		if !bytes.HasPrefix(want, got) && !bytes.HasPrefix(got, want) {
			t.Fatalf("%q: %q, the library says %q", stream, got, want)
		}
	})
}
