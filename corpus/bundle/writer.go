package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/zstd"

	"agentx/corpus"
)

// TempPrefix begins the names of files that a builder has not finished. They are never read.
const TempPrefix = ".agentx-build-"

// Writer builds a bundle. Frames may come in any order and from several goroutines; the file has them
// in the order of the format, so it does not depend on who was first. Call Finish or Abort.
type Writer struct {
	path   string
	packer *zstd.Encoder

	mu     sync.Mutex
	spool  *os.File // packed frames in the order of their arrival
	size   int64
	shared map[frameKind]storedFrame
	plans  []storedFrame // by trace
	texts  []storedFrame
}

// storedFrame is a packed frame in the spool.
type storedFrame struct {
	at      int64
	frame   frame
	content Digest // of the unpacked bytes
	present bool
}

// Create begins a bundle of so many traces that will have the name path. Nothing stands under that
// name before Finish has returned nil. parallel is the number of goroutines that will add frames.
func Create(path string, traces, parallel int) (*Writer, error) {
	packer, err := newPacker(parallel)
	if err != nil {
		return nil, fmt.Errorf("starting zstd: %w", err)
	}
	spool, err := os.CreateTemp(filepath.Dir(path), TempPrefix+"*")
	if err != nil {
		return nil, fmt.Errorf("creating a bundle: %w", err)
	}
	return &Writer{
		path: path, packer: packer, spool: spool, shared: map[frameKind]storedFrame{},
		plans: make([]storedFrame, traces), texts: make([]storedFrame, traces),
	}, nil
}

// Filler adds the filler text; ends has the byte at which each token ends.
func (w *Writer) Filler(text string, ends []uint32) error {
	lengths := make([]byte, len(ends))
	from := uint32(0)
	for i, end := range ends {
		if end <= from || end-from > 255 {
			return fmt.Errorf("token %d of the filler text has %d bytes, expected 1 to 255", i, int64(end)-int64(from))
		}
		lengths[i] = byte(end - from)
		from = end
	}
	if int(from) != len(text) {
		return fmt.Errorf("the tokens of the filler text end at byte %d of %d", from, len(text))
	}
	if err := w.addShared(kindFiller, []byte(text)); err != nil {
		return err
	}
	return w.addShared(kindLengths, lengths)
}

// Tokenizer adds the tokenizer in its stored form.
func (w *Writer) Tokenizer(data []byte) error { return w.addShared(kindTokenizer, data) }

// Template adds the settings of the chat template. A bundle may be without.
func (w *Writer) Template(data []byte) error { return w.addShared(kindTemplate, data) }

// Plan adds the plan of a trace.
func (w *Writer) Plan(trace int, plan *corpus.Plan) error {
	data, err := json.Marshal(plan)
	if err != nil {
		return fmt.Errorf("writing the plan of trace %s: %w", plan.Trace, err)
	}
	return w.add(&w.plans[trace], kindPlan, data)
}

// Text adds the text of a trace: its layout, and where in the filler each rank's window begins.
func (w *Writer) Text(trace int, layout PackedLayout, starts []uint32) error {
	return w.add(&w.texts[trace], kindText, packText(layout, starts)...)
}

func (w *Writer) addShared(kind frameKind, data []byte) error {
	var stored storedFrame
	if err := w.add(&stored, kind, data); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shared[kind] = stored
	return nil
}

// add packs the parts of a frame, each as a zstd frame of its own, and spools them. into is not used
// by anyone else before Finish.
func (w *Writer) add(into *storedFrame, kind frameKind, parts ...[]byte) error {
	stored := storedFrame{frame: frame{kind: kind}, present: true}
	var packed, whole []byte
	for _, part := range parts {
		packed = w.packer.EncodeAll(part, packed)
		stored.frame.length += uint64(len(part))
		if len(parts) > 1 {
			whole = append(whole, part...)
		}
	}
	if len(parts) == 1 {
		whole = parts[0]
	}
	if stored.frame.length > kind.maxLength() {
		return fmt.Errorf("a %v of %d bytes is longer than a bundle can hold (%d)", kind, stored.frame.length, kind.maxLength())
	}
	stored.frame.stored, stored.frame.digest = uint64(len(packed)), Sum(packed)
	stored.content = Sum(whole)
	w.mu.Lock()
	defer w.mu.Unlock()
	stored.at = w.size
	if _, err := w.spool.Write(packed); err != nil {
		return fmt.Errorf("writing the bundle: %w", err)
	}
	w.size += int64(len(packed))
	*into = stored
	return nil
}

// Finish completes the manifest with key and digests, and puts the bundle under its name. When it
// fails, nothing stands there that was not there before.
func (w *Writer) Finish(recipe *Recipe, manifest *Manifest) (content Digest, size int64, err error) {
	defer func() { err = errors.Join(err, w.Abort()) }()
	if err := w.complete(recipe, manifest); err != nil {
		return content, 0, err
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return content, 0, fmt.Errorf("writing the manifest: %w", err)
	}
	content = Sum(text)
	size, err = w.assemble(text, content, manifest.Key)
	return content, size, err
}

// complete fills in what the frames tell.
func (w *Writer) complete(recipe *Recipe, manifest *Manifest) error {
	key, canonical, err := recipe.Key()
	if err != nil {
		return err
	}
	manifest.Format, manifest.Key, manifest.Recipe = Format, key, canonical
	if len(manifest.Traces) != len(w.plans) {
		return fmt.Errorf("the manifest has %d traces, the bundle %d", len(manifest.Traces), len(w.plans))
	}
	for i := range w.plans {
		if !w.plans[i].present || !w.texts[i].present {
			return fmt.Errorf("trace %d has no plan or no text", i)
		}
		manifest.Traces[i].Plan, manifest.Traces[i].Text = w.plans[i].content, w.texts[i].content
	}
	for _, kind := range sharedKinds(false)[1:] {
		if !w.shared[kind].present {
			return fmt.Errorf("the bundle has no %v", kind)
		}
	}
	manifest.Frames = FrameDigests{
		Filler: w.shared[kindFiller].content, Lengths: w.shared[kindLengths].content,
		Tokenizer: w.shared[kindTokenizer].content, Template: w.shared[kindTemplate].content,
	}
	return nil
}

// assemble writes the file: manifest, frames in order, index; then syncs and renames it.
func (w *Writer) assemble(manifest []byte, content, key Digest) (size int64, err error) {
	file, err := os.CreateTemp(filepath.Dir(w.path), TempPrefix+"*")
	if err != nil {
		return 0, fmt.Errorf("creating a bundle: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	size, err = w.writeAll(file, manifest, content, key)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Chmod(0o644), file.Close())
	if err != nil {
		return 0, fmt.Errorf("writing the bundle: %w", err)
	}
	if err := os.Rename(file.Name(), w.path); err != nil {
		return 0, fmt.Errorf("naming the bundle: %w", err)
	}
	if err := syncFolder(filepath.Dir(w.path)); err != nil {
		return 0, fmt.Errorf("syncing the bundle's folder: %w", err)
	}
	return size, nil
}

func (w *Writer) writeAll(file io.Writer, manifest []byte, content, key Digest) (size int64, err error) {
	packed := w.packer.EncodeAll(manifest, nil)
	frames := []frame{{kind: kindManifest, stored: uint64(len(packed)), length: uint64(len(manifest)), digest: Sum(packed)}}
	if frames[0].length > kindManifest.maxLength() {
		return 0, fmt.Errorf("a manifest of %d bytes is longer than a bundle can hold", len(manifest))
	}
	if _, err := file.Write(packed); err != nil {
		return 0, err
	}
	at := frames[0].stored
	copyFrame := func(stored *storedFrame) error {
		f := stored.frame
		f.offset = at
		frames = append(frames, f)
		at += f.stored
		_, err := io.Copy(file, io.NewSectionReader(w.spool, stored.at, int64(f.stored)))
		return err
	}
	for _, kind := range sharedKinds(w.shared[kindTemplate].present)[1:] {
		stored := w.shared[kind]
		if err := copyFrame(&stored); err != nil {
			return 0, err
		}
	}
	for i := range w.plans {
		if err := errors.Join(copyFrame(&w.plans[i]), copyFrame(&w.texts[i])); err != nil {
			return 0, err
		}
	}
	index := appendIndex(nil, at, frames, content, key)
	_, err = file.Write(index)
	return int64(at) + int64(len(index)), err
}

// Abort gives up; after Finish it does nothing.
func (w *Writer) Abort() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spool == nil {
		return nil
	}
	name := w.spool.Name()
	err := errors.Join(w.spool.Close(), os.Remove(name))
	w.spool = nil
	return errors.Join(err, w.packer.Close())
}

// syncFolder makes a rename durable.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
