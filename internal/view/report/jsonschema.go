package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

func decodeOne(text []byte) (any, error) {
	if !utf8.Valid(text) { // the decoder would put other characters in place
		return nil, errors.New("it is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON value")
	}
	return value, nil
}

// maxProblems bounds what is listed of one value.
const maxProblems = 10

// check compares a value with the parts of JSON Schema that our schemas use: type, const, enum, anyOf,
// required, properties, additionalProperties, items.
func check(value any, schema map[string]any, at string) []string {
	if problem := checkSelf(value, schema, at); problem != "" {
		return []string{problem}
	}
	var problems []string
	switch value := value.(type) {
	case map[string]any:
		problems = checkObject(value, schema, at)
	case []any:
		items, ok := schema["items"].(map[string]any)
		for i := 0; ok && i < len(value); i++ {
			problems = append(problems, check(value[i], items, fmt.Sprintf("%s[%d]", at, i))...)
		}
	}
	return problems[:min(len(problems), maxProblems)]
}

func checkSelf(value any, schema map[string]any, at string) string {
	if wanted, ok := schema["type"].(string); ok && !isType(value, wanted) {
		return fmt.Sprintf("%s is %s, expected %s", at, typeOf(value), wanted)
	}
	if constant, ok := schema["const"]; ok && value != constant {
		return fmt.Sprintf("%s is %v, expected %v", at, value, constant)
	}
	if options, ok := schema["enum"].([]any); ok && !slices.Contains(options, value) {
		return fmt.Sprintf("%s is %v, expected one of %v", at, value, options)
	}
	if options, ok := schema["anyOf"].([]any); ok {
		for _, option := range options {
			if inner, ok := option.(map[string]any); ok && len(check(value, inner, at)) == 0 {
				return ""
			}
		}
		return fmt.Sprintf("%s fits none of the forms that it may have", at)
	}
	return ""
}

func checkObject(value, schema map[string]any, at string) []string {
	var problems []string
	required, _ := schema["required"].([]any)
	for _, key := range required {
		if _, there := value[fmt.Sprint(key)]; !there {
			problems = append(problems, fmt.Sprintf("%s lacks %v", at, key))
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	others, _ := schema["additionalProperties"].(map[string]any)
	for _, key := range sortedKeys(value) {
		inner, known := properties[key].(map[string]any)
		if !known {
			inner = others
		}
		if inner != nil {
			problems = append(problems, check(value[key], inner, at+"."+key)...)
		}
	}
	return problems
}

func sortedKeys(value map[string]any) []string {
	keys := make([]string, 0, len(value))
	for key := range value {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func isType(value any, wanted string) bool {
	got := typeOf(value)
	return got == wanted || wanted == "number" && got == "integer"
}

// typeOf is the JSON Schema type of a decoded value.
func typeOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	default:
		return "object"
	}
}
