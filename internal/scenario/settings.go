package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// given reports whether the user set the flag.
func (in *Input) given(name string) bool { return slices.Contains(in.Explicit, name) }

// number is a setting that counts; false where it is missing or unset (negative).
func (in *Input) number(name string) (float64, bool) { return Settings(in.Settings).Float(name) }

// word is a setting's text with one spelling: lower case, underscores.
func (in *Input) word(name string) string {
	text, _ := in.Settings[name].(string)
	return strings.ReplaceAll(strings.ToLower(text), "-", "_")
}

// on is a switch.
func (in *Input) on(name string) bool { return Settings(in.Settings).Bool(name) }

// extra is a field of --extra-inputs: entries are key:value or JSON objects; the last one wins. The
// value is as JSON reads it, or the text where it is no JSON.
func (in *Input) extra(key string) (value any, found bool) {
	for _, entry := range list(in.Settings["extra-inputs"]) {
		if object, ok := entry.(map[string]any); ok {
			if v, has := object[key]; has {
				value, found = v, true
			}
			continue
		}
		text := strings.TrimSpace(fmt.Sprint(entry))
		if strings.HasPrefix(text, "{") {
			var object map[string]any
			if json.Unmarshal([]byte(text), &object) == nil {
				if v, has := object[key]; has {
					value, found = v, true
				}
			}
			continue
		}
		if name, rest, ok := strings.Cut(text, ":"); ok && strings.TrimSpace(name) == key {
			value, found = scalar(rest), true
		}
	}
	return value, found
}

func list(value any) []any {
	switch value := value.(type) {
	case []any:
		return value
	case []string:
		entries := make([]any, len(value))
		for i, entry := range value {
			entries[i] = entry
		}
		return entries
	case nil:
		return nil
	default:
		return []any{value}
	}
}

func scalar(text string) any {
	text = strings.TrimSpace(text)
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		return value
	}
	return text
}

// show is a value as a violation quotes it.
func show(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	case nil:
		return "null"
	default:
		return fmt.Sprint(value)
	}
}
