package report

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed schemas/*.schema.json
var schemaFiles embed.FS

// Schema is the published JSON Schema of an exported file, by the file's name; false for a file that
// has none.
func Schema(name string) ([]byte, bool) {
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".jsonl"), ".json")
	text, err := fs.ReadFile(schemaFiles, "schemas/"+base+".schema.json")
	return text, err == nil
}

// InvalidError says where a file breaks its schema.
type InvalidError struct {
	Path     string
	Line     int // of a .jsonl file, from 1; 0 for a .json file
	Problems []string
}

func (e *InvalidError) Error() string {
	at := e.Path
	if e.Line > 0 {
		at = fmt.Sprintf("%s line %d", e.Path, e.Line)
	}
	return fmt.Sprintf("%s does not fit its schema: %s", at, strings.Join(e.Problems, "; "))
}

// Validate checks an exported file against its schema: an *InvalidError names the first line that
// breaks it and what is wrong there.
func Validate(path string) error {
	text, known := Schema(path)
	if !known {
		return fmt.Errorf("%s: no schema for a file of this name: expected one of %s", path, strings.Join(schemaNames(), ", "))
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		return fmt.Errorf("the schema of %s: %w", filepath.Base(path), err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("validating: %w", err)
	}
	if filepath.Ext(path) == ".jsonl" {
		return validateLines(path, file, schema)
	}
	value, err := decodeOne(file)
	if err != nil {
		return &InvalidError{Path: path, Problems: []string{err.Error()}}
	}
	if problems := check(value, schema, "$"); len(problems) > 0 {
		return &InvalidError{Path: path, Problems: problems}
	}
	return nil
}

func schemaNames() []string {
	var names []string
	for _, f := range FileNames() {
		if _, known := Schema(f); known {
			names = append(names, f)
		}
	}
	return names
}

func validateLines(path string, file []byte, schema map[string]any) error {
	for number := 1; len(file) > 0; number++ {
		line, rest, _ := bytes.Cut(file, []byte("\n"))
		file = rest
		value, err := decodeOne(line)
		if err != nil {
			return &InvalidError{path, number, []string{err.Error()}}
		}
		if problems := check(value, schema, "$"); len(problems) > 0 {
			return &InvalidError{path, number, problems}
		}
	}
	return nil
}

func decodeOne(text []byte) (any, error) {
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
