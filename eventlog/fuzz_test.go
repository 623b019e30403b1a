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

// FuzzStoredForms: no bytes make unpacking fall, and what is packed comes back as it was.
func FuzzStoredForms(f *testing.F) {
	kinds := []Kind{KindTurnDue, KindDispatch, KindFirstToken, KindEnded, KindRequestWritten, KindFirstContent, KindExchangeEnd}
	f.Add(uint8(0), int64(5000), []byte(`{"due_ns":4000}`), []byte(nil))
	f.Add(uint8(1), int64(5000), []byte(`{"phase":"warmup","credit":0,"plan":12,"c":4,"due_ns":4000,"ready_ns":4500,"slot_wait_ns":8,"max":1,"waited":["join"],"url":1}`), []byte(nil))
	f.Add(uint8(1), int64(5000), []byte(`[12,1000,null,3,0,0,"0123456789ab"]`), []byte(nil))
	f.Add(uint8(3), int64(7000), []byte(`{"at_ns":6900,"outcome":"ok","answered":true,"timer":{"due_ns":16900,"gap_ns":10000}}`), []byte(nil))
	f.Add(uint8(6), int64(9000), []byte(`{"o":"ok","id":"0f3a9c52-7be1-4d06-9a44-5d1c2b3e4f50","ns":[5],"fin":["stop"],"m":"m","a":"x y"}`), []byte{2, 0xb8, 0x17, 6, 14, 0})
	f.Fuzz(func(t *testing.T, which uint8, atNs int64, payload, data []byte) {
		added := New(kinds[int(which)%len(kinds)], atNs)
		added.Seq, added.Payload, added.Data = 9, payload, data
		if bytes.Contains(payload, []byte(`"as":`)) {
			t.Skip("a reference needs a log")
		}
		read := added.Clone()
		u := newUnpacker(nil)
		err := u.unpack(&read) // errors are fine, falling is not
		if len(payload) == 0 || payload[0] != '{' || err != nil && added.Kind != KindExchangeEnd {
			return
		}
		stored := added.Clone()
		newPacker().pack(&stored)
		stored = stored.Clone() // the packer's buffer
		if err := u.unpack(&stored); err != nil {
			t.Fatalf("%s with %x cannot be read back from its stored form: %v", payload, data, err)
		}
		if !bytes.Equal(stored.Payload, payload) || !bytes.Equal(stored.Data, data) {
			t.Fatalf("came back as %s with %x, was %s with %x", stored.Payload, stored.Data, payload, data)
		}
	})
}
