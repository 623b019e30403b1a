package flags

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/urfave/cli/v3"
)

// File is a configuration file: a YAML mapping of flag names to values. A list flag takes a list or one
// value; an entry of a list, or the value itself, may be a mapping, which becomes a JSON object.
type File struct {
	Path    string
	entries []entry
}

type entry struct {
	flag    string // main name
	written string // the name in the file, as a flag has it
	values  []string
}

// ReadFile reads a configuration file strictly: unknown names, names given twice (also by an alias) and
// values of another kind are refused, all at once, with their lines. A null leaves its flag alone.
func ReadFile(path string, definitions []cli.Flag) (*File, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		var system *fs.PathError
		if errors.As(err, &system) {
			err = system.Err
		}
		return nil, fmt.Errorf("configuration %s: %w; agentx-run config init FILE writes one to fill in", path, err)
	}
	parsed, err := parser.ParseBytes(content, 0)
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", path, withoutSource(err))
	}
	reader := &fileReader{file: &File{Path: path}, kinds: kindsByName(definitions), definitions: definitions, lines: map[string]int{}}
	for i, document := range parsed.Docs {
		if document.Body == nil {
			continue
		}
		mapping, ok := document.Body.(*ast.MappingNode)
		if !ok || i > 0 {
			return nil, fmt.Errorf("configuration %s: line %d: expected one mapping of flag names to values", path, lineOf(document.Body))
		}
		for _, value := range mapping.Values {
			if err := reader.read(value); err != nil {
				reader.problems = append(reader.problems, fmt.Errorf("configuration %s: line %d: %w", path, lineOf(value.Key), err))
			}
		}
	}
	return reader.file, errors.Join(reader.problems...)
}

// withoutSource is a syntax error without the lines of the file that it quotes: they may hold a secret.
func withoutSource(err error) error {
	var syntax yaml.Error
	if errors.As(err, &syntax) && syntax.GetToken() != nil {
		return fmt.Errorf("line %d: %s", syntax.GetToken().Position.Line, syntax.GetMessage())
	}
	return errors.New("it is no YAML")
}

type fileReader struct {
	file        *File
	kinds       map[string]flagKind
	definitions []cli.Flag
	lines       map[string]int // by main name
	problems    []error
}

func (r *fileReader) read(node *ast.MappingValueNode) error {
	written := node.Key.GetToken().Value
	name := strings.ReplaceAll(strings.TrimLeft(written, "-"), "_", "-")
	known, ok := r.kinds[name]
	if !ok {
		return fmt.Errorf("there is no flag %q%s", written, didYouMean(r.definitions, name))
	}
	if line, twice := r.lines[known.name]; twice {
		return fmt.Errorf("%s is set in line %d already", written, line)
	}
	r.lines[known.name] = lineOf(node.Key)
	if _, null := node.Value.(*ast.NullNode); null {
		return nil
	}
	values, err := r.values(node.Value, known.kind)
	if err != nil {
		return fmt.Errorf("%s: %w", written, err)
	}
	r.file.entries = append(r.file.entries, entry{known.name, name, values})
	return nil
}

// values are those of a flag, as the command line would have them.
func (r *fileReader) values(node ast.Node, kind kind) ([]string, error) {
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		value, err := scalar(node, kind)
		return []string{value}, err
	}
	values := make([]string, len(sequence.Values))
	for i, element := range sequence.Values {
		var err error
		if values[i], err = scalar(element, kind); err != nil {
			return nil, err
		}
	}
	if kind != list {
		if kind != text || len(values) == 0 {
			return nil, fmt.Errorf("expected %s, found a list", kind)
		}
		return []string{strings.Join(values, ",")}, nil // as in --concurrency 4,8
	}
	return values, nil
}

// scalar is one value. A mapping, in a list flag, becomes a JSON object.
func scalar(node ast.Node, kind kind) (string, error) {
	switch node := node.(type) {
	case *ast.StringNode:
		return kind.canonical(node.Value)
	case *ast.LiteralNode:
		return kind.canonical(node.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return kind.canonical(node.GetToken().Value)
	case *ast.InfinityNode:
		return kind.canonical("inf")
	case *ast.MappingNode:
		if kind != list {
			return "", fmt.Errorf("expected %s, found a mapping", kind)
		}
		var object map[string]any
		if err := yaml.NodeToValue(node, &object); err != nil {
			return "", withoutSource(err)
		}
		text, err := json.Marshal(object)
		return string(text), err
	}
	return "", fmt.Errorf("expected a plain value, found a %s", strings.ToLower(node.Type().String()))
}

func lineOf(node ast.Node) int { return node.GetToken().Position.Line }
