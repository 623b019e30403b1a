package weka

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"

	"agentx/corpus"
)

// interner gives the distinct hash ids of a trace numbers from 0.
type interner struct {
	small []corpus.Block // by id, the number plus 1; 0: not met
	large map[numeral]corpus.Block
	count int
}

// smallFactor bounds the table of small ids to a multiple of the ids that were met.
const smallFactor = 8

func (n *interner) block(id numeral) corpus.Block {
	limit := uint64(smallFactor * (n.count + 4096))
	if id.negative || id.magnitude >= limit {
		return n.other(id)
	}
	if have := uint64(len(n.small)); id.magnitude >= have {
		more := max(id.magnitude+1, min(2*have, limit)) - have
		n.small = append(n.small, make([]corpus.Block, more)...)
	}
	if known := n.small[id.magnitude]; known > 0 {
		return known - 1
	}
	block, known := n.large[id] // from a time when the table was smaller
	if !known {
		block = n.next()
	}
	n.small[id.magnitude] = block + 1
	return block
}

func (n *interner) other(id numeral) corpus.Block {
	block, known := n.large[id]
	if !known {
		if n.large == nil {
			n.large = map[numeral]corpus.Block{}
		}
		block = n.next()
		n.large[id] = block
	}
	return block
}

func (n *interner) next() corpus.Block {
	n.count++
	return corpus.Block(n.count - 1)
}

// idList is an id list that was read, to compare the next one with: agents send their history again
// and again, so most of a list stands letter for letter in the one before.
type idList struct {
	text   []byte // from the bracket to before the closing one
	blocks []corpus.Block
}

// blocks reads an id list. last is the list read before it in the same conversation, as far as the
// file's order tells; it becomes this one.
func (d *decoder) blocks(field string, last *idList) error {
	if d.peek() != '[' {
		return d.wrongType(field, "a list of integers")
	}
	start := d.at
	blocks, resumed := last.resume(d.text[start:])
	if resumed == 0 {
		d.at = start + 1
		if d.peek() == ']' {
			return d.endList(last, start, nil)
		}
	} else {
		d.at = start + resumed
	}
	for fresh := resumed == 0; ; fresh = true {
		if fresh {
			id, err := d.id(field, len(blocks))
			if err != nil {
				return err
			}
			blocks = append(blocks, d.ids.block(id))
		}
		switch d.peek() {
		case ',':
			d.at++
		case ']':
			return d.endList(last, start, blocks)
		default:
			return d.wrong(`"," or "]"`)
		}
	}
}

func (d *decoder) endList(last *idList, start int, blocks []corpus.Block) error {
	*last = idList{d.text[start:d.at], blocks}
	d.at++
	return nil
}

// resume finds how much of the list was read before: text is taken over up to byte at, which stands
// after an id (0: nothing is taken over), and blocks are its ids. Where the whole former list is taken
// over, its blocks are extended in place; this is safe because only the latest list is ever extended.
func (l *idList) resume(text []byte) (blocks []corpus.Block, at int) {
	same := commonBytes(l.text, text)
	if same == len(l.text) && same < len(text) && len(l.blocks) > 0 && endsID(text[same]) {
		return l.blocks, same
	}
	comma := bytes.LastIndexByte(l.text[:same], ',')
	if comma < 0 {
		return nil, 0
	}
	count := bytes.Count(l.text[:comma], []byte{','}) + 1
	return l.blocks[:count:count], comma
}

// endsID reports whether the byte can stand after an id.
func endsID(c byte) bool {
	return c == ',' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t'
}

// commonBytes is the length of the common beginning.
func commonBytes(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// id reads a hash id, exactly.
func (d *decoder) id(field string, i int) (numeral, error) {
	d.peek()
	var value uint64
	at := d.at
	for ; at < len(d.text) && at < d.at+18 && '0' <= d.text[at] && d.text[at] <= '9'; at++ {
		value = value*10 + uint64(d.text[at]-'0')
	}
	if at > d.at && at < len(d.text) && endsID(d.text[at]) && (d.text[d.at] != '0' || at == d.at+1) {
		d.at = at
		return numeral{magnitude: value}, nil
	}
	return d.oddID(field, i)
}

// oddID reads an id that is more than a few digits.
func (d *decoder) oddID(field string, i int) (numeral, error) {
	place := fmt.Sprintf("%s[%d]", field, i)
	number, err := d.rawNumeric(place, "an integer")
	if err != nil {
		return numeral{}, err
	}
	id, integral := parseIntegral(number)
	if _, small := id.inInt64(); !integral || id.negative && !small {
		return id, d.refuse(place, fmt.Sprintf("is %s, expected an integer from −2^63 to 2^64−1", clip(number)))
	}
	return id, nil
}
