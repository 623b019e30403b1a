package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Field is one key of a JSON object; Value is its compact JSON.
type Field struct {
	Key   string
	Value []byte
}

// Fields is a JSON object's keys in order.
type Fields []Field

// Get gives the value of key, nil where there is none.
func (f Fields) Get(key string) []byte {
	for i := range f {
		if f[i].Key == key {
			return f[i].Value
		}
	}
	return nil
}

// With gives the fields with key set to value: in its place where it is there already, else at the end.
func (f Fields) With(key string, value []byte) Fields {
	for i := range f {
		if f[i].Key == key {
			f[i].Value = value
			return f
		}
	}
	return append(f, Field{Key: key, Value: value})
}

// ParseFields reads the values of --extra-inputs: each is a JSON object, or key:value items separated by
// commas whose values are guessed: true, false, null, none, whole numbers, decimal numbers, else text.
// Of a repeated key the last value stays, in the place of the first.
func ParseFields(values []string) (Fields, error) {
	var fields Fields
	for _, value := range values {
		var err error
		if strings.HasPrefix(strings.TrimSpace(value), "{") {
			fields, err = fields.withObject(value)
		} else {
			fields, err = fields.withItems(value)
		}
		if err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func (f Fields) withItems(value string) (Fields, error) {
	for _, item := range strings.Split(value, ",") {
		key, text, found := strings.Cut(item, ":")
		key, text = strings.TrimSpace(key), strings.TrimSpace(text)
		if !found || key == "" {
			return nil, fmt.Errorf("extra input %q: expected key:value items separated by commas, or a JSON object", item)
		}
		f = f.With(key, guessValue(text))
	}
	return f, nil
}

func (f Fields) withObject(value string) (Fields, error) {
	decoder := json.NewDecoder(strings.NewReader(value))
	fail := func(err error) (Fields, error) {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("extra input at character %d of %q: expected one JSON object: %w", decoder.InputOffset(), value, err)
	}
	if _, err := decoder.Token(); err != nil {
		return fail(err)
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return fail(err)
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return fail(err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, raw); err != nil {
			return fail(err)
		}
		name, _ := key.(string)
		f = f.With(name, compact.Bytes())
	}
	if _, err := decoder.Token(); err != nil {
		return fail(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fail(errors.New("something follows it"))
	}
	return f, nil
}

// guessValue turns the text of a key:value item into JSON. Exponents stay text, as in the peer.
func guessValue(text string) []byte {
	switch strings.ToLower(text) {
	case "true", "false":
		return []byte(strings.ToLower(text))
	case "none", "null":
		return []byte("null")
	}
	digits, negative := strings.CutPrefix(text, "-")
	if allDigits(digits) && (negative || digits == "0" || digits[0] != '0') {
		digits = strings.TrimLeft(digits, "0")
		if digits == "" {
			return []byte("0")
		}
		if negative {
			digits = "-" + digits
		}
		return []byte(digits)
	}
	if strings.Count(digits, ".") == 1 && allDigits(strings.Replace(digits, ".", "", 1)) {
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			return appendFloat(nil, number)
		}
	}
	return appendQuoted(nil, text)
}

func allDigits(text string) bool {
	if text == "" {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// appendFloat writes a decimal number so that it stays one: 1 as 1.0.
func appendFloat(out []byte, number float64) []byte {
	start := len(out)
	out = strconv.AppendFloat(out, number, 'f', -1, 64)
	if !bytes.ContainsRune(out[start:], '.') {
		out = append(out, '.', '0')
	}
	return out
}

const hexDigits = "0123456789abcdef"

// appendQuoted writes text as a JSON string: only what must be escaped is; <, >, & and non-ASCII
// characters stay as they are.
func appendQuoted(out []byte, text string) []byte {
	out = append(out, '"')
	out = AppendEscaped(out, text)
	return append(out, '"')
}

// AppendEscaped writes text in JSON-escaped form without quotes, in the way that request bodies carry it.
func AppendEscaped[T string | []byte](out []byte, text T) []byte {
	start := 0
	for i := range len(text) {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		out = append(out, text[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		case '\r':
			out = append(out, '\\', 'r')
		case '\t':
			out = append(out, '\\', 't')
		case '\b':
			out = append(out, '\\', 'b')
		case '\f':
			out = append(out, '\\', 'f')
		default:
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(out, text[start:]...)
}
