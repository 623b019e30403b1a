package weka

import (
	"fmt"

	"agentx/corpus"
)

// rowReader reads one entry of a request list. What some fields mean depends on the entry's type,
// which may come after them; such fields are passed over and read at the end.
type rowReader struct {
	d        *decoder
	ids      *idList
	nested   bool
	kind     string // "n", "s" or "subagent", empty until it is known
	seen     map[string]bool
	deferred []deferredField
	request  corpus.Request
	agent    corpus.Subagent
}

type deferredField struct {
	name string
	at   int // of the value
}

// rows reads the trace's request list.
func (d *decoder) rows() error {
	if d.peek() != '[' {
		return d.wrongType("requests", "a list")
	}
	return d.array(func(i int) error {
		d.row = i
		r := d.newRow(&d.topIDs, false)
		if err := r.read(); err != nil {
			return err
		}
		row := corpus.Row{Request: r.request}
		if r.kind == "subagent" {
			agent := r.agent
			row = corpus.Row{Subagent: &agent}
		}
		d.trace.Rows = append(d.trace.Rows, row)
		d.row = -1 // what follows is the list's
		return nil
	})
}

// innerRows reads a subagent's request list.
func (r *rowReader) innerRows() error {
	d := r.d
	if d.peek() != '[' {
		return d.wrongType("requests", "a list")
	}
	var ids idList
	return d.array(func(i int) error {
		d.inner = i
		inner := d.newRow(&ids, true)
		if err := inner.read(); err != nil {
			return err
		}
		r.agent.Requests = append(r.agent.Requests, inner.request)
		d.inner = -1
		return nil
	})
}

func (d *decoder) newRow(ids *idList, nested bool) *rowReader {
	r := &rowReader{d: d, ids: ids, nested: nested, seen: map[string]bool{}}
	r.request.APITime, r.request.ThinkTime = corpus.NoSeconds(), corpus.NoSeconds()
	r.agent.DurationMs = corpus.Absent()
	return r
}

func (r *rowReader) read() error {
	d := r.d
	if d.peek() != '{' {
		return d.wrongType("", "an object")
	}
	if err := d.object(func(key []byte) error { return r.field(string(key)) }); err != nil {
		return err
	}
	if r.kind == "" {
		return d.refuse("type", "is missing")
	}
	end := d.at
	for _, field := range r.deferred {
		d.at = field.at
		if err := r.typed(field.name); err != nil {
			return err
		}
	}
	d.at = end
	required := []string{"t", "model", "in", "out"}
	if r.kind == "subagent" {
		required = []string{"t", "agent_id", "requests"}
	}
	for _, name := range required {
		if !r.seen[name] {
			return d.refuse(name, "is missing")
		}
	}
	return nil
}

// field reads the value of a key.
func (r *rowReader) field(key string) error {
	d := r.d
	null, err := d.null()
	if null || err != nil {
		return err
	}
	name := key
	switch key {
	case "input_length":
		name = "in"
	case "output_length":
		name = "out"
	}
	if r.seen[name] {
		return d.refuse(key, "is given twice")
	}
	r.seen[name] = true
	switch {
	case name == "type":
		return r.readType()
	case r.kind == "":
		r.deferred = append(r.deferred, deferredField{key, d.at})
		_, err := d.skip(0)
		return err
	}
	return r.typed(key)
}

func (r *rowReader) readType() error {
	kind, err := r.d.str("type")
	if err != nil {
		return err
	}
	switch {
	case kind == "n" || kind == "s":
	case kind == "subagent" && !r.nested:
	case kind == "subagent":
		return r.d.refuse("type", "is \"subagent\" inside a subagent, expected \"n\" or \"s\": one level of nesting is supported")
	default:
		return r.d.refuse("type", fmt.Sprintf("is %q, expected \"n\", \"s\" or \"subagent\"", kind))
	}
	r.kind = kind
	return nil
}

// typed reads a field of an entry whose type is known.
func (r *rowReader) typed(key string) error {
	if r.kind == "subagent" {
		return r.agentField(key)
	}
	return r.requestField(key)
}

func (r *rowReader) requestField(key string) (err error) {
	d, q := r.d, &r.request
	q.Type = r.kind
	switch key {
	case "t":
		q.T, err = d.instant(key)
	case "model":
		q.Model, err = d.str(key)
	case "in", "input_length":
		q.In, err = d.integer(key, 1, maxTokens)
	case "out", "output_length":
		q.Out, err = d.integer(key, 0, maxTokens)
	case "hash_ids":
		err = d.blocks(key, r.ids)
		q.Blocks = r.ids.blocks
	case "input_types":
		err = d.strings(key, func(kind string) {
			if kind == "tool_result" {
				q.Input = corpus.InputToolResult
			} else if q.Input == corpus.InputUnknown {
				q.Input = corpus.InputUser
			}
		})
	case "output_types":
		err = d.strings(key, func(string) {})
	case "stop":
		q.Stop, err = d.str(key)
	case "api_time":
		q.APITime, err = d.seconds(key)
	case "think_time":
		q.ThinkTime, err = d.seconds(key)
	case "ttft":
		_, err = d.seconds(key)
	default:
		err = d.unknownField(key)
	}
	return err
}

func (r *rowReader) agentField(key string) (err error) {
	d, a := r.d, &r.agent
	switch key {
	case "t":
		a.T, err = d.instant(key)
	case "agent_id":
		a.Agent, err = d.name(key)
	case "requests":
		err = r.innerRows()
	case "duration_ms":
		var duration float64
		duration, err = d.float(key, -corpus.MaxSeconds*1000, corpus.MaxSeconds*1000)
		a.DurationMs = corpus.Millis(duration)
	case "tool_tokens":
		a.ToolTokens, err = d.integer(key, -maxTokens, maxTokens)
	case "system_tokens":
		a.SystemTokens, err = d.integer(key, -maxTokens, maxTokens)
	case "total_tokens", "tool_use_count":
		_, err = d.integer(key, -maxTokens, maxTokens)
	case "subagent_type", "status":
		_, err = d.str(key)
	case "models":
		err = d.strings(key, func(string) {})
	default:
		err = d.unknownField(key)
	}
	return err
}
