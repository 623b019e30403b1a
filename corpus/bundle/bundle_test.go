package bundle

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"agentx/corpus"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	b := openSample(t)
	if got := b.Manifest().Traces[1].ID; got != "trace_1" {
		t.Errorf("trace 1 is %s", got)
	}
	plan, layout := samplePlan("trace_1")
	got, err := b.Plan(1)
	if err != nil {
		t.Fatal(err)
	}
	// NaN is not equal to itself: compare what is stored.
	want, _ := json.Marshal(plan)
	if stored, _ := json.Marshal(got); !bytes.Equal(stored, want) {
		t.Errorf("plan %s\nwant %s", stored, want)
	}
	text, err := b.Text(1)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(text.Layout().Messages, layout.Messages) || text.Layout().IDs != layout.IDs || !slices.Equal(text.Layout().Unique, layout.Unique) {
		t.Errorf("layout %+v\nwant %+v", text.Layout(), layout)
	}
	if data, err := b.TokenizerData(); err != nil || string(data) != "a tokenizer" {
		t.Errorf("tokenizer %q, %v", data, err)
	}
	if data, err := b.TemplateData(); err != nil || string(data) != `{"chat_template":"x"}` {
		t.Errorf("template %q, %v", data, err)
	}
	if at, ok := b.Find("trace_1"); !ok || at != 1 {
		t.Errorf("trace_1 found at %d, %v", at, ok)
	}
	if b.Recipe().PromptCorpus != "coding" || b.Recipe().Options.AuxISLFloor != 16384 {
		t.Errorf("recipe %+v", b.Recipe())
	}
}

// One id has two byte forms only at the start of a message, where its leading blank is left out.
func TestMessageTexts(t *testing.T) {
	b := openSample(t)
	text, err := b.Text(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		conversation, turn, message int
		want                        string
	}{
		{0, 0, 0, `alpha" lambda\`},
		{0, 0, 1, "delta\n xi"},
		{0, 1, 0, "delta\n"},
		{0, 1, 1, `theta"`},
		{0, 1, 2, "omega"},
		{0, 2, 0, "epsilon zeta"},
		{1, 0, 0, "theta\" sigma\t xi"},
	} {
		plain := string(text.AppendPlain(nil, c.conversation, c.turn, c.message))
		if plain != c.want {
			t.Errorf("message %d.%d.%d: %q, want %q", c.conversation, c.turn, c.message, plain, c.want)
		}
		pieces := text.AppendEscaped(nil, c.conversation, c.turn, c.message)
		escaped := string(bytes.Join(pieces, nil))
		if want, _ := json.Marshal(c.want); `"`+escaped+`"` != string(want) {
			t.Errorf("message %d.%d.%d: escaped %s, want %s", c.conversation, c.turn, c.message, escaped, want)
		}
		if got := text.EscapedLen(c.conversation, c.turn, c.message); got != len(escaped) {
			t.Errorf("message %d.%d.%d: escaped length %d, is %d", c.conversation, c.turn, c.message, got, len(escaped))
		}
		if got := text.Pieces(c.conversation, c.turn, c.message); got != len(pieces) {
			t.Errorf("message %d.%d.%d: %d pieces, are %d", c.conversation, c.turn, c.message, got, len(pieces))
		}
	}
}

func TestRefsAreTheWholeMessageArray(t *testing.T) {
	plan, _ := samplePlan("x")
	root := plan.Root()
	for turn, want := range [][]MessageRef{
		{{0, 0}, {0, 1}},
		{{0, 0}, {1, 0}, {1, 1}, {1, 2}},
		{{0, 0}, {1, 0}, {1, 1}, {2, 0}},
	} {
		if got := AppendRefs(nil, root, turn); !slices.Equal(got, want) {
			t.Errorf("turn %d: %v, want %v", turn, got, want)
		}
	}
	// Appending leaves what is there.
	if got := AppendRefs([]MessageRef{{9, 9}}, root, 0); !slices.Equal(got, []MessageRef{{9, 9}, {0, 0}, {0, 1}}) {
		t.Errorf("appended: %v", got)
	}
}

func TestGatheringDoesNotAllocate(t *testing.T) {
	b := openSample(t)
	text, err := b.Text(0)
	if err != nil {
		t.Fatal(err)
	}
	pieces := make([][]byte, 0, 100)
	if n := testing.AllocsPerRun(100, func() {
		pieces = text.AppendEscaped(pieces[:0], 0, 0, 1)
		_ = text.EscapedLen(0, 0, 1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Two builds of one key are the same bytes, in whatever order the frames were added.
func TestOrderOfAddingDoesNotMatter(t *testing.T) {
	folder := t.TempDir()
	first, second := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	if buildSample(t, first, false) != buildSample(t, second, true) {
		t.Error("different content digests")
	}
	a, errA := os.ReadFile(first)
	b, errB := os.ReadFile(second)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Error("different bytes")
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, want the two bundles alone", entries)
	}
}

// Any zstd tool prints the file, and steps over the index.
func TestFileIsPlainZstd(t *testing.T) {
	b := openSample(t)
	file, err := os.Open(b.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, err := zstd.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	data, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data, []byte(`{"format":1,`)) || !bytes.Contains(data, []byte(sampleText)) || !bytes.Contains(data, []byte(`"trace":"trace_1"`)) {
		t.Errorf("the file prints as %.200q", data)
	}
}

func TestTextIsSharedWhileHeld(t *testing.T) {
	b := openSample(t)
	first, err := b.Text(0)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := b.Text(0); err != nil || second != first {
		t.Errorf("read twice: %v", err)
	}
}

func TestFinishNeedsEveryFrame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for name, prepare := range map[string]func(w *Writer) error{
		"no plan":      func(w *Writer) error { return nil },
		"no tokenizer": func(w *Writer) error { return sampleFrames(w) },
	} {
		w, err := Create(path, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := prepare(w); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Finish(&Recipe{}, &Manifest{Traces: make([]TraceInfo, 1)}); err == nil || !strings.Contains(err.Error(), "no ") {
			t.Errorf("%s: error %v", name, err)
		}
		if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 0 {
			t.Errorf("%s: %v is left", name, entries)
		}
	}
}

func sampleFrames(w *Writer) error {
	plan, layout := samplePlan("x")
	if err := w.Plan(0, plan); err != nil {
		return err
	}
	return w.Text(0, PackLayout(layout), sampleStarts())
}

func TestWrongFillerIsNotWritten(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "x"), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, ends := range [][]uint32{{1, 1, 3}, {1, 2}, {3, 2}} {
		if err := w.Filler("abc", ends); err == nil {
			t.Errorf("ends %v were taken", ends)
		}
	}
}

// BenchmarkGather puts a prompt of 1,000 windows together, as a run does for every request.
func BenchmarkGather(b *testing.B) {
	text := thousandWindows(b)
	pieces := make([][]byte, 0, 1100)
	b.ReportAllocs()
	for b.Loop() {
		pieces = text.AppendEscaped(pieces[:0], 0, 0, 0)
		if text.EscapedLen(0, 0, 0) == 0 {
			b.Fatal("no text")
		}
	}
	b.ReportMetric(float64(len(pieces)), "windows")
}

func thousandWindows(b *testing.B) *Text {
	plain := []byte(strings.Repeat(" word", 64*1000))
	filler, err := newFiller(plain, bytes.Repeat([]byte{5}, 64*1000))
	if err != nil {
		b.Fatal(err)
	}
	plan := &corpus.Plan{BlockSize: 64, Conversations: []corpus.Conversation{{Turns: []corpus.Turn{{New: []corpus.Message{{Role: corpus.RoleUser, Tokens: 64000}}}}}}}
	layout := &corpus.Layout{IDs: 1000, Messages: [][][]corpus.Content{{{{Spans: []corpus.Span{{First: 0, Count: 1000}}}}}}}
	starts := make([]uint32, 1000)
	for rank := range starts {
		starts[rank] = uint32(rank * 7919 % 1000 * 64)
	}
	text, err := unpackText(bytes.Join(packText(PackLayout(layout), starts), nil), plan, filler)
	if err != nil {
		b.Fatal(err)
	}
	return text
}
