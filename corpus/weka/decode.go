package weka

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"

	"agentx/corpus"
)

// maxTokens bounds recorded token counts, so that sums of them stay in range.
const maxTokens = 1 << 40

// maxNames bounds how many unknown field names are told apart.
const maxNames = 100

// decoder reads one trace. It is the only place that knows the format's fields.
type decoder struct {
	scanner
	strict    bool
	blockSize int // overrides the trace's own, for the check of id lists; 0: none
	trace     *corpus.Trace
	ids       interner
	words     map[string]string // model names and the like, each kept once
	row       int               // place of what is being read: row of the trace, −1 outside
	inner     int               // row of the subagent, −1 outside
	topIDs    idList
	unknown   map[string]int
}

// decoded is a trace and the unknown fields that were met in it.
type decoded struct {
	trace   *corpus.Trace
	unknown map[string]int
}

// decode reads a trace from its JSON text. Errors are *Error without file, line and row.
func decode(text []byte, strict bool, blockSize int) (decoded, error) {
	d := decoder{scanner: scanner{text: text}, strict: strict, blockSize: blockSize, row: -1, inner: -1,
		trace: &corpus.Trace{}, words: map[string]string{}, unknown: map[string]int{}}
	err := d.document()
	if err != nil {
		return decoded{}, d.explain(err)
	}
	d.trace.Blocks = d.ids.count
	return decoded{d.trace, d.unknown}, nil
}

// document reads the trace and the end of the text.
func (d *decoder) document() error {
	if c := d.peek(); c != '{' && c != 0 {
		return d.notATrace()
	}
	seen := map[string]bool{}
	err := d.object(func(key []byte) error {
		name := string(key)
		null, err := d.null()
		if null || err != nil {
			return err
		}
		if seen[name] {
			return d.refuse(name, "is given twice")
		}
		seen[name] = true
		return d.traceField(name)
	})
	if err != nil {
		return err
	}
	for _, name := range []string{"id", "block_size", "requests"} {
		if !seen[name] {
			return d.refuse(name, "is missing")
		}
	}
	if d.peek(); d.at < len(d.text) {
		return d.wrong("the end of the trace")
	}
	return d.checkLists()
}

// name reads a string that is shown on terminals and goes into file names of others: letters that cannot be
// seen, or that change how the rest is seen, are refused.
func (d *decoder) name(field string) (string, error) {
	name, err := d.str(field)
	if err != nil {
		return "", err
	}
	if at := strings.IndexFunc(name, unseen); at >= 0 {
		return "", d.refuse(field, fmt.Sprintf("is %+q, expected a name without control or invisible characters", name))
	}
	return name, nil
}

// unseen tells characters that leave no mark: controls, and the formatting ones that turn text around.
func unseen(r rune) bool { return unicode.Is(unicode.C, r) || r == '\u2028' || r == '\u2029' }

func (d *decoder) traceField(name string) (err error) {
	t := d.trace
	switch name {
	case "id":
		var id string
		id, err = d.name(name)
		t.ID = corpus.TraceID(id)
		if err == nil && id == "" {
			return d.refuse(name, "is empty")
		}
	case "block_size":
		var size int64
		size, err = d.integer(name, 1, corpus.MaxBlockSize)
		t.BlockSize = int(size)
	case "hash_id_scope":
		return d.scope()
	case "tool_tokens":
		t.ToolTokens, err = d.integer(name, -maxTokens, maxTokens)
	case "system_tokens":
		t.SystemTokens, err = d.integer(name, -maxTokens, maxTokens)
	case "models":
		err = d.strings(name, func(string) {})
	case "totals":
		if d.peek() != '{' {
			return d.wrongType(name, "an object")
		}
		_, err = d.skip(0)
	case "requests":
		return d.rows()
	default:
		return d.unknownField(name)
	}
	return err
}

// scope accepts only ids that mean nothing outside their trace.
func (d *decoder) scope() error {
	scope, err := d.str("hash_id_scope")
	if err != nil || scope == "local" {
		return err
	}
	e := d.refuse("hash_id_scope", fmt.Sprintf("is %q, expected \"local\"", scope))
	if scope == "global" {
		e.Hint = "ids that are shared between traces are not supported"
	}
	return e
}

// checkLists refuses, in strict mode, id lists that do not fit their input.
func (d *decoder) checkLists() error {
	if !d.strict {
		return nil
	}
	for i := range d.trace.Rows {
		d.row, d.inner = i, -1
		agent := d.trace.Rows[i].Subagent
		if agent == nil {
			if err := d.checkList(&d.trace.Rows[i].Request); err != nil {
				return err
			}
			continue
		}
		for d.inner = range agent.Requests {
			if err := d.checkList(&agent.Requests[d.inner]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *decoder) checkList(r *corpus.Request) error {
	size := int64(d.trace.BlockSize)
	if d.blockSize > 0 {
		size = int64(d.blockSize)
	}
	found, least, most := int64(len(r.Blocks)), r.In/size, (r.In+size-1)/size
	if found == 0 || least <= found && found <= most {
		return nil
	}
	e := d.refuse("hash_ids", fmt.Sprintf("has %d ids, but in %d with block size %d allows %d..%d", found, r.In, size, least, most))
	e.Hint = "without --strict missing ids are filled with unique text and surplus ones ignored"
	return e
}

// str reads a string.
func (d *decoder) str(field string) (string, error) {
	if d.peek() != '"' {
		return "", d.wrongType(field, "a string")
	}
	raw, err := d.rawString()
	if err != nil {
		return "", err
	}
	inside := raw[1 : len(raw)-1]
	if word, known := d.words[string(inside)]; known {
		return word, nil
	}
	text, err := unquote(raw)
	if err != nil {
		return "", d.refuse(field, err.Error())
	}
	if bytes.IndexByte(inside, '\\') < 0 {
		d.words[text] = text
	}
	return text, nil
}

// strings reads a list of strings.
func (d *decoder) strings(field string, each func(string)) error {
	if d.peek() != '[' {
		return d.wrongType(field, "a list of strings")
	}
	return d.array(func(i int) error {
		word, err := d.str(fmt.Sprintf("%s[%d]", field, i))
		each(word)
		return err
	})
}

// wrongType refuses the value that comes next.
func (d *decoder) wrongType(field, wanted string) error {
	value, err := d.skip(0)
	if err != nil {
		return err
	}
	return d.refuse(field, fmt.Sprintf("is %s, expected %s", clip(value), wanted))
}

// unknownField keeps a field out and counts it.
func (d *decoder) unknownField(name string) error {
	if d.strict {
		e := d.refuse(name, "is not a field of the format")
		e.Hint = "without --strict unknown fields are kept out and counted"
		return e
	}
	key := d.prefix(false) + name
	if _, known := d.unknown[key]; !known && len(d.unknown) >= maxNames {
		key = "other fields"
	}
	d.unknown[key]++
	_, err := d.skip(0)
	return err
}

// prefix is the path of the object being read, with row numbers or, for counting, without.
func (d *decoder) prefix(numbered bool) string {
	switch {
	case d.row < 0:
		return ""
	case !numbered && d.inner < 0:
		return "requests[]."
	case !numbered:
		return "requests[].requests[]."
	case d.inner < 0:
		return fmt.Sprintf("requests[%d].", d.row)
	}
	return fmt.Sprintf("requests[%d].requests[%d].", d.row, d.inner)
}

// refuse makes the error for a field of the object being read.
func (d *decoder) refuse(field, problem string) *Error {
	return &Error{Row: -1, Trace: string(d.trace.ID), Field: strings.TrimSuffix(d.prefix(true)+field, "."), Problem: problem}
}

// explain makes an *Error of any error of reading, with the trace's id even if it stands further on.
func (d *decoder) explain(err error) error {
	var refused *Error
	var syntax *syntaxError
	switch {
	case errors.As(err, &refused):
	case errors.As(err, &syntax):
		refused = d.refuse("", fmt.Sprintf("is not valid JSON at %s: expected %s", position(d.text, syntax.at), syntax.wanted))
	case errors.Is(err, errCut):
		refused = d.refuse("", fmt.Sprintf("is cut off: the text ends at %s", position(d.text, len(d.text))))
		refused.Hint = hintCopy
	default:
		refused = d.refuse("", err.Error())
	}
	if refused.Trace == "" {
		refused.Trace = findID(d.text)
	}
	return refused
}

// position tells a byte of a text as people count it.
func position(text []byte, at int) string {
	line := bytes.Count(text[:at], []byte{'\n'})
	column := at - (bytes.LastIndexByte(text[:at], '\n') + 1)
	if line == 0 {
		return fmt.Sprintf("byte %d", column+1)
	}
	return fmt.Sprintf("line %d, byte %d of it", line+1, column+1)
}

// findID looks for the id of a trace that cannot be read; empty if there is none.
func findID(text []byte) string {
	s := scanner{text: text}
	id := ""
	err := s.object(func(key []byte) error {
		isID := string(key) == "id"
		value, err := s.skip(0)
		if err == nil && isID && value[0] == '"' {
			id, err = unquote(value)
		}
		return err
	})
	_ = err // what was found before the fault is the answer
	return id
}

// seconds reads a recorded duration.
func (d *decoder) seconds(field string) (corpus.Seconds, error) {
	value, err := d.float(field, -corpus.MaxSeconds, corpus.MaxSeconds)
	return corpus.Seconds(value), err
}

// instant reads a recorded time.
func (d *decoder) instant(field string) (float64, error) {
	value, err := d.float(field, 0, corpus.MaxSeconds)
	return math.Abs(value), err // no negative zero
}
