package weka

import (
	"errors"
	"io"

	"agentx/corpus"
)

// Stdin is the path that stands for the standard input.
const Stdin = "-"

// Settings say how a corpus is read. Options must be those that the traces are built with: the counts
// of a Summary depend on them.
type Settings struct {
	Options     corpus.Options
	Strict      bool      // refuse unknown fields and id lists that do not fit the input length
	SkipInvalid bool      // leave out traces that cannot be used, and list them, instead of failing
	TempDir     string    // for input that can be read only once; the system's own when empty
	Stdin       io.Reader // what Stdin reads
}

// Source is a file that may hold traces.
type Source struct {
	Path string // to open it
	Name string // its identity in the corpus: slash-separated, relative to the given directory
	Size int64  // bytes as stored, 0 for the standard input
}

// List finds the files of a corpus: paths are files, directories (searched recursively) or Stdin. The
// order is that of the arguments, inside a directory by path components, bytewise.
func List(paths []string) ([]Source, error) {
	return nil, errors.New("listing is not there yet")
}

// Survey is the result of reading a file once.
type Survey struct {
	Source        Source
	BLAKE3        [32]byte // of the file's bytes as stored
	Units         []*Unit  // in file order
	Refused       []*Error // with Settings.SkipInvalid
	UnknownFields map[string]int
}

// Survey reads the whole file. Without SkipInvalid the first trace that cannot be used is the error.
func (s Source) Survey(settings Settings) (*Survey, error) {
	return nil, errors.New("surveying is not there yet")
}

// Unit is one trace in a file.
type Unit struct {
	Summary corpus.Summary
	Size    int64 // bytes of its text; for Parquet an estimate

	nested corpus.TimeBasis
}

// Read reads the trace again. It fails if the text is no longer what the survey saw.
func (u *Unit) Read() (*corpus.Trace, error) {
	return nil, errors.New("reading is not there yet")
}
