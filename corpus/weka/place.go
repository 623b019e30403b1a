package weka

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// place is where a text can be read again.
type place struct {
	path           string
	spool          *spool // instead of the path
	packed         bool   // the file must be unpacked; offset and length are those of its text
	offset, length int64
}

// text reads the text.
func (p place) text() ([]byte, error) {
	if p.length > maxText {
		return nil, errTooLong
	}
	text := make([]byte, p.length)
	switch {
	case p.spool != nil:
		_, err := p.spool.file.ReadAt(text, p.offset)
		return text, err
	case p.packed:
		in, err := openInput(Source{Path: p.path}, nil)
		if err != nil {
			return nil, err
		}
		_, err = io.CopyN(io.Discard, in.text, p.offset)
		if err == nil {
			_, err = io.ReadFull(in.text, text)
		}
		return text, errors.Join(err, in.close())
	}
	file, err := os.Open(p.path)
	if err != nil {
		return nil, err
	}
	_, err = file.ReadAt(text, p.offset)
	return text, errors.Join(err, file.Close())
}

// spool is a temporary file for texts that cannot be read twice where they came from. It is written by
// one Survey and then read by many.
type spool struct {
	file    *os.File
	size    int64
	removed bool // from its folder, so that nothing is left even if the program is killed
}

// store gives the survey's spool.
func (s *Survey) store() (*spool, error) {
	if s.spool != nil {
		return s.spool, nil
	}
	file, err := os.CreateTemp(s.settings.TempDir, "agentx-input-*")
	if err != nil {
		return nil, fmt.Errorf("storing input that can be read only once: %w", err)
	}
	s.spool = &spool{file: file, removed: os.Remove(file.Name()) == nil}
	return s.spool, nil
}

// copy appends all that the reader gives and returns its length.
func (s *spool) copy(from io.Reader) (int64, error) {
	length, err := io.Copy(s.file, from)
	s.size += length
	return length, err
}

// reader reads a stretch of the spool.
func (s *spool) reader(offset, length int64) *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(s.file, offset, length), 1<<17)
}

func (s *spool) close() error {
	err := s.file.Close()
	if s.removed {
		return err
	}
	return errors.Join(err, os.Remove(s.file.Name()))
}
