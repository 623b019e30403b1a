package eventlog

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
)

// A closed log is one file that nobody writes any more, and its events are one table in the order of their
// numbers. So they are read from its pages, by the format that sqlite.org/fileformat2.html fixes: SQLite's
// machine, made for any query, takes four times as long. Whatever is not quite as expected is left to
// SQLite, from the event on that was to come; SQLite alone says what is damaged.

// errNotPlain says that SQLite is to go on.
var errNotPlain = errors.New("not a plain table in a closed file")

// pageFile gives the pages of a file.
type pageFile struct {
	file   *os.File
	size   int // of a page
	usable int // of it, without the bytes reserved at its end
	bytes  int64
	window []byte
	first  uint32 // the number of the window's first page
}

// windowBytes is how much is read at once: most pages are read in their order.
const windowBytes = 256 << 10

// openPages opens a file that is not in WAL mode. Closing it drops the locks that SQLite has on the file in
// this process (fcntl): of a closed log nobody needs them.
func openPages(path string) (*pageFile, error) {
	if _, err := os.Lstat(path + "-journal"); !errors.Is(err, fs.ErrNotExist) {
		return nil, errNotPlain // something is to be rolled back
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	var head [sqliteHead]byte
	if _, err := io.ReadFull(file, head[:]); err != nil {
		_ = file.Close()
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	p := &pageFile{file: file, bytes: info.Size(), size: int(binary.BigEndian.Uint16(head[16:]))}
	if p.size == 1 {
		p.size = 65536
	}
	p.usable = p.size - int(head[20])
	rollback, utf8 := head[18] == 1 && head[19] == 1, binary.BigEndian.Uint32(head[56:]) == 1
	if !rollback || !utf8 || p.size < 512 || p.size&(p.size-1) != 0 || p.usable < 480 {
		_ = file.Close()
		return nil, errNotPlain
	}
	p.window = make([]byte, 0, max(windowBytes, p.size))
	return p, nil
}

func (p *pageFile) close() error { return p.file.Close() }

// page gives a page by its number, from 1; it is valid until the next call.
func (p *pageFile) page(number uint32) ([]byte, error) {
	if number == 0 {
		return nil, errNotPlain
	}
	if held := uint32(len(p.window) / p.size); number < p.first || number-p.first >= held {
		n, err := p.file.ReadAt(p.window[:cap(p.window)], int64(number-1)*int64(p.size))
		if n < p.size {
			if err == io.EOF {
				err = errNotPlain
			}
			p.window = p.window[:0]
			return nil, err
		}
		p.window, p.first = p.window[:n], number
	}
	at := int(number-p.first) * p.size
	return p.window[at : at+p.size][:p.usable], nil
}
