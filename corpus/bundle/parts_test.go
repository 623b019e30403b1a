package bundle

import (
	"errors"
	"io"
	"strings"
	"testing"
)

var errNotAtHand = errors.New("not at hand")

// partsReader serves reads that lie in one part.
type partsReader []Part

func (r partsReader) ReadAt(into []byte, offset int64) (int, error) {
	for _, part := range r {
		if from := offset - part.Offset; from >= 0 && from+int64(len(into)) <= int64(len(part.Bytes)) {
			return copy(into, part.Bytes[from:]), nil
		}
	}
	return 0, errNotAtHand
}

// The shared parts with those of one trace are a bundle in which that trace can be read, and no other.
func TestPartsOfABundleAreABundleOfTheirTraces(t *testing.T) {
	whole := openSample(t)
	shared, err := whole.SharedParts()
	if err != nil {
		t.Fatal(err)
	}
	of, err := whole.TraceParts(1)
	if err != nil {
		t.Fatal(err)
	}
	parts := partsReader(append(shared, of...))
	var _ io.ReaderAt = parts
	b, err := OpenParts("parts", whole.Size(), parts)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.ContentDigest() != whole.ContentDigest() {
		t.Error("the parts have another content digest")
	}
	got, err := b.Text(1)
	if err != nil {
		t.Fatal(err)
	}
	want, err := whole.Text(1)
	if err != nil {
		t.Fatal(err)
	}
	if a, z := string(got.AppendPlain(nil, 0, 0, 0)), string(want.AppendPlain(nil, 0, 0, 0)); a != z || a == "" {
		t.Errorf("the text is %q, want %q", a, z)
	}
	for what, err := range map[string]error{"text": second(b.Text(0)), "tokenizer": second(b.TokenizerData())} {
		if !errors.Is(err, errNotAtHand) || !strings.Contains(err.Error(), "parts") {
			t.Errorf("reading another trace's %s gave %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
