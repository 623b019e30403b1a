package eventlog

import (
	"bytes"
	"os"
	"testing"
)

// FuzzChunks: no bytes make the decoder fall, and what it accepts from an exchange's own blob is encoded
// the same way again, unless the number was written longer than needed.
func FuzzChunks(f *testing.F) {
	f.Add([]byte{1, 2, 14, 3, 0, 0xd0, 0x0f, 3, 0xc8, 0x01, 4, 1, 19, 0x34, 3, 1, 1, 0xac, 0x02})
	f.Add([]byte{2, 0xb8, 0x17, 6, 14, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		shared := New(KindChunks, 0)
		shared.Data = data
		_ = shared.EachChunk(func(int64, Chunk) error { return nil }) // errors are fine, falling is not
		own := New(KindExchangeEnd, 0)
		own.Data = data
		var chunks []Chunk
		err := own.EachChunk(func(_ int64, chunk Chunk) error {
			chunks = append(chunks, chunk)
			return nil
		})
		if err != nil || len(chunks) == 0 {
			return
		}
		again := own
		again.Data = encodeOwn(chunks)
		var second []Chunk
		if err := again.EachChunk(func(_ int64, chunk Chunk) error {
			second = append(second, chunk)
			return nil
		}); err != nil || len(second) != len(chunks) {
			t.Fatalf("%d chunks encoded again give %d, %v", len(chunks), len(second), err)
		}
		if len(again.Data) > len(data) {
			t.Errorf("encoded again they take %d bytes, not %d", len(again.Data), len(data))
		}
	})
}

// FuzzLog: no file makes the reader fall, and no damaged log that passes Check has other events than
// the one it was made from.
func FuzzLog(f *testing.F) {
	path := sampleLog(f, sample{events: 30, group: 10}, Options{noSync: true, pageSize: 512})
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	want, err := readContent(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(0, []byte{})
	f.Add(18, []byte{2, 2})
	f.Add(28, []byte{0, 0, 0, 1})
	f.Add(len(whole)/2, []byte{0xff, 0xff, 0xff, 0xff})
	f.Add(len(whole)-700, bytes.Repeat([]byte{0}, 200))
	f.Fuzz(func(t *testing.T, at int, change []byte) {
		if at < 0 || at >= len(whole) {
			return
		}
		damaged := bytes.Clone(whole)
		copy(damaged[at:], change)
		path := damagedCopy(t, t.TempDir(), damaged, nil)
		r, err := Open(path)
		if err != nil {
			return
		}
		report := r.Check()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if len(report.Damages) > 0 || report.Interrupted() {
			return
		}
		if got, err := readContent(path); err != nil || !sameContent(got, want) {
			t.Errorf("bytes %x at %d: Check finds nothing, but the content differs (%v)", change, at, err)
		}
	})
}
