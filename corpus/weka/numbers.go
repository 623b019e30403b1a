package weka

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// numeral is an integer of up to 64 bits and a sign: JSON ids range over −2^63 … 2^64−1.
type numeral struct {
	negative  bool
	magnitude uint64
}

// inInt64 is the value as int64, if it is one.
func (n numeral) inInt64() (int64, bool) {
	switch {
	case !n.negative && n.magnitude <= math.MaxInt64:
		return int64(n.magnitude), true
	case n.negative && n.magnitude <= 1<<63:
		return -int64(n.magnitude-1) - 1, true
	}
	return 0, false
}

// parseIntegral reads a JSON number whose value is an integer, exactly: 64, 64.0 and 6.4e1 are the
// same. It fails when the value is no integer or has more than 64 bits.
func parseIntegral(text []byte) (numeral, bool) {
	var n numeral
	text, n.negative = bytes.CutPrefix(text, []byte("-"))
	exponent := 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		value, err := strconv.Atoi(string(text[i+1:]))
		if err != nil || value > 1<<20 || value < -(1<<20) {
			return n, allZero(text[:i])
		}
		text, exponent = text[:i], value
	}
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	digits := append(append([]byte{}, whole...), fraction...)
	point := len(whole) + exponent // place of the decimal point in digits
	if point < len(digits) {
		if !allZero(digits[max(0, point):]) {
			return n, false
		}
		digits = digits[:max(0, point)]
	}
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) == 0 {
		return numeral{}, true
	}
	if missing := point - len(whole) - len(fraction); missing > 0 {
		if missing > 20 {
			return n, false
		}
		digits = append(digits, bytes.Repeat([]byte("0"), missing)...)
	}
	magnitude, err := strconv.ParseUint(string(digits), 10, 64)
	n.magnitude = magnitude
	return n, err == nil
}

func allZero(digits []byte) bool { return len(bytes.Trim(digits, "0.")) == 0 }

// rawNumeric reads the text of a number: one that stands bare, or one inside a string (spec
// reconstruction 1.3).
func (d *decoder) rawNumeric(field, wanted string) ([]byte, error) {
	first := d.peek()
	switch {
	case first == '"':
		raw, err := d.rawString()
		if err != nil {
			return nil, err
		}
		inside := scanner{text: bytes.Trim(raw[1:len(raw)-1], " \t")}
		inside.skipByte('+')
		number, err := inside.rawNumber()
		if err != nil || inside.at != len(inside.text) {
			return nil, d.refuse(field, fmt.Sprintf("is %s, expected %s", clip(raw), wanted))
		}
		return number, nil
	case first == '-' || '0' <= first && first <= '9':
		return d.rawNumber()
	}
	value, err := d.skip(0)
	if err != nil {
		return nil, err
	}
	return nil, d.refuse(field, fmt.Sprintf("is %s, expected %s", clip(value), wanted))
}

// integer reads an integer from least to most.
func (d *decoder) integer(field string, least, most int64) (int64, error) {
	number, err := d.rawNumeric(field, "an integer")
	if err != nil {
		return 0, err
	}
	n, integral := parseIntegral(number)
	value, fits := n.inInt64()
	if !integral || !fits || value < least || value > most {
		return 0, d.refuse(field, fmt.Sprintf("is %s, expected an integer from %d to %d", clip(number), least, most))
	}
	return value, nil
}

// float reads a finite number whose magnitude is at most limit.
func (d *decoder) float(field string, least, most float64) (float64, error) {
	number, err := d.rawNumeric(field, "a number")
	if err != nil {
		return 0, err
	}
	value, err := strconv.ParseFloat(string(number), 64)
	if err != nil || value < least || value > most {
		return 0, d.refuse(field, fmt.Sprintf("is %s, expected a number from %g to %g", clip(number), least, most))
	}
	return value, nil
}

// clip shortens a text that is shown in an error.
func clip(text []byte) string {
	const longest = 60
	if len(text) <= longest {
		return string(text)
	}
	return string(text[:longest]) + "…"
}
