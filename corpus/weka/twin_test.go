package weka

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"agentx/corpus"
)

// twin is the obvious, slow reader that the fast one is compared with: encoding/json makes a tree, the
// rules are applied to it field by field.

var errTwin = errors.New("refused")

// member is a field of an object; order and repetition are kept.
type member struct {
	key   string
	value any
}

// twinTree reads one JSON text: objects become []member, numbers json.Number.
func twinTree(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	tree, err := twinValue(decoder)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errTwin
	}
	return tree, nil
}

func twinValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			value, err := twinValue(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = decoder.Token()
		return list, err
	case json.Delim('{'):
		object := []member{}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := twinValue(decoder)
			if err != nil {
				return nil, err
			}
			object = append(object, member{key.(string), value})
		}
		_, err = decoder.Token()
		return object, err
	}
	return token, nil
}

// twinFields turns an object into a map: nulls are missing, aliases get the name they stand for.
func twinFields(value any, aliases map[string]string) (map[string]any, error) {
	object, ok := value.([]member)
	if !ok {
		return nil, errTwin
	}
	fields := map[string]any{}
	for _, m := range object {
		if m.value == nil {
			continue
		}
		key := m.key
		if name, aliased := aliases[key]; aliased {
			key = name
		}
		if _, double := fields[key]; double {
			return nil, errTwin
		}
		fields[key] = m.value
	}
	return fields, nil
}

type twin struct {
	trace   *corpus.Trace
	numbers map[string]corpus.Block
	unknown int
}

func twinDecode(text []byte) (*corpus.Trace, int, error) {
	tree, err := twinTree(text)
	if err != nil {
		return nil, 0, err
	}
	w := twin{trace: &corpus.Trace{}, numbers: map[string]corpus.Block{}}
	fields, err := twinFields(tree, nil)
	if err != nil {
		return nil, 0, err
	}
	var failed []error
	take := func(err error) { failed = append(failed, err) }
	for key, value := range fields {
		switch key {
		case "id":
			var id string
			id, err = twinName(value)
			w.trace.ID = corpus.TraceID(id)
			if id == "" {
				take(errTwin)
			}
		case "block_size":
			var size int64
			size, err = twinInt(value, 1, corpus.MaxBlockSize)
			w.trace.BlockSize = int(size)
		case "tool_tokens":
			w.trace.ToolTokens, err = twinInt(value, -maxTokens, maxTokens)
		case "system_tokens":
			w.trace.SystemTokens, err = twinInt(value, -maxTokens, maxTokens)
		case "hash_id_scope":
			if value != "local" {
				take(errTwin)
			}
		case "models":
			_, err = twinStrings(value)
		case "totals":
			_, err = twinFields(value, nil)
			if _, object := value.([]member); object {
				err = nil // what is in it does not matter
			}
		case "requests":
			err = w.rows(value)
		default:
			w.unknown++
		}
		take(err)
		err = nil
	}
	for _, key := range []string{"id", "block_size", "requests"} {
		if fields[key] == nil {
			take(errTwin)
		}
	}
	w.trace.Blocks = len(w.numbers)
	return w.trace, w.unknown, errors.Join(failed...)
}

func (w *twin) rows(value any) error {
	list, ok := value.([]any)
	if !ok {
		return errTwin
	}
	for _, entry := range list {
		fields, err := twinFields(entry, map[string]string{"input_length": "in", "output_length": "out"})
		if err != nil {
			return err
		}
		if fields["type"] != "subagent" {
			request, err := w.request(fields)
			if err != nil {
				return err
			}
			w.trace.Rows = append(w.trace.Rows, corpus.Row{Request: request})
			continue
		}
		agent, err := w.agent(fields)
		if err != nil {
			return err
		}
		w.trace.Rows = append(w.trace.Rows, corpus.Row{Subagent: agent})
	}
	return nil
}

func (w *twin) request(fields map[string]any) (corpus.Request, error) {
	r := corpus.Request{APITime: corpus.NoSeconds(), ThinkTime: corpus.NoSeconds()}
	var failed []error
	for key, value := range fields {
		var err error
		var seconds float64
		switch key {
		case "type":
			r.Type, err = twinString(value)
			if r.Type != "n" && r.Type != "s" {
				err = errTwin
			}
		case "t":
			r.T, err = twinFloat(value, 0, corpus.MaxSeconds)
		case "model":
			r.Model, err = twinString(value)
		case "in":
			r.In, err = twinInt(value, 1, maxTokens)
		case "out":
			r.Out, err = twinInt(value, 0, maxTokens)
		case "hash_ids":
			r.Blocks, err = w.ids(value)
		case "input_types":
			var kinds []string
			kinds, err = twinStrings(value)
			if slices.Contains(kinds, "tool_result") {
				r.Input = corpus.InputToolResult
			} else if len(kinds) > 0 {
				r.Input = corpus.InputUser
			}
		case "output_types":
			_, err = twinStrings(value)
		case "stop":
			r.Stop, err = twinString(value)
		case "api_time":
			seconds, err = twinFloat(value, -corpus.MaxSeconds, corpus.MaxSeconds)
			r.APITime = corpus.Seconds(seconds)
		case "think_time":
			seconds, err = twinFloat(value, -corpus.MaxSeconds, corpus.MaxSeconds)
			r.ThinkTime = corpus.Seconds(seconds)
		case "ttft":
			_, err = twinFloat(value, -corpus.MaxSeconds, corpus.MaxSeconds)
		default:
			w.unknown++
		}
		failed = append(failed, err)
	}
	for _, key := range []string{"type", "t", "model", "in", "out"} {
		if fields[key] == nil {
			failed = append(failed, errTwin)
		}
	}
	return r, errors.Join(failed...)
}

func (w *twin) agent(fields map[string]any) (*corpus.Subagent, error) {
	a := &corpus.Subagent{DurationMs: corpus.Absent()}
	var failed []error
	for key, value := range fields {
		var err error
		switch key {
		case "type":
		case "t":
			a.T, err = twinFloat(value, 0, corpus.MaxSeconds)
		case "agent_id":
			a.Agent, err = twinName(value)
		case "requests":
			list, ok := value.([]any)
			if !ok {
				err = errTwin
			}
			for _, entry := range list {
				inner, wrong := twinFields(entry, map[string]string{"input_length": "in", "output_length": "out"})
				request, refused := w.request(inner)
				failed = append(failed, wrong, refused)
				a.Requests = append(a.Requests, request)
			}
		case "duration_ms":
			var duration float64
			duration, err = twinFloat(value, -corpus.MaxSeconds*1000, corpus.MaxSeconds*1000)
			a.DurationMs = corpus.Millis(duration)
		case "tool_tokens":
			a.ToolTokens, err = twinInt(value, -maxTokens, maxTokens)
		case "system_tokens":
			a.SystemTokens, err = twinInt(value, -maxTokens, maxTokens)
		case "total_tokens", "tool_use_count":
			_, err = twinInt(value, -maxTokens, maxTokens)
		case "subagent_type", "status":
			_, err = twinString(value)
		case "models":
			_, err = twinStrings(value)
		default:
			w.unknown++
		}
		failed = append(failed, err)
	}
	for _, key := range []string{"t", "agent_id", "requests"} {
		if fields[key] == nil {
			failed = append(failed, errTwin)
		}
	}
	return a, errors.Join(failed...)
}

func (w *twin) ids(value any) ([]corpus.Block, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, errTwin
	}
	var blocks []corpus.Block
	for _, entry := range list {
		id, err := twinInteger(entry)
		if err != nil || id.Cmp(new(big.Int).Lsh(big.NewInt(-1), 63)) < 0 || id.BitLen() > 64 {
			return nil, errTwin
		}
		if _, known := w.numbers[id.String()]; !known {
			w.numbers[id.String()] = corpus.Block(len(w.numbers))
		}
		blocks = append(blocks, w.numbers[id.String()])
	}
	return blocks, nil
}

// twinName is a string whose characters all print, or are blanks.
func twinName(value any) (string, error) {
	name, err := twinString(value)
	for _, r := range name {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Cs, r) || r == '\u2028' || r == '\u2029' {
			return "", errTwin
		}
	}
	return name, err
}

func twinString(value any) (string, error) {
	if text, ok := value.(string); ok {
		return text, nil
	}
	return "", errTwin
}

func twinStrings(value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, errTwin
	}
	var words []string
	for _, entry := range list {
		word, err := twinString(entry)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

// twinNumber is the text of a number, bare or in a string.
func twinNumber(value any) (string, error) {
	switch value := value.(type) {
	case json.Number:
		return string(value), nil
	case string:
		text := strings.TrimPrefix(strings.Trim(value, " \t"), "+")
		var number json.Number
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if text == "" || strings.ContainsAny(text, " \t\r\n\"") || decoder.Decode(&number) != nil || string(number) != text {
			return "", errTwin
		}
		return text, nil
	}
	return "", errTwin
}

// twinInteger reads a number whose value is an integer.
func twinInteger(value any) (*big.Int, error) {
	text, err := twinNumber(value)
	if err != nil {
		return nil, err
	}
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if power, err := strconv.Atoi(exponent); exponent != "" && (err != nil || power > 400 || power < -400) {
		return nil, fmt.Errorf("%w: the twin does not do powers like %s", errTwinCannot, exponent)
	}
	ratio, ok := new(big.Rat).SetString(text)
	if !ok || !ratio.IsInt() {
		return nil, errTwin
	}
	return ratio.Num(), nil
}

// errTwinCannot marks what the twin is too simple for.
var errTwinCannot = errors.New("the twin cannot tell")

func twinInt(value any, least, most int64) (int64, error) {
	id, err := twinInteger(value)
	if err != nil {
		return 0, err
	}
	if !id.IsInt64() || id.Int64() < least || id.Int64() > most {
		return 0, errTwin
	}
	return id.Int64(), nil
}

func twinFloat(value any, least, most float64) (float64, error) {
	text, err := twinNumber(value)
	if err != nil {
		return 0, err
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number < least || number > most {
		return 0, errTwin
	}
	return number + 0, nil
}
