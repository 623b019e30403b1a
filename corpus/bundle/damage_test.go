package bundle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readAll opens a bundle and reads everything in it, as check does.
func readAll(path string) error {
	b, err := Open(path)
	if err != nil {
		return err
	}
	return errors.Join(b.Check(func(int, int) error { return nil }), b.Close())
}

// inMemory is a file in memory, of which one byte may be flipped.
type inMemory struct {
	*bytes.Reader
	flipped int64
	flip    byte
}

func (m *inMemory) ReadAt(p []byte, at int64) (int, error) {
	n, err := m.Reader.ReadAt(p, at)
	if at <= m.flipped && m.flipped < at+int64(n) {
		p[m.flipped-at] ^= m.flip
	}
	return n, err
}

func (m *inMemory) Close() error { return nil }

// readFlipped opens the bundle with a byte flipped, and reads the frame with that byte.
func readFlipped(data []byte, at int64, flip byte) error {
	b, err := openFile("flipped", &inMemory{bytes.NewReader(data), at, flip}, int64(len(data)))
	if err != nil {
		return err
	}
	for i := range b.frames {
		if f := &b.frames[i]; uint64(at) >= f.offset && uint64(at) < f.offset+f.stored {
			trace := (i - b.planFrame(0)) / 2
			switch f.kind {
			case kindTokenizer:
				_, err = b.TokenizerData()
			case kindTemplate:
				_, err = b.TemplateData()
			case kindPlan:
				_, err = b.Plan(trace)
			case kindText:
				_, err = b.Text(trace)
			default:
				_, err = b.FillerText()
			}
		}
	}
	return errors.Join(err, b.Close())
}

func sampleBytes(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample")
	buildSample(t, path, false)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// damage writes changed bytes and expects that reading them fails with an error of the package.
func damage(t *testing.T, path, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	mustBeDamaged(t, readAll(path), name)
}

func TestEveryFlippedByteIsDetected(t *testing.T) {
	data := sampleBytes(t)
	for at := range data {
		mustBeDamaged(t, readFlipped(data, int64(at), 1<<(at%8)), fmt.Sprint("byte ", at))
	}
}

// TestRandomFlipsOfALargeBundleAreDetected takes the bundle that AGENTX_LARGE_BUNDLE names.
func TestRandomFlipsOfALargeBundleAreDetected(t *testing.T) {
	path := os.Getenv("AGENTX_LARGE_BUNDLE")
	if path == "" {
		t.Skip("AGENTX_LARGE_BUNDLE does not name a bundle")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Opened once: what a flip in a frame can be noticed by, when the frame is first read, is read anew each time.
	memory := &inMemory{Reader: bytes.NewReader(data)}
	b, err := openFile("flipped", memory, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	inFrames := 0
	for range 10_000 {
		at, flip := r.Int64N(int64(len(data))), byte(1)<<r.IntN(8)
		frame := slices.IndexFunc(b.frames, func(f frame) bool { return uint64(at) >= f.offset && uint64(at) < f.offset+f.stored })
		if frame <= 0 { // the manifest, the index or the footer: read when a bundle is opened
			mustBeDamaged(t, readFlipped(data, at, flip), fmt.Sprint("byte ", at))
			continue
		}
		inFrames++
		content := contentOfFrame(b, frame)
		memory.flipped, memory.flip = at, flip
		_, err := b.frame(frame, content)
		mustBeDamaged(t, err, fmt.Sprint("byte ", at))
		memory.flip = 0
		if inFrames%1000 == 0 { // the same reading finds nothing wrong without the flip
			if _, err := b.frame(frame, content); err != nil {
				t.Fatalf("frame %d, whole: %v", frame, err)
			}
		}
	}
	if inFrames < 5000 {
		t.Errorf("only %d flips were in frames", inFrames)
	}
}

// contentOfFrame is the digest that the manifest has for a frame.
func contentOfFrame(b *Bundle, number int) Digest {
	switch f := &b.manifest.Frames; b.frames[number].kind {
	case kindFiller:
		return f.Filler
	case kindLengths:
		return f.Lengths
	case kindTokenizer:
		return f.Tokenizer
	case kindTemplate:
		return f.Template
	}
	trace := &b.manifest.Traces[(number-b.planFrame(0))/2]
	if b.frames[number].kind == kindPlan {
		return trace.Plan
	}
	return trace.Text
}

func mustBeDamaged(t *testing.T, err error, name string) {
	t.Helper()
	var damaged *Damaged
	var other *NotABundle
	if !errors.As(err, &damaged) && !errors.As(err, &other) {
		t.Errorf("%s: error %v", name, err)
	}
}

func TestEveryCutIsDetected(t *testing.T) {
	data := sampleBytes(t)
	path := filepath.Join(t.TempDir(), "x")
	for length := range data {
		damage(t, path, "cut", data[:length])
	}
	damage(t, path, "extended", append(data[:len(data):len(data)], 0))
	damage(t, path, "doubled", append(data[:len(data):len(data)], data...))
}

func TestSwappedFramesAreDetected(t *testing.T) {
	data := sampleBytes(t)
	path := filepath.Join(t.TempDir(), "x")
	foot, _ := readFooter(data[len(data)-footerSize:])
	index := data[foot.offset+headerSize:][:foot.length]
	frames, content, key, err := readIndex(index, foot.offset)
	if err != nil {
		t.Fatal(err)
	}
	// The bytes of two plans change places and the index is written anew, digests and all: only the
	// manifest knows better.
	forged := append([]byte(nil), data[:foot.offset]...)
	first, second := frames[5], frames[7]
	copy(forged[first.offset:], data[second.offset:][:second.stored])
	copy(forged[first.offset+second.stored:], data[first.offset+first.stored:second.offset])
	copy(forged[second.offset+second.stored-first.stored:], data[first.offset:][:first.stored])
	frames[5], frames[7] = second, first
	at := uint64(0)
	for i := range frames {
		frames[i].offset = at
		at += frames[i].stored
	}
	damage(t, path, "swapped plans", appendIndex(forged, foot.offset, frames, content, key))
}

// A forged index cannot make the reader take memory or read outside of the file.
func TestForgedIndexIsRefused(t *testing.T) {
	data := sampleBytes(t)
	path := filepath.Join(t.TempDir(), "x")
	foot, _ := readFooter(data[len(data)-footerSize:])
	for name, forge := range map[string]func(frames []frame) []frame{
		"a frame of 2^60 bytes": func(f []frame) []frame { f[1].length = 1 << 60; return f },
		"a frame beyond the end": func(f []frame) []frame {
			f[len(f)-1].stored = 1 << 50
			return f
		},
		"overlapping frames":   func(f []frame) []frame { f[2].offset = f[1].offset; return f },
		"a frame of more":      func(f []frame) []frame { f[1].length++; return f },
		"a frame of less":      func(f []frame) []frame { f[1].length--; return f },
		"a frame left out":     func(f []frame) []frame { return f[:len(f)-1] },
		"a kind changed":       func(f []frame) []frame { f[2].kind = kindPlan; return f },
		"an unknown kind":      func(f []frame) []frame { f[2].kind = 77; return f },
		"no frames":            func(f []frame) []frame { return nil },
		"content digest wrong": func(f []frame) []frame { return f },
	} {
		frames, content, key, err := readIndex(data[foot.offset+headerSize:][:foot.length], foot.offset)
		if err != nil {
			t.Fatal(err)
		}
		if name == "content digest wrong" {
			content[3] ^= 1
		}
		frames = forge(frames)
		damage(t, path, name, appendIndex(append([]byte(nil), data[:foot.offset]...), foot.offset, frames, content, key))
	}
}

func TestNewerFormatIsRefusedNamingBoth(t *testing.T) {
	data := sampleBytes(t)
	foot, _ := readFooter(data[len(data)-footerSize:])
	tail := data[len(data)-footerSize+32:]
	binary.LittleEndian.PutUint32(tail[16:], Format+6)
	digest := closingDigest(data[foot.offset:len(data)-footerSize], tail)
	copy(data[len(data)-footerSize:], digest[:])
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	err := readAll(path)
	var newer *Newer
	if !errors.As(err, &newer) || !strings.Contains(err.Error(), "format 7") || !strings.Contains(err.Error(), "up to 1") || !Refused(err) {
		t.Errorf("error %v", err)
	}
}

func TestOtherFilesAreNotBundles(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{"empty": "", "text": strings.Repeat("hello ", 100)} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readAll(path); !Refused(err) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if !Refused(&os.PathError{Op: "open", Path: "x", Err: os.ErrPermission}) {
		t.Error("a file that others may not read is taken for something else")
	}
	if err := readAll(folder); !Refused(err) {
		t.Errorf("a folder: error %v", err)
	}
	if err := readAll(filepath.Join(folder, "nothing")); !Refused(err) {
		t.Errorf("no file: error %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	data := sampleBytes(f)
	f.Add(data)
	f.Add(data[:len(data)/2])
	path := filepath.Join(f.TempDir(), "x")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = readAll(path) // must not panic; damage tests say what must fail
	})
}

// FuzzFrames gets behind the digests: it reads plan, layout and starts as an attacker may forge them.
func FuzzFrames(f *testing.F) {
	_, layout := samplePlan("x")
	text := packText(PackLayout(layout), sampleStarts())
	var joined []byte
	for _, part := range text {
		joined = append(joined, part...)
	}
	f.Add([]byte(`{"trace":"x","block_size":2,"models":["m"],"conversations":[{"parent":-1,"turns":[{"max":1,"new":[{"r":"user","n":2}]}]}]}`), joined)
	filler, err := newFiller([]byte(sampleText), sampleLengths())
	if err != nil {
		f.Fatal(err)
	}
	sample, _ := samplePlan("x")
	f.Fuzz(func(t *testing.T, planText, frame []byte) {
		plan, err := parsePlan(planText)
		if err != nil {
			plan = sample
		}
		text, err := unpackText(frame, plan, filler)
		if err != nil {
			return
		}
		for c := range plan.Conversations {
			for turn := range plan.Conversations[c].Turns {
				for _, ref := range AppendRefs(nil, &plan.Conversations[c], turn) {
					length := 0
					for _, piece := range text.AppendEscaped(nil, c, ref.Turn, ref.Message) {
						length += len(piece)
					}
					if length != text.EscapedLen(c, ref.Turn, ref.Message) {
						t.Fatalf("message of %d bytes, told %d", length, text.EscapedLen(c, ref.Turn, ref.Message))
					}
				}
			}
		}
	})
}

func sampleLengths() (lengths []byte) {
	from := uint32(0)
	for _, end := range sampleEnds() {
		lengths = append(lengths, byte(end-from))
		from = end
	}
	return lengths
}
