package eventlog

import (
	"encoding/binary"
	"math"
)

// tableWalk goes through the rows of a table by their numbers.
type tableWalk struct {
	pages *pageFile
	path  []branch // from the root to the leaf
	leaf  []byte   // a page of rows, copied
	cells int      // rows in it
	cell  int      // the next one
	last  int64    // the number of the row before it
}

// branch is a page that leads to others: each cell has a page and the greatest number in it, and one more page
// holds what is greater than all.
type branch struct {
	page  []byte
	cells int
	next  int // the cell to descend to after the one that is being walked
}

const (
	branchPage = 0x05
	leafPage   = 0x0d
	branchHead = 12
	leafHead   = 8
	deepest    = 20 // SQLite allows no more
)

// seek goes to the first row with at least the given number.
func (w *tableWalk) seek(root uint32, from int64) error {
	w.path, w.cells, w.cell, w.last = w.path[:0], 0, 0, from-1
	if err := w.descend(root, from); err != nil {
		return err
	}
	for w.cell < w.cells {
		c, err := w.current()
		if err != nil || c.number >= from {
			return err
		}
		w.cell++
	}
	return nil
}

// descend goes down from a page to the leaf in which a number is or would be.
func (w *tableWalk) descend(number uint32, from int64) error {
	for len(w.path) < deepest {
		page, err := w.pages.page(number)
		if err != nil {
			return err
		}
		cells := int(binary.BigEndian.Uint16(page[3:]))
		switch page[0] {
		case leafPage:
			if leafHead+2*cells > len(page) {
				return errNotPlain
			}
			w.leaf, w.cells, w.cell = append(w.leaf[:0], page...), cells, 0
			return nil
		case branchPage:
			if branchHead+2*cells > len(page) || cells == 0 {
				return errNotPlain
			}
			b := w.branch(page, cells)
			for b.next < cells {
				greatest, err := b.greatest()
				if err != nil {
					return err
				}
				if from <= greatest {
					break
				}
				b.next++
			}
			if number, err = b.child(); err != nil {
				return err
			}
			b.next++
		default:
			return errNotPlain
		}
	}
	return errNotPlain
}

// branch puts a copy of a page on the path.
func (w *tableWalk) branch(page []byte, cells int) *branch {
	n := len(w.path)
	if n < cap(w.path) {
		w.path = w.path[:n+1] // its buffer is used again
	} else {
		w.path = append(w.path, branch{})
	}
	b := &w.path[n]
	b.page, b.cells, b.next = append(b.page[:0], page...), cells, 0
	return b
}

// at gives the bytes of the next cell.
func (b *branch) at() ([]byte, error) {
	offset := int(binary.BigEndian.Uint16(b.page[branchHead+2*b.next:]))
	if offset < branchHead || offset+5 > len(b.page) {
		return nil, errNotPlain
	}
	return b.page[offset:], nil
}

func (b *branch) greatest() (int64, error) {
	cell, err := b.at()
	if err != nil {
		return 0, err
	}
	number, _, err := cutVarint(cell[4:])
	return number, err
}

func (b *branch) child() (uint32, error) {
	if b.next == b.cells {
		return binary.BigEndian.Uint32(b.page[8:]), nil
	}
	cell, err := b.at()
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(cell), nil
}

// row is a row of the table: its number, and its record.
type row struct {
	number   int64
	size     int    // of the record
	local    []byte // its beginning; valid until the walk goes on
	overflow uint32 // the page with the rest; 0: there is none
}

// peek gives the row that is next; ok is false after the last one.
func (w *tableWalk) peek() (r row, ok bool, err error) {
	for w.cell == w.cells {
		for len(w.path) > 0 && w.path[len(w.path)-1].next > w.path[len(w.path)-1].cells {
			w.path = w.path[:len(w.path)-1]
		}
		if len(w.path) == 0 {
			return row{}, false, nil
		}
		b := &w.path[len(w.path)-1]
		number, err := b.child()
		if err != nil {
			return row{}, false, err
		}
		b.next++
		if err := w.descend(number, math.MinInt64); err != nil {
			return row{}, false, err
		}
		if w.cells == 0 { // only the root of an empty table has no rows
			return row{}, false, errNotPlain
		}
	}
	if r, err = w.current(); err == nil && r.number <= w.last {
		err = errNotPlain // a damaged table may go in circles
	}
	return r, err == nil, err
}

// advance goes behind the row that peek gave.
func (w *tableWalk) advance(r *row) { w.last, w.cell = r.number, w.cell+1 }

// current is the row at w.cell.
func (w *tableWalk) current() (r row, err error) {
	offset := int(binary.BigEndian.Uint16(w.leaf[leafHead+2*w.cell:]))
	if offset < leafHead || offset >= len(w.leaf) {
		return r, errNotPlain
	}
	size, rest, err := cutVarint(w.leaf[offset:])
	if err != nil || size < 0 || size > min(maxRecord, w.pages.bytes) {
		return r, errNotPlain
	}
	if r.number, rest, err = cutVarint(rest); err != nil {
		return r, err
	}
	r.size = int(size)
	local := localBytes(r.size, w.pages.usable)
	if local < r.size {
		if local+4 > len(rest) {
			return r, errNotPlain
		}
		r.overflow = binary.BigEndian.Uint32(rest[local:])
	}
	if local > len(rest) {
		return r, errNotPlain
	}
	r.local = rest[:local]
	return r, nil
}

// maxRecord is SQLite's own limit for a record.
const maxRecord = 1_000_000_000

// localBytes is how much of a record is on the leaf itself (fileformat2, 1.6).
func localBytes(size, usable int) int {
	if size <= usable-35 {
		return size
	}
	least := (usable-12)*32/255 - 23
	if local := least + (size-least)%(usable-4); local <= usable-35 {
		return local
	}
	return least
}

// appendRest appends the record's bytes from the end of its local ones to an end, by the chain of pages.
func (w *tableWalk) appendRest(to []byte, r *row, end int) ([]byte, error) {
	number := r.overflow
	for at := len(r.local); at < end; {
		page, err := w.pages.page(number)
		if err != nil {
			return to, err
		}
		number = binary.BigEndian.Uint32(page)
		n := min(end-at, len(page)-4)
		to = append(to, page[4:4+n]...)
		at += n
	}
	return to, nil
}

// cutVarint cuts one of SQLite's numbers off: seven bits a byte, the high ones first, all eight of a ninth.
func cutVarint(from []byte) (value int64, rest []byte, err error) {
	for i, c := range from {
		if i == 8 {
			return value<<8 | int64(c), from[9:], nil
		}
		value = value<<7 | int64(c&0x7f)
		if c < 0x80 {
			return value, from[i+1:], nil
		}
	}
	return 0, nil, errNotPlain
}
