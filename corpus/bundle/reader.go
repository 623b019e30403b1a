package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"weak"

	"github.com/klauspost/compress/zstd"

	"agentx/corpus"
)

// Bundle is an open bundle. All methods may be used by several goroutines.
type Bundle struct {
	path     string
	file     readCloser
	size     int64
	unpacker *zstd.Decoder
	frames   []frame
	content  Digest
	manifest *Manifest
	recipe   *Recipe

	fillerOnce func() (*filler, error)
	slots      []slot // by trace
}

// readCloser is what a bundle needs of a file.
type readCloser interface {
	io.ReaderAt
	io.Closer
}

// slot remembers what was read of a trace: its plan for good, its text as long as someone holds it.
type slot struct {
	mu   sync.Mutex
	plan *corpus.Plan
	text weak.Pointer[Text]
}

// Open opens a bundle and verifies footer, index and manifest. The errors are *NotABundle, *Newer,
// *Damaged, or the system's.
func Open(path string) (*Bundle, error) {
	file, err := os.Open(path)
	if err != nil {
		var system *fs.PathError
		if errors.As(err, &system) {
			err = system.Err
		}
		return nil, fmt.Errorf("bundle %s: %w; give a file that agentx-prep build wrote", path, err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &NotABundle{path, "it is not a file"}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return openFile(path, file, info.Size())
}

// openFile opens a bundle of so many bytes, and closes the file if it is none.
func openFile(path string, file readCloser, size int64) (b *Bundle, err error) {
	b = &Bundle{path: path, file: file, size: size}
	b.fillerOnce = sync.OnceValues(b.readFiller)
	if b.unpacker, err = newUnpacker(); err == nil {
		err = b.open()
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Close closes the file. Texts stay usable.
func (b *Bundle) Close() error {
	if b.unpacker != nil {
		b.unpacker.Close()
	}
	return b.file.Close()
}

func (b *Bundle) damaged(place string, err error) error {
	return &Damaged{Path: b.path, Place: place, Problem: err.Error()}
}

func (b *Bundle) open() error {
	if b.size < footerSize+headerSize {
		return b.withoutFooter()
	}
	tail := make([]byte, footerSize)
	if _, err := b.file.ReadAt(tail, b.size-footerSize); err != nil {
		return fmt.Errorf("reading %s: %w", b.path, err)
	}
	foot, ok := readFooter(tail)
	if !ok {
		return b.withoutFooter()
	}
	if err := b.openIndex(foot, tail); err != nil {
		return err
	}
	return b.openManifest()
}

func (b *Bundle) openIndex(foot footer, tail []byte) error {
	end := uint64(b.size)
	if foot.length > end || foot.offset > end || foot.offset+headerSize+foot.length+footerSize != end {
		return b.damaged("the footer", errors.New("the index does not fill the end of the file"))
	}
	data := make([]byte, headerSize+foot.length)
	if _, err := b.file.ReadAt(data, int64(foot.offset)); err != nil {
		return fmt.Errorf("reading %s: %w", b.path, err)
	}
	if closingDigest(data, tail[32:]) != foot.digest {
		return b.damaged("the index", errors.New("its bytes have another BLAKE3 than the footer says"))
	}
	if foot.format > Format {
		return &Newer{b.path, foot.format}
	}
	var err error
	var key Digest
	b.frames, b.content, key, err = readIndex(data[headerSize:], foot.offset)
	if err == nil && len(b.frames) == 0 {
		err = errors.New("it has no frames")
	}
	if err != nil {
		return b.damaged("the index", err)
	}
	b.manifest = &Manifest{Key: key}
	return nil
}

func (b *Bundle) openManifest() error {
	data, err := b.frame(0, b.content)
	if err != nil {
		return err
	}
	manifest, err := parseManifest(data, b.frames, b.manifest.Key)
	if err != nil {
		return b.damaged("the manifest", err)
	}
	b.recipe = &Recipe{}
	if err := json.Unmarshal(manifest.Recipe, b.recipe); err != nil {
		return b.damaged("the recipe", err)
	}
	b.manifest = manifest
	b.slots = make([]slot, len(manifest.Traces))
	return nil
}

// frame reads, verifies and unpacks a frame. content is the digest of the unpacked bytes.
func (b *Bundle) frame(number int, content Digest) ([]byte, error) {
	f := &b.frames[number]
	place := fmt.Sprintf("frame %d (%v)", number, f.kind)
	stored := make([]byte, f.stored) // not more than the file has: the index was checked
	if _, err := b.file.ReadAt(stored, int64(f.offset)); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, b.damaged(place, errors.New("the file ends inside it"))
		}
		return nil, fmt.Errorf("reading %s, %s: %w", b.path, place, err)
	}
	if Sum(stored) != f.digest {
		return nil, b.damaged(place, errors.New("its bytes have another BLAKE3 than the index says"))
	}
	data, err := unpack(b.unpacker, stored, f.length)
	if err != nil {
		return nil, b.damaged(place, err)
	}
	if Sum(data) != content {
		return nil, b.damaged(place, errors.New("what it unpacks to has another BLAKE3 than the manifest says"))
	}
	return data, nil
}

// Path is the name under which the bundle was opened.
func (b *Bundle) Path() string { return b.path }

// Size is the length of the file in bytes.
func (b *Bundle) Size() int64 { return b.size }

// Manifest is the table of contents; it must not be changed.
func (b *Bundle) Manifest() *Manifest { return b.manifest }

// Recipe is what decided the content; it must not be changed.
func (b *Bundle) Recipe() *Recipe { return b.recipe }

// ContentDigest is the BLAKE3 of the manifest's JSON text. Two builds of one key have the same.
func (b *Bundle) ContentDigest() Digest { return b.content }

// TokenizerData is the tokenizer as stored; Recipe().Tokenizer says in which form.
func (b *Bundle) TokenizerData() ([]byte, error) {
	return b.frame(3, b.manifest.Frames.Tokenizer)
}

// TemplateData is the settings of the chat template, nil when the bundle has none.
func (b *Bundle) TemplateData() ([]byte, error) {
	if b.manifest.Frames.Template == (Digest{}) {
		return nil, nil
	}
	return b.frame(4, b.manifest.Frames.Template)
}

// FillerText is the text that all prompts are cut from.
func (b *Bundle) FillerText() ([]byte, error) {
	f, err := b.fillerOnce()
	if err != nil {
		return nil, err
	}
	return f.plain, nil
}

func (b *Bundle) readFiller() (*filler, error) {
	plain, err := b.frame(1, b.manifest.Frames.Filler)
	if err != nil {
		return nil, err
	}
	lengths, err := b.frame(2, b.manifest.Frames.Lengths)
	if err != nil {
		return nil, err
	}
	f, err := newFiller(plain, lengths)
	if err != nil {
		return nil, b.damaged("the filler", err)
	}
	return f, nil
}

// planFrame is the number of a trace's plan frame; its text follows.
func (b *Bundle) planFrame(trace int) int {
	return len(sharedKinds(b.manifest.Frames.Template != Digest{})) + 2*trace
}

// PlanJSON is the plan of a trace as stored: JSON text, and its digest.
func (b *Bundle) PlanJSON(trace int) ([]byte, Digest, error) {
	digest := b.manifest.Traces[trace].Plan
	data, err := b.frame(b.planFrame(trace), digest)
	return data, digest, err
}

// Plan is the plan of a trace; it is read once. It must not be changed.
func (b *Bundle) Plan(trace int) (*corpus.Plan, error) {
	s := &b.slots[trace]
	s.mu.Lock()
	defer s.mu.Unlock()
	return b.planOf(s, trace)
}

func (b *Bundle) planOf(s *slot, trace int) (*corpus.Plan, error) {
	if s.plan != nil {
		return s.plan, nil
	}
	data, _, err := b.PlanJSON(trace)
	if err != nil {
		return nil, err
	}
	plan, err := parsePlan(data)
	if err == nil && plan.Trace != b.manifest.Traces[trace].ID {
		err = fmt.Errorf("it is that of trace %s", plan.Trace)
	}
	if err != nil {
		return nil, b.damaged(fmt.Sprintf("the plan of trace %s", b.manifest.Traces[trace].ID), err)
	}
	s.plan = plan
	return plan, nil
}

// Plans reads the plans of all traces, in corpus order.
func (b *Bundle) Plans() ([]*corpus.Plan, error) {
	plans := make([]*corpus.Plan, len(b.slots))
	for trace := range plans {
		plan, err := b.Plan(trace)
		if err != nil {
			return nil, err
		}
		plans[trace] = plan
	}
	return plans, nil
}

// Text is the text of a trace. It is read again when nobody holds it any more, so callers keep it as
// long as they use the trace.
func (b *Bundle) Text(trace int) (*Text, error) {
	filler, err := b.fillerOnce()
	if err != nil {
		return nil, err
	}
	s := &b.slots[trace]
	s.mu.Lock()
	defer s.mu.Unlock()
	if text := s.text.Value(); text != nil {
		return text, nil
	}
	plan, err := b.planOf(s, trace)
	if err != nil {
		return nil, err
	}
	data, err := b.frame(b.planFrame(trace)+1, b.manifest.Traces[trace].Text)
	if err != nil {
		return nil, err
	}
	text, err := unpackText(data, plan, filler)
	if err != nil {
		return nil, b.damaged(fmt.Sprintf("the text of trace %s", b.manifest.Traces[trace].ID), err)
	}
	s.text = weak.Make(text)
	return text, nil
}

// Find is the place of a trace in the corpus.
func (b *Bundle) Find(id corpus.TraceID) (int, bool) {
	for i := range b.manifest.Traces {
		if b.manifest.Traces[i].ID == id {
			return i, true
		}
	}
	return 0, false
}

// Check verifies every frame and reads everything in it. next is called after each trace, and ends the
// check by an error.
func (b *Bundle) Check(next func(done, of int) error) error {
	if _, err := b.TokenizerData(); err != nil {
		return err
	}
	if _, err := b.TemplateData(); err != nil {
		return err
	}
	if _, err := b.FillerText(); err != nil {
		return err
	}
	for trace := range b.slots {
		if _, err := b.Text(trace); err != nil {
			return err
		}
		if err := next(trace+1, len(b.slots)); err != nil {
			return err
		}
	}
	return nil
}
