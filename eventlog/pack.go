package eventlog

import (
	"bytes"
	"strconv"
)

// packer turns payloads into what is stored. Only the writer goroutine uses it.
type packer struct {
	columns map[Kind][]column
	keys    []exchangeKey
	out     []byte
	check   []byte
	fields  []field
	seen    map[string]Seq // shared keys with their values: the first exchange_end that had them
	shared  []byte
}

// maxShared bounds what packer and reader remember; beyond it they begin anew.
const maxShared = 4096

func newPacker() *packer {
	return &packer{columns: storedColumns(), keys: exchangeKeys(), seen: map[string]Seq{}}
}

// pack replaces payload and data of an event by what is stored; the payload is valid until the next call.
// What unpack would give back differently is stored as it is.
func (p *packer) pack(event *Event) {
	switch columns := p.columns[event.Kind]; {
	case event.Kind == KindExchangeEnd:
		p.packExchange(event)
	case columns != nil && len(event.Payload) > 0:
		event.Payload = p.packColumns(event, columns)
	}
}

func (p *packer) packColumns(event *Event, columns []column) []byte {
	var ok bool
	if p.fields, ok = splitObject(p.fields[:0], event.Payload); !ok {
		return event.Payload
	}
	var stored [maxPlaces][]byte
	p.out = p.out[:0]
	for i := range columns {
		if !p.place(&stored[columns[i].place], &columns[i], event.AtNs) {
			return event.Payload
		}
	}
	packed := p.array(stored[:])
	var err error
	if p.check, err = unpack(p.check[:0], columns, event.AtNs, packed); err != nil || !bytes.Equal(p.check, event.Payload) {
		return event.Payload
	}
	return packed
}

// array writes the values without the nulls at the end.
func (p *packer) array(stored [][]byte) []byte {
	last := len(stored)
	for last > 0 && stored[last-1] == nil {
		last--
	}
	start := len(p.out)
	p.out = append(p.out, '[')
	for i, value := range stored[:last] {
		if i > 0 {
			p.out = append(p.out, ',')
		}
		if value == nil {
			value = []byte("null")
		}
		p.out = append(p.out, value...)
	}
	p.out = append(p.out, ']')
	return p.out[start:]
}

// place gives the stored value of one column, nil for null; false where it does not fit the form.
func (p *packer) place(into *[]byte, column *column, atNs int64) bool {
	value := find(p.fields, column.key)
	switch column.codec {
	case asIs:
		if string(value) != column.usual {
			*into = value
		}
		return true
	case flag:
		if value == nil {
			*into = []byte("0")
		}
		return true
	case timerFromAt:
		if value == nil {
			return true
		}
		fields, ok := splitObject(nil, value)
		*into = find(fields, "gap_ns")
		return ok
	}
	number, ok := parseInt(value)
	switch {
	case !ok || number < 0 || atNs < 0: // a difference could be too large
		return false
	case column.codec == agoNs:
		*into = p.number(atNs - number)
		return true
	}
	due, ok := parseInt(find(p.fields, "due_ns"))
	if ok && due >= 0 && number != due {
		*into = p.number(number - due)
	}
	return ok && due >= 0
}

func (p *packer) number(value int64) []byte {
	start := len(p.out)
	p.out = strconv.AppendInt(p.out, value, 10)
	return p.out[start:len(p.out):len(p.out)]
}

// packExchange moves id and body digest into the head of the data, and leaves out the shared keys where an
// earlier event has the same ones.
func (p *packer) packExchange(event *Event) {
	added := event.Data
	if looksHeaded(added) {
		event.Data = append([]byte{formNoHead}, added...)
	}
	var ok bool
	if p.fields, ok = splitObject(p.fields[:0], event.Payload); !ok || len(p.fields) == 0 {
		return
	}
	head := exchangeHead(find(p.fields, "id"), find(p.fields, "b"))
	o, shared := object{bytes: append(p.out[:0], '{')}, object{bytes: p.shared[:0]}
	next := 0 // of p.keys: the payload has its keys in that order, each once
	for _, f := range p.fields {
		for next < len(p.keys) && p.keys[next].name != string(f.key) {
			next++
		}
		if next == len(p.keys) {
			return
		}
		switch key := p.keys[next]; {
		case key.shared:
			shared.raw(key.name, f.value)
		case !head.holds(key.name):
			o.raw(key.name, f.value)
		}
		next++
	}
	p.out, p.shared = o.bytes, shared.bytes
	switch first, found := p.sharing(event.Seq); {
	case found:
		o.number(sharedKey, int64(first))
	case head == nil:
		return // as it was added
	case len(p.shared) > 0:
		o.join(p.shared)
	}
	event.Payload = append(o.bytes, '}')
	if head != nil {
		event.Data = append(head, added...)
	}
}

// sharing gives the earlier event that has the same shared keys, or remembers this one.
func (p *packer) sharing(seq Seq) (first Seq, found bool) {
	if len(p.shared) == 0 {
		return 0, false
	}
	if first, found = p.seen[string(p.shared)]; found {
		return first, true
	}
	if len(p.seen) >= maxShared {
		clear(p.seen)
	}
	p.seen[string(p.shared)] = seq
	return 0, false
}
