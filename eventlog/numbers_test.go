package eventlog

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestNumberArraysAreReadAsEncodingJSONReadsThem, and what that refuses is refused.
func TestNumberArraysAreReadAsEncodingJSONReadsThem(t *testing.T) {
	for _, text := range []string{`[]`, `[ ]`, `null`, `[1]`, `[null]`, ` [ -1 , null ,9223372036854775807 ] `, `[1.5]`, `["1"]`, `[[1]]`, `{}`, `7`, `[9223372036854775808]`, `[1e2]`} {
		var got optionals
		var want []*int64
		refused, expected := json.Unmarshal([]byte(text), &got), json.Unmarshal([]byte(text), &want)
		same := slices.EqualFunc(got, want, func(a, b *int64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) })
		if (refused == nil) != (expected == nil) || expected == nil && !same {
			t.Errorf("%s: %v and error %v, expected %v and %v", text, got, refused, want, expected)
		}
		var whole integers
		var plain []int64
		refused, expected = json.Unmarshal([]byte(text), &whole), json.Unmarshal([]byte(text), &plain)
		if (refused == nil) != (expected == nil) || expected == nil && !slices.Equal(whole, plain) {
			t.Errorf("%s: %v and error %v, expected %v and %v", text, whole, refused, plain, expected)
		}
	}
}
