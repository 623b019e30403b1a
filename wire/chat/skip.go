package chat

import "bytes"

// skip passes over one value of any kind and depth. Inside objects and arrays it checks brackets and
// strings only.
func (w *walker) skip() {
	switch w.peek() {
	case '"':
		w.raw()
	case '{', '[':
		w.skipNested()
	default:
		w.literal()
	}
}

func (w *walker) skipNested() {
	for depth := 0; w.at < len(w.text); {
		switch w.text[w.at] {
		case '"':
			w.raw()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		w.at++
		if depth == 0 {
			return
		}
	}
	w.fail()
}

// literal reads true, false, null or a number and gives its text.
func (w *walker) literal() []byte {
	w.space()
	start := w.at
	for w.at < len(w.text) {
		switch c := w.text[w.at]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c == '-', c == '+', c == '.', c == 'E':
			w.at++
			continue
		}
		break
	}
	text := w.text[start:w.at]
	switch {
	case len(text) == 0:
		w.fail()
	case text[0] >= 'a':
		if !bytes.Equal(text, []byte("true")) && !bytes.Equal(text, []byte("false")) && !bytes.Equal(text, []byte("null")) {
			w.fail()
		}
	case text[0] != '-' && (text[0] < '0' || text[0] > '9'):
		w.fail()
	}
	return text
}

// integer reads a whole number, also written as 12.0, of at most 18 digits; of any other value it gives
// false. A negative number counts as no number: no count is negative.
func (w *walker) integer() (n int64, ok bool) {
	if first := w.peek(); first < '0' || first > '9' {
		w.skip()
		return 0, false
	}
	text := w.literal()
	whole, fraction, _ := bytes.Cut(text, []byte{'.'})
	if len(whole) > 18 {
		return 0, false
	}
	for _, c := range whole {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	for _, c := range fraction {
		if c != '0' {
			return 0, false
		}
	}
	return n, true
}

// isFalse tells whether the next value is null, false, 0, "", {} or [], and passes over it in that case.
func (w *walker) isFalse() bool {
	start := w.at
	switch w.peek() {
	case '"':
		if inside, _ := w.raw(); len(inside) == 0 && !w.bad {
			return true
		}
	case '{', '[':
		opening := w.at
		w.skipNested()
		if !w.bad && len(bytes.TrimSpace(w.text[opening+1:w.at-1])) == 0 {
			return true
		}
	default:
		switch string(w.literal()) {
		case "null", "false", "0":
			return true
		}
	}
	if !w.bad {
		w.at = start
	}
	return false
}
