package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

// set appends a key; nil values are left out: a file never says null for what is not known.
func (o *object) set(key string, value any) *object {
	if value != nil {
		*o = append(*o, member{key, value})
	}
	return o
}

// number appends a finite number, or nothing.
func (o *object) number(key string, value float64, known bool) *object {
	if known && !math.IsNaN(value) && !math.IsInf(value, 0) {
		return o.set(key, value)
	}
	return o
}

// measured appends a number of our own files, where infinity is the word "inf".
func (o *object) measured(key string, value float64, known bool) *object {
	if known && math.IsInf(value, 1) {
		return o.set(key, "inf")
	}
	return o.number(key, value, known)
}

// text appends a text that is not empty.
func (o *object) text(key, value string) *object {
	if value != "" {
		return o.set(key, value)
	}
	return o
}

// MarshalJSON writes the members in order, without escaping for HTML.
func (o object) MarshalJSON() ([]byte, error) {
	var buffer bytes.Buffer
	buffer.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			buffer.WriteByte(',')
		}
		if err := encode(&buffer, m.key); err != nil {
			return nil, err
		}
		buffer.WriteByte(':')
		if err := encode(&buffer, m.value); err != nil {
			return nil, fmt.Errorf("%s: %w", m.key, err)
		}
	}
	buffer.WriteByte('}')
	return buffer.Bytes(), nil
}

// encode writes a value as one line, without its final newline.
func encode(buffer *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	buffer.Truncate(buffer.Len() - 1)
	return nil
}

// line is a value as one line of a .jsonl file.
func line(value any) ([]byte, error) {
	var buffer bytes.Buffer
	if err := encode(&buffer, value); err != nil {
		return nil, err
	}
	return append(buffer.Bytes(), '\n'), nil
}

// pretty is a value as an indented file.
func pretty(value any) ([]byte, error) {
	flat, err := line(value)
	if err != nil {
		return nil, err
	}
	var buffer bytes.Buffer
	if err := json.Indent(&buffer, bytes.TrimSuffix(flat, []byte("\n")), "", "  "); err != nil {
		return nil, err
	}
	buffer.WriteByte('\n')
	return buffer.Bytes(), nil
}
