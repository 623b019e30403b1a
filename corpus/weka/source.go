package weka

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"

	"agentx/corpus"
)

// Settings say how a corpus is read. Options must be those that the traces are built with: the counts
// of a Summary depend on them.
type Settings struct {
	Options     corpus.Options
	Strict      bool      // refuse unknown fields and id lists that do not fit the input length
	SkipInvalid bool      // leave out traces that cannot be used, and list them, instead of failing
	TempDir     string    // for input that can be read only once; the system's own when empty
	Stdin       io.Reader // what Stdin reads
}

// Survey is the result of reading a file once. Close it, or the Corpus that it goes into.
type Survey struct {
	Source        Source
	BLAKE3        [32]byte // of the file's bytes as stored
	Units         []*Unit  // in file order
	Refused       []*Error // with Settings.SkipInvalid
	UnknownFields map[string]int

	ctx      context.Context // of the reading
	settings Settings
	seed     maphash.Seed
	spool    *spool // nil until it is needed
}

// Survey reads the whole file. Without SkipInvalid the first trace that cannot be used is the error,
// an *Error. The end of ctx, which is looked at before every trace, is the error whatever the settings.
func (s Source) Survey(ctx context.Context, settings Settings) (*Survey, error) {
	survey := &Survey{ctx: ctx, Source: s, UnknownFields: map[string]int{}, settings: settings, seed: maphash.MakeSeed()}
	if err := survey.run(); err != nil {
		_ = survey.Close() // what went wrong first is what the user must hear of
		return nil, err
	}
	return survey, nil
}

// Close removes what had to be stored beside the file. Units cannot be read after it.
func (s *Survey) Close() error {
	if s.spool == nil {
		return nil
	}
	return s.spool.close()
}

// run reads the file; a fault of the file as a whole is refused like one of a trace.
func (s *Survey) run() error {
	err := s.readFile()
	if err == nil || s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	var refused *Error
	if errors.As(err, &refused) {
		return s.refuse(refused)
	}
	refused = &Error{Row: -1, Problem: "cannot be read: " + cause(err)}
	var system *fs.PathError
	if errors.As(err, &system) || errors.Is(err, errNoStdin) { // no fault of the file
		refused.File = s.Source.Path
		return refused
	}
	refused.Hint = "the file may be damaged or cut off"
	return s.refuse(refused)
}

// refuse lists the error or, without SkipInvalid, returns it.
func (s *Survey) refuse(e *Error) error {
	if e.File == "" {
		e.File = s.Source.Path
	}
	if e.File == Stdin && e.Hint == hintCopy {
		e.Hint = "the program before the pipe wrote less than a whole trace: see whether it failed"
	}
	if !s.settings.SkipInvalid {
		return e
	}
	s.Refused = append(s.Refused, e)
	return nil
}

func (s *Survey) readFile() error {
	in, err := openInput(s.Source, s.settings.Stdin)
	if err != nil {
		return err
	}
	if in.broken != nil {
		err = in.broken
	} else if s.Source.Path == Stdin || in.isRows && in.packed {
		err = s.readSpooled(in)
	} else {
		err = s.readInput(in, place{path: s.Source.Path, packed: in.packed})
	}
	if err == nil || s.settings.SkipInvalid && s.ctx.Err() == nil { // a skipped file is part of the corpus too
		var broken error
		s.BLAKE3, s.Source.Size, broken = in.digest()
		err = errors.Join(err, broken)
	}
	return errors.Join(err, in.close())
}

// readSpooled stores the text and reads it from there.
func (s *Survey) readSpooled(in *input) error {
	store, err := s.store()
	if err != nil {
		return err
	}
	length, err := store.copy(in.text)
	if err != nil {
		return err
	}
	again := &input{text: store.reader(0, length), isRows: in.isRows}
	return s.readInput(again, place{spool: store, length: length})
}

// readInput surveys the traces of an input that can be read again at the place.
func (s *Survey) readInput(in *input, at place) error {
	if in.isRows {
		return s.readParquet(at)
	}
	return s.readText(in, at)
}

// add surveys the trace in the text, which will be read again from the place. line is 0 and row −1
// where the file is one trace.
func (s *Survey) add(text []byte, at place, line, row int) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	found, err := decode(text, s.settings.Strict, s.settings.Options.BlockSize)
	if err == nil {
		unit := &Unit{Size: int64(len(text)), at: at, seed: s.seed, sum: maphash.Bytes(s.seed, text), file: s.Source, line: line, row: row}
		found.trace.Source = unit.source()
		unit.Summary, err = corpus.Survey(found.trace, s.settings.Options)
		if err == nil {
			s.Units = append(s.Units, unit)
			for name, count := range found.unknown {
				s.UnknownFields[name] += count
			}
			return nil
		}
	}
	var refused *Error
	var unfit *corpus.TraceError
	switch {
	case errors.As(err, &refused):
	case errors.As(err, &unfit):
		refused = &Error{Trace: string(unfit.Trace), Field: unfit.Field, Problem: unfit.Problem, Hint: unfit.Hint}
	default:
		return err
	}
	refused.Line, refused.Row = line, row
	return s.refuse(refused)
}

// Unit is one trace in a file.
type Unit struct {
	Summary corpus.Summary
	Size    int64 // bytes of its JSON text

	at        place
	seed      maphash.Seed
	sum       uint64 // of the text
	file      Source
	line, row int
	nested    corpus.TimeBasis
}

// source is where the trace stands in the corpus.
func (u *Unit) source() string {
	switch {
	case u.line > 0:
		return fmt.Sprintf("%s:%d", u.file.Name, u.line)
	case u.row >= 0:
		return fmt.Sprintf("%s[%d]", u.file.Name, u.row)
	}
	return u.file.Name
}

// where names the unit's place for a reader.
func (u *Unit) where() string {
	switch {
	case u.line > 0:
		return fmt.Sprintf("%s, line %d", u.file.Path, u.line)
	case u.row >= 0:
		return fmt.Sprintf("%s, row %d", u.file.Path, u.row)
	}
	return u.file.Path
}

// fail makes an error that names the unit.
func (u *Unit) fail(problem, hint string) *Error {
	return &Error{File: u.file.Path, Line: u.line, Row: u.row, Trace: string(u.Summary.Trace), Problem: problem, Hint: hint}
}

// Read reads the trace again. It fails if the text is no longer what the survey saw.
func (u *Unit) Read() (*corpus.Trace, error) {
	text, err := u.at.text()
	if err != nil {
		return nil, u.fail("cannot be read again: "+cause(err), "leave the files alone while they are read")
	}
	if maphash.Bytes(u.seed, text) != u.sum {
		return nil, u.fail("has changed since it was first read", "leave the files alone while they are read")
	}
	found, err := decode(text, false, 0)
	if err != nil {
		return nil, err
	}
	found.trace.Source, found.trace.NestedFallback = u.source(), u.nested
	return found.trace, nil
}
