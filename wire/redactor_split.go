package wire

import (
	"bytes"
	"maps"
	"slices"
)

// Answer is Bytes for an answer's body, in which a secret may also be spread over the events of a stream, a
// piece in each: the values of one key, read one after the other, are looked at as one text. The first
// piece then reads as the mask, the others are emptied.
func (r *Redactor) Answer(body []byte) []byte {
	body = r.Bytes(body)
	if len(r.forms) == 0 {
		return body
	}
	texts := map[string][]byte{}
	eachString(body, func(key string, start, end int) {
		texts[key] = appendPlain(texts[key], body[start:end])
	})
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		for _, form := range r.forms {
			if bytes.Contains(texts[key], form) {
				body, texts[key] = cutSplit(body, key, texts[key], form)
			}
		}
	}
	return body
}

// cutSplit masks every place of form in the text that the values of key make together, in body.
func cutSplit(body []byte, key string, text, form []byte) (masked, rest []byte) {
	var from []int // in text
	for at := 0; ; {
		next := bytes.Index(text[at:], form)
		if next < 0 {
			break
		}
		from = append(from, at+next)
		at += next + len(form)
	}
	kept, passed, open := 0, 0, 0 // bytes of body in masked, of text passed, place that is looked for
	eachString(body, func(found string, start, end int) {
		if found != key {
			return
		}
		for at := start; at < end; {
			unit, used := nextUnit(body[at:end])
			for open < len(from) && passed >= from[open]+len(form) {
				open++
			}
			if open < len(from) && passed+len(unit) > from[open] {
				masked = append(masked, body[kept:at]...)
				if passed <= from[open] {
					masked = append(masked, Masked...)
				}
				kept = at + used
			}
			passed, at = passed+len(unit), at+used
		}
	})
	return append(masked, body[kept:]...), bytes.ReplaceAll(text, form, []byte(Masked))
}

// eachString gives every JSON string in body that is a value, by where its inside begins and ends, with
// the key before it.
func eachString(body []byte, do func(key string, start, end int)) {
	key := ""
	for at := 0; at < len(body); at++ {
		if body[at] != '"' {
			continue
		}
		start := at + 1
		for at = start; at < len(body) && body[at] != '"' && body[at] != '\n'; at++ {
			if body[at] == '\\' {
				at++
			}
		}
		if at >= len(body) {
			return
		}
		if after := bytes.TrimLeft(body[at+1:min(at+9, len(body))], " "); len(after) > 0 && after[0] == ':' {
			key = string(body[start:at])
			continue
		}
		do(key, start, at)
	}
}

// appendPlain appends what the inside of a JSON string stands for.
func appendPlain(to, inside []byte) []byte {
	for len(inside) > 0 {
		unit, used := nextUnit(inside)
		to, inside = append(to, unit...), inside[used:]
	}
	return to
}

// nextUnit is what the next byte or escape of a JSON string stands for, and its length there.
func nextUnit(inside []byte) (unit []byte, used int) {
	if inside[0] == '\\' {
		if unit, used = unescaped(nil, inside); used > 0 {
			return unit, used
		}
	}
	return inside[:1], 1
}
