package eventlog

import (
	"bytes"
	"fmt"
	"strconv"
)

// optionals is a JSON array of numbers, null where there is none, and integers one without gaps. They are
// read by hand: an exchange has five of them, and encoding/json takes a third of a summary's time for that.
type (
	optionals []*int64
	integers  []int64
)

// UnmarshalJSON reads the array.
func (o *optionals) UnmarshalJSON(text []byte) error {
	*o = nil
	count := bytes.Count(text, []byte{','}) + 1
	values := make([]int64, 0, count) // never grows: the places point into it
	list := make(optionals, 0, count)
	err := eachNumber(text, func(value int64, known bool) {
		if !known {
			list = append(list, nil)
			return
		}
		values = append(values, value)
		list = append(list, &values[len(values)-1])
	})
	if len(list) > 0 {
		*o = list
	}
	return err
}

// UnmarshalJSON reads the array; null in it is 0.
func (n *integers) UnmarshalJSON(text []byte) error {
	*n = nil
	return eachNumber(text, func(value int64, _ bool) { *n = append(*n, value) })
}

// eachNumber calls visit for every element of a JSON array, which encoding/json has found well-formed.
func eachNumber(text []byte, visit func(value int64, known bool)) error {
	text = bytes.TrimSpace(text)
	if string(text) == "null" {
		return nil
	}
	if len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']' {
		return fmt.Errorf("%.40q: expected an array of numbers", text)
	}
	text = text[1 : len(text)-1]
	for more := len(bytes.TrimSpace(text)) > 0; more; {
		var element []byte
		element, text, more = bytes.Cut(text, []byte{','})
		element = bytes.TrimSpace(element)
		if string(element) == "null" {
			visit(0, false)
			continue
		}
		value, err := strconv.ParseInt(string(element), 10, 64)
		if err != nil {
			return fmt.Errorf("%.40q: expected a whole number or null", element)
		}
		visit(value, true)
	}
	return nil
}
