package eventlog

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
)

var errStoredForm = errors.New("the stored payload is not of the form of its kind")

// unpack appends the payload that the array stands for.
func unpack(to []byte, columns []column, atNs int64, packed []byte) ([]byte, error) {
	var stored [maxPlaces][]byte
	ok := splitArray(packed, func(i int, value []byte) bool {
		if i < len(stored) && string(value) != "null" {
			stored[i] = value
		}
		return true
	})
	if !ok {
		return to, errStoredForm
	}
	o := object{bytes: append(to, '{')}
	var base int64 // due_ns, or the at_ns of an end
	for i := range columns {
		column := &columns[i]
		if !o.unpackColumn(column, stored[column.place], atNs, &base) {
			return to, errStoredForm
		}
	}
	return append(o.bytes, '}'), nil
}

// unpackColumn appends one key; false where the value is not of its form.
func (o *object) unpackColumn(column *column, value []byte, atNs int64, base *int64) bool {
	switch column.codec {
	case asIs:
		if value == nil {
			value = []byte(column.usual)
		}
		if len(value) > 0 {
			o.raw(column.key, value)
		}
		return true
	case flag:
		if value == nil {
			o.raw(column.key, []byte("true"))
		}
		return true
	}
	difference, known := int64(0), false
	if value != nil {
		if difference, known = parseInt(value); !known {
			return false
		}
	}
	switch column.codec {
	case agoNs:
		*base = atNs - difference
		o.number(column.key, *base)
		return known
	case sinceDueNs:
		o.number(column.key, *base+difference)
	case timerFromAt:
		if known {
			o.key(column.key)
			o.bytes = append(o.bytes, `{"due_ns":`...)
			o.bytes = strconv.AppendInt(o.bytes, *base+difference, 10)
			o.bytes = append(o.bytes, `,"gap_ns":`...)
			o.bytes = append(append(o.bytes, value...), '}')
		}
	}
	return true
}

// unpacker gives payloads back as they were added.
type unpacker struct {
	db      *conn
	columns map[Kind][]column
	keys    []exchangeKey
	fields  []field
	seen    map[Seq][]field // shared keys of exchange_end events
}

func newUnpacker(db *conn) *unpacker {
	return &unpacker{db: db, columns: storedColumns(), keys: exchangeKeys(), seen: map[Seq][]field{}}
}

// unpack replaces the payload of an event by what was added.
func (u *unpacker) unpack(event *Event) (err error) {
	switch {
	case event.Kind == KindExchangeEnd:
		err = u.unpackExchange(event)
	case len(event.Payload) > 0 && event.Payload[0] == '[':
		columns := u.columns[event.Kind]
		if columns == nil {
			return nil // of a later program
		}
		event.Payload, err = unpack(make([]byte, 0, len(event.Payload)+unpackedMore), columns, event.AtNs, event.Payload)
	}
	if err != nil {
		return fmt.Errorf("event %d (%v): %w", event.Seq, event.Kind, err)
	}
	return nil
}

// unpackedMore is a little more than the keys of a dispatch take.
const unpackedMore = 160

func (u *unpacker) unpackExchange(event *Event) error {
	head, rest, err := cutHead(event.Data)
	if err != nil {
		return err
	}
	fields, ok := splitObject(u.fields[:0], event.Payload)
	u.fields = fields
	shares := ok && len(fields) > 0 && string(fields[len(fields)-1].key) == sharedKey
	switch {
	case head == nil && !shares:
		event.Data = rest
		return nil
	case !ok:
		return errStoredForm
	}
	shared := fields
	if shares {
		reference, ok := parseInt(fields[len(fields)-1].value)
		if !ok || Seq(reference) >= event.Seq {
			return errStoredForm
		}
		if shared, err = u.sharedOf(Seq(reference)); err != nil {
			return err
		}
	}
	event.Data = rest
	event.Payload = u.merge(fields, shared, head)
	return nil
}

// merge puts the keys of an exchange_end into their order.
func (u *unpacker) merge(fields, shared []field, head head) []byte {
	var id, digest []byte
	if head != nil {
		id, digest = head.texts()
	}
	o := object{bytes: append(make([]byte, 0, exchangeEndBytes), '{')}
	for _, key := range u.keys {
		var value []byte
		switch {
		case key.shared:
			value = find(shared, key.name)
		case !head.holds(key.name):
			value = find(fields, key.name)
		case key.name == "id":
			value = id
		default:
			value = digest
		}
		if value != nil {
			o.raw(key.name, value)
		}
	}
	return append(o.bytes, '}')
}

// sharedOf gives the shared keys of an earlier exchange_end.
func (u *unpacker) sharedOf(seq Seq) ([]field, error) {
	if shared, found := u.seen[seq]; found {
		return shared, nil
	}
	var payload []byte
	err := u.db.query("SELECT CAST(payload AS BLOB) FROM events WHERE seq = ? AND kind = ?",
		[]driver.Value{int64(seq), int64(KindExchangeEnd)}, func(row []driver.Value) error {
			payload, _ = row[0].([]byte)
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("reading event %d, whose values it shares: %w", seq, err)
	}
	fields, ok := splitObject(nil, payload)
	if !ok || find(fields, sharedKey) != nil {
		return nil, fmt.Errorf("event %d, whose values it shares, is no exchange_end that has them", seq)
	}
	if len(u.seen) >= maxShared {
		clear(u.seen)
	}
	u.seen[seq] = fields
	return fields, nil
}
