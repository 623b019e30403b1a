package eventlog

import "slices"

// pageScan reads the events of a closed log from its pages.
type pageScan struct {
	pages  *pageFile
	walk   tableWalk
	root   uint32
	at     Seq    // where the walk stands
	memory []byte // of the payloads and data that were read
	kinds  []Kind // empty: all
	bare   bool   // no data but the heads of exchange_end events
}

// newPageScan is nil where SQLite is to read.
func (r *Reader) newPageScan(filter Filter) *pageScan {
	if mode, err := r.journalMode(); err != nil || mode != "delete" || r.immutable != "" {
		return nil
	}
	root, err := r.db.queryInt("SELECT rootpage FROM sqlite_schema WHERE name = 'events' AND type = 'table'")
	if err != nil || root < 2 || root > maxPage {
		return nil
	}
	pages, err := openPages(r.path)
	if err != nil {
		return nil
	}
	return &pageScan{pages: pages, walk: tableWalk{pages: pages}, root: uint32(root), kinds: filter.Kinds, bare: filter.NoData}
}

// maxPage is the greatest number of a page.
const maxPage = 1<<32 - 2

func (p *pageScan) close() { _ = p.pages.close() } // reading has no result to lose

// begin begins a page of events; the ones that were given before are no longer needed where memory may be used
// again.
func (p *pageScan) begin(again bool) {
	if again {
		p.memory = p.memory[:0]
	} else {
		p.memory = make([]byte, 0, len(p.memory)+len(p.memory)/8)
	}
}

// read gives the chosen events from one number to another, until give says that it has enough. An error means
// that SQLite is to go on behind the last one that was given.
func (p *pageScan) read(from, to Seq, give func(*Event) (more bool, err error)) error {
	if p.at != from || from == 1 {
		if err := p.walk.seek(p.root, int64(from)); err != nil {
			return err
		}
	}
	p.at = 0 // nowhere, until all is read
	var event Event
	for {
		r, ok, err := p.walk.peek()
		if err != nil {
			return err
		}
		if !ok || Seq(r.number) > to {
			p.at = max(from, Seq(p.walk.last)+1)
			return nil
		}
		chosen, err := p.event(&event, &r)
		if err != nil {
			return err
		}
		p.walk.advance(&r)
		if !chosen {
			continue
		}
		more, err := give(&event)
		if err != nil || !more {
			p.at = event.Seq + 1
			return err
		}
	}
}

// event reads a row, where its kind is chosen.
func (p *pageScan) event(event *Event, r *row) (chosen bool, err error) {
	types, body, err := recordTypes(r.local)
	if err != nil || types[0] != 0 { // the number of the row stands for the first column
		return false, errNotPlain
	}
	var numbers [9]int64
	for i := 1; i < len(numbers); i++ {
		absent := int64(None)
		if i == 8 {
			absent = 0
		}
		if numbers[i], body, err = cutColumn(body, types[i], absent); err != nil {
			return false, err
		}
	}
	if types[1] == 0 || types[2] == 0 {
		return false, errNotPlain
	}
	*event = Event{
		Seq: Seq(r.number), AtNs: numbers[1], Kind: Kind(numbers[2]), Lane: numbers[3], Play: numbers[4],
		Stream: numbers[5], Turn: numbers[6], Exchange: numbers[7], Cause: Seq(numbers[8]),
	}
	if len(p.kinds) > 0 && !slices.Contains(p.kinds, event.Kind) {
		return false, nil
	}
	payload, okPayload := contentBytes(types[9], 13)
	data, okData := contentBytes(types[10], 12)
	start := len(r.local) - len(body)
	if !okPayload || !okData || start+payload+data > r.size {
		return false, errNotPlain
	}
	if p.bare {
		data = min(data, headBytes)
		if event.Kind != KindExchangeEnd {
			data = 0
		}
	}
	content, err := p.keep(r, start, start+payload+data)
	if err != nil {
		return false, err
	}
	if payload > 0 {
		event.Payload = content[:payload:payload]
	}
	if data > 0 {
		event.Data = content[payload:]
	}
	return true, nil
}

// keep copies the bytes of a record between two places to the scan's memory.
func (p *pageScan) keep(r *row, from, to int) (content []byte, err error) {
	start := len(p.memory)
	p.memory = append(p.memory, r.local[from:min(to, len(r.local))]...)
	if to > len(r.local) {
		p.memory, err = p.walk.appendRest(p.memory, r, to)
	}
	return p.memory[start:len(p.memory):len(p.memory)], err
}

// recordTypes cuts the types of the columns off a record (fileformat2, 2.1).
func recordTypes(record []byte) (types [eventColumns]int64, body []byte, err error) {
	size, rest, err := cutVarint(record)
	if err != nil || size < 1 || size > int64(len(record)) {
		return types, nil, errNotPlain
	}
	own := int64(len(record) - len(rest)) // the bytes of the size itself
	if size < own {
		return types, nil, errNotPlain
	}
	rest = rest[:size-own]
	for i := range types {
		if types[i], rest, err = cutVarint(rest); err != nil {
			return types, nil, err
		}
	}
	if len(rest) > 0 {
		return types, nil, errNotPlain
	}
	return types, record[size:], nil
}

// cutColumn cuts a whole number off the record's body.
func cutColumn(body []byte, kind, absent int64) (value int64, rest []byte, err error) {
	sizes := [...]int{0, 1, 2, 3, 4, 6, 8, -1, 0, 0}
	if kind < 0 || kind >= int64(len(sizes)) || sizes[kind] < 0 || sizes[kind] > len(body) {
		return 0, nil, errNotPlain
	}
	switch kind {
	case 0:
		return absent, body, nil
	case 8, 9:
		return kind - 8, body, nil
	}
	size := sizes[kind]
	value = int64(int8(body[0]))
	for _, c := range body[1:size] {
		value = value<<8 | int64(c)
	}
	return value, body[size:], nil
}

// contentBytes is the length of a text (first 13) or blob (first 12) column; 0 for NULL.
func contentBytes(kind, first int64) (length int, ok bool) {
	switch {
	case kind == 0:
		return 0, true
	case kind < first || kind%2 != first%2 || kind > 2*maxRecord:
		return 0, false
	}
	return int(kind-first) / 2, true
}
