package eventlog

import (
	"bytes"
	"strconv"
)

// field is a member of a JSON object: its key without quotes, the JSON text of its value.
type field struct {
	key   []byte
	value []byte
}

// splitObject appends the members of a compact JSON object without escapes in its keys; ok is false for
// anything else. Values are not looked into: it is for texts that a JSON encoder made, and whoever uses
// it on others compares what comes out.
func splitObject(to []field, text []byte) (fields []field, ok bool) {
	inner, ok := enclosed(text, '{', '}')
	for ok && len(inner) > 0 {
		if inner[0] != '"' {
			return to, false
		}
		end := bytes.IndexByte(inner[1:], '"') + 1
		if end == 0 || end+1 >= len(inner) || inner[end+1] != ':' {
			return to, false
		}
		key := inner[1:end]
		var value []byte
		value, inner, ok = cutValue(inner[end+2:])
		to = append(to, field{key, value})
	}
	return to, ok
}

// splitArray gives the elements of a compact JSON array to each until it returns false; ok is false where
// the text is no such array.
func splitArray(text []byte, each func(i int, value []byte) bool) (ok bool) {
	inner, ok := enclosed(text, '[', ']')
	for i := 0; ok && len(inner) > 0; i++ {
		var value []byte
		if value, inner, ok = cutValue(inner); !ok || !each(i, value) {
			return ok
		}
	}
	return ok
}

func enclosed(text []byte, open, close byte) (inner []byte, ok bool) {
	if len(text) < 2 || text[0] != open || text[len(text)-1] != close {
		return nil, false
	}
	return text[1 : len(text)-1], true
}

// cutValue cuts the value before the next comma of the same depth off.
func cutValue(text []byte) (value, rest []byte, ok bool) {
	depth, inText := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth == 0:
			return text[:i], text[i+1:], i > 0 && i+1 < len(text)
		}
	}
	return text, nil, len(text) > 0 && depth == 0 && !inText
}

// find gives the value of a key, nil where there is none.
func find(fields []field, key string) []byte {
	for i := range fields {
		if string(fields[i].key) == key {
			return fields[i].value
		}
	}
	return nil
}

// parseInt reads an integer as encoding/json writes it.
func parseInt(text []byte) (int64, bool) {
	value, err := strconv.ParseInt(string(text), 10, 64)
	return value, err == nil
}
