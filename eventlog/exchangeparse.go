package eventlog

import (
	"encoding/json"
	"strings"
)

// An EndReader decodes the payloads of exchange_end events one after the other. A log has one for every
// request, so it reads the stored form by hand and keeps one copy of what most of them have in common: a
// quarter of an analysis went into encoding/json otherwise, and as much into collecting what that left.
type EndReader struct {
	end     ExchangeEnd
	usage   Usage
	numbers []int64 // what the pointers of end point to: never grows beyond its capacity
	places  []*int64
	finish  []string
	words   map[string]string
	fields  []field
	keys    []exchangeKey
}

const (
	endNumbers = 64   // an exchange_end has 13 + 4 + 9 + 2 + 1 at most
	endWords   = 4096 // bounds what is remembered; beyond it texts are not shared
)

// NewEndReader is ready for the ends of a log.
func NewEndReader() *EndReader {
	return &EndReader{
		numbers: make([]int64, 0, endNumbers), places: make([]*int64, 0, endNumbers),
		words: map[string]string{}, keys: exchangeKeys(),
	}
}

// Read is Decode of an exchange_end. The result, with its numbers and its list of finish reasons, is valid
// until the next call; its texts and its error stay.
func (r *EndReader) Read(event *Event) (*ExchangeEnd, error) {
	if r.parse(event.Payload) {
		return &r.end, nil
	}
	end, err := Decode[ExchangeEnd](*event)
	return &end, err
}

// parse reads the stored form as this package writes it: compact, keys in their order and each once, plain
// texts. It is false for anything else, which encoding/json is to judge.
func (r *EndReader) parse(text []byte) (ok bool) {
	if r.fields, ok = splitObject(r.fields[:0], text); !ok {
		return false
	}
	r.numbers, r.end = r.numbers[:0], ExchangeEnd{Status: defaultStatus, Protocol: defaultProtocol}
	next := 0 // of r.keys
	for _, f := range r.fields {
		for next < len(r.keys) && r.keys[next].name != string(f.key) {
			next++
		}
		if next == len(r.keys) || !r.set(r.keys[next].name, f.value) {
			return false
		}
		next++
	}
	return true
}

// set takes the value of one key; false where it is not of the usual form.
func (r *EndReader) set(key string, value []byte) (ok bool) {
	end := &r.end
	switch key {
	case "o":
		end.Outcome = Outcome(r.word(value, &ok))
	case "c":
		end.Class = r.word(value, &ok)
	case "why":
		end.Reason = r.word(value, &ok)
	case "err":
		ok = r.failure(value)
	case "over":
		end.Overflow = r.word(value, &ok)
	case "id":
		end.RequestID = string(plainText(value, &ok))
	case "p":
		end.Protocol = r.word(value, &ok)
	case "b":
		end.BodyDigest = unpackDigest(string(plainText(value, &ok)))
	case "fin":
		ok = r.finishReasons(value)
	case "m":
		end.Model = r.word(value, &ok)
	case "no":
		end.NoLocalCount = r.word(value, &ok)
	case "a":
		end.LocalAddr, end.RemoteAddr, _ = strings.Cut(r.word(value, &ok), " ")
	default:
		return r.setNumbers(key, value)
	}
	return ok
}

// setNumbers takes the value of a key that holds numbers.
func (r *EndReader) setNumbers(key string, value []byte) bool {
	end := &r.end
	if key == "st" || key == "fct" {
		number, ok := wholeNumber(value)
		if key == "st" {
			end.Status = int(number)
		} else {
			r.numbers = append(r.numbers, number)
			end.FirstChunkTokens = &r.numbers[len(r.numbers)-1]
		}
		return ok
	}
	start := len(r.numbers)
	if !r.array(value) {
		return false
	}
	switch key {
	case "ns":
		end.setStamps(r.places)
	case "d":
		spread(r.places, &end.ConnWaitNs, &end.DNSNs, &end.ConnectNs, &end.TLSNs)
	case "n":
		spread(r.places, &end.OutputTokensLocal, &end.ReasoningTokensLocal)
	case "u":
		r.usage = Usage{}
		places := r.usage.places()
		spread(r.places, places[:]...)
		end.Usage = &r.usage
	case "v":
		end.setValues(r.numbers[start:])
	case "k":
		end.Chunks.set(r.numbers[start:])
	default:
		return false
	}
	return true
}

// array reads an array of numbers into places, nil for null, and behind numbers, 0 for null.
func (r *EndReader) array(text []byte) bool {
	r.places = r.places[:0]
	inner, ok := enclosed(text, '[', ']')
	for more := len(inner) > 0; ok && more; {
		var element []byte
		element, inner, more = cutComma(inner)
		if len(r.numbers) == cap(r.numbers) {
			return false
		}
		if string(element) == "null" {
			r.numbers, r.places = append(r.numbers, 0), append(r.places, nil)
			continue
		}
		var number int64
		number, ok = wholeNumber(element)
		r.numbers = append(r.numbers, number)
		r.places = append(r.places, &r.numbers[len(r.numbers)-1])
	}
	return ok
}

func (r *EndReader) finishReasons(value []byte) bool {
	r.finish = r.finish[:0]
	plain := true
	ok := splitArray(value, func(_ int, element []byte) bool {
		r.finish = append(r.finish, r.word(element, &plain))
		return plain
	})
	r.end.FinishReasons = r.finish
	return ok && plain && len(r.finish) > 0 // an empty list is another than none
}

// failure reads the error: few have one, and its texts are anybody's.
func (r *EndReader) failure(value []byte) bool {
	var form *errorForm
	if err := json.Unmarshal(value, &form); err != nil || form == nil {
		return false
	}
	r.end.setError(form)
	return true
}

// word is a text of which there is one copy.
func (r *EndReader) word(value []byte, ok *bool) string {
	text := plainText(value, ok)
	known, found := r.words[string(text)]
	if !found {
		known = string(text)
		if len(r.words) < endWords {
			r.words[known] = known
		}
	}
	return known
}

// plainText is a JSON string of printable ASCII without escapes; ok is false for any other.
func plainText(value []byte, ok *bool) []byte {
	inner, enclosed := enclosed(value, '"', '"')
	*ok = enclosed
	for _, c := range inner {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			*ok = false
		}
	}
	return inner
}

// cutComma cuts at the next comma; more is false where there is none.
func cutComma(text []byte) (element, rest []byte, more bool) {
	for i, c := range text {
		if c == ',' {
			return text[:i], text[i+1:], true
		}
	}
	return text, nil, false
}

// wholeNumber reads a whole JSON number of at most 18 digits.
func wholeNumber(text []byte) (value int64, ok bool) {
	digits, negative := text, false
	if len(digits) > 0 && digits[0] == '-' {
		digits, negative = digits[1:], true
	}
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		value = value*10 + int64(c-'0')
	}
	if negative {
		value = -value
	}
	return value, true
}
