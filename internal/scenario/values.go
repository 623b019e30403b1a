package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// Settings are the resolved flags of a run by name, as its first event has them. JSON has one kind of
// number, configuration files have texts, so readers say which they expect.
type Settings map[string]any

// Bool is a switch; false where it is missing.
func (s Settings) Bool(name string) bool {
	switch value := s[name].(type) {
	case bool:
		return value
	case string:
		on, err := strconv.ParseBool(value)
		return err == nil && on
	default:
		return false
	}
}

// Float is a number; false where it is missing, unset (negative, as the flags have it) or no number.
func (s Settings) Float(name string) (float64, bool) {
	var number float64
	switch value := s[name].(type) {
	case float64:
		number = value
	case int:
		number = float64(value)
	case int64:
		number = float64(value)
	case string:
		parsed, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, false
		}
		number = parsed
	default:
		return 0, false
	}
	return number, number >= 0
}

// Text is a word; empty where it is missing.
func (s Settings) Text(name string) string {
	switch value := s[name].(type) {
	case nil:
		return ""
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	case []any:
		return strings.Join(s.List(name), ",")
	default:
		return fmt.Sprint(value)
	}
}

// List is a list of words; a single value is a list of one.
func (s Settings) List(name string) []string {
	switch value := s[name].(type) {
	case nil:
		return nil
	case []string:
		return value
	case []any:
		words := make([]string, 0, len(value))
		for _, entry := range value {
			words = append(words, fmt.Sprint(entry))
		}
		return words
	case string:
		if value == "" {
			return nil
		}
		return []string{value}
	default:
		return []string{fmt.Sprint(value)}
	}
}
