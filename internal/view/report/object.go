package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
)

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

// sized is an empty object with room: record files have millions of them, and growing takes most of their
// memory.
func sized(members int) object { return make(object, 0, members) }

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

// encode appends a value as JSON on one line. Objects are written member by member: going through
// encoding/json would copy and check each of them again at every level, and record files have millions.
func encode(to []byte, value any) ([]byte, error) {
	switch value := value.(type) {
	case object:
		return encodeObject(to, value)
	case []object:
		return encodeList(to, value)
	case []float64:
		return encodeList(to, value)
	case string:
		return encodeText(to, value)
	case float64:
		return encodeNumber(to, value)
	case int:
		return strconv.AppendInt(to, int64(value), 10), nil
	case int64:
		return strconv.AppendInt(to, value, 10), nil
	case json.RawMessage:
		return append(to, value...), nil // JSON that somebody else wrote, byte for byte
	case appender:
		return value.appendJSON(to)
	case bool:
		return strconv.AppendBool(to, value), nil
	default:
		return encodeAny(to, value)
	}
}

func encodeObject(to []byte, o object) ([]byte, error) {
	to = append(to, '{')
	for i := range o {
		if i > 0 {
			to = append(to, ',')
		}
		var err error
		if to, err = encodeText(to, o[i].key); err != nil {
			return nil, err
		}
		to = append(to, ':')
		if to, err = encode(to, o[i].value); err != nil {
			return nil, fmt.Errorf("%s: %w", o[i].key, err)
		}
	}
	return append(to, '}'), nil
}

func encodeList[T any](to []byte, list []T) ([]byte, error) {
	to = append(to, '[')
	for i := range list {
		if i > 0 {
			to = append(to, ',')
		}
		var err error
		if to, err = encode(to, list[i]); err != nil {
			return nil, err
		}
	}
	return append(to, ']'), nil
}

// encodeNumber writes a number as encoding/json does.
func encodeNumber(to []byte, value float64) ([]byte, error) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil, fmt.Errorf("JSON has no number %v", value)
	}
	size := math.Abs(value)
	if size == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(to, value, 'f', -1, 64), nil
	}
	return encodeAny(to, value)
}

// encodeText writes plain texts as they are.
func encodeText(to []byte, text string) ([]byte, error) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return encodeAny(to, text)
		}
	}
	return append(append(append(to, '"'), text...), '"'), nil
}

func encodeAny(to []byte, value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return append(to, bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))...), nil
}

// lines writes values as the lines of a .jsonl file.
type lines struct {
	to     io.Writer
	buffer []byte
}

func (l *lines) write(value any) error {
	text, err := encode(l.buffer[:0], value)
	if err != nil {
		return err
	}
	l.buffer = append(text, '\n')
	_, err = l.to.Write(l.buffer)
	return err
}

// pretty writes a value as an indented file.
func pretty(to io.Writer, value any) error {
	flat, err := encode(nil, value)
	if err != nil {
		return err
	}
	var buffer bytes.Buffer
	if err := json.Indent(&buffer, flat, "", "  "); err != nil {
		return err
	}
	buffer.WriteByte('\n')
	_, err = buffer.WriteTo(to)
	return err
}
