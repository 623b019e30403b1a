package weka

import (
	"bytes"
	"errors"
	"io"
)

// usualText is the most that is set aside for a text before it is read, in bytes.
const usualText = 8 << 20

// readText surveys a file of JSON: one trace, or one on each line.
func (s *Survey) readText(in *input, at place) error {
	rest := &lines{text: in.text, buffer: make([]byte, 0, min(s.Source.Size+1, usualText))}
	if !at.packed {
		rest.at = in.skipped
	}
	first, start, err := rest.next()
	if errors.Is(err, io.EOF) {
		problem, hint := strange(nil)
		return &Error{Row: -1, Problem: problem, Hint: hint}
	}
	if err != nil {
		return err
	}
	if problem, hint := strange(first); problem != "" {
		return &Error{Row: -1, Problem: problem, Hint: hint}
	}
	line := rest.number
	first, rest.buffer = rest.buffer, nil
	second, next, err := rest.next()
	switch {
	case errors.Is(err, io.EOF):
		at.offset, at.length = start, int64(len(first))
		return s.add(first, at, 0, -1)
	case err != nil:
		return err
	case !s.hasLines(first, second):
		return s.readDocument(in, rest, at, start)
	}
	if err := s.addLine(first, at, start, line); err != nil {
		return err
	}
	for err == nil {
		if err := s.addLine(second, at, next, rest.number); err != nil {
			return err
		}
		second, next, err = rest.next()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// hasLines decides by the first two lines that are not blank whether each line is a trace. The file's
// name counts only where the first line is broken.
func (s *Survey) hasLines(first, second []byte) bool {
	scan := scanner{text: first}
	_, err := scan.skip(0)
	scan.peek()
	switch {
	case err == nil:
		return scan.at == len(first)
	case errors.Is(err, errCut):
		return isLineName(s.Source.Name) && bytes.HasPrefix(second, []byte("{"))
	}
	return isLineName(s.Source.Name) || first[0] == '{' && second[0] == '{'
}

// readDocument surveys a file that is one trace on many lines, of which some were read already.
func (s *Survey) readDocument(in *input, rest *lines, at place, start int64) error {
	for err := error(nil); !errors.Is(err, io.EOF); {
		if err != nil {
			return err
		}
		rest.buffer = rest.buffer[:0]
		err = rest.append()
	}
	at.offset, at.length = start, rest.at-start
	text, err := at.text()
	if err != nil {
		return err
	}
	return s.add(text, at, 0, -1)
}

// addLine surveys one line. Where the file cannot be read from the middle, the line is stored.
func (s *Survey) addLine(text []byte, at place, start int64, line int) error {
	at.offset, at.length = start, int64(len(text))
	if at.packed {
		stored, err := s.keep(text)
		if err != nil {
			return err
		}
		at = stored
	}
	return s.add(text, at, line, -1)
}

// keep stores a text to be read again.
func (s *Survey) keep(text []byte) (place, error) {
	store, err := s.store()
	if err != nil {
		return place{}, err
	}
	offset := store.size
	length, err := store.copy(bytes.NewReader(text))
	return place{spool: store, offset: offset, length: length}, err
}
