package mockserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Faults say which requests misbehave, and how. A request may also order its own fault, by the header
//
//	X-Mock-Fault: stall_mid_stream; delay_ms=200; tokens=3
//
// with the members of Args as parameters; that goes before every rule.
type Faults struct {
	// Rules are tried in order; the first that matches a request is played.
	Rules []Rule `json:"rules,omitempty"`
	// Responses, when there are any, are played instead of the model's answers to every chat request that
	// no rule matched: in order, the last one again and again, or from the start with Cycle, or chosen by
	// the request's output limit with ByMaxTokens (limit in decimal → index; others get the first).
	Responses   []Response     `json:"responses,omitempty"`
	Cycle       bool           `json:"cycle,omitempty"`
	ByMaxTokens map[string]int `json:"by_max_tokens,omitempty"`
}

// Rule orders a fault for the requests that meet all of its conditions.
type Rule struct {
	Fault string `json:"fault"` // name of a Behaviour
	Args
	Path        string  `json:"path,omitempty"`        // exact path; default the chat endpoint
	From        int64   `json:"from,omitempty"`        // number of the first request (of that path, from 0; for faults at accept: of the connection)
	Every       int64   `json:"every,omitempty"`       // only every n-th from there on
	Times       int64   `json:"times,omitempty"`       // at most so many times
	Probability float64 `json:"probability,omitempty"` // drawn from the seed and the X-Request-ID, else the number; 0 = always
	Header      string  `json:"header,omitempty"`      // "Name: value" that the request must carry; "Name" for any value
}

// Args are a behaviour's settings; each uses those that mean something to it, and has defaults.
type Args struct {
	DelayMs  int64  `json:"delay_ms,omitempty"` // default 100
	Status   int    `json:"status,omitempty"`   // default by behaviour
	Body     string `json:"body,omitempty"`     // default by behaviour
	Bytes    int64  `json:"bytes,omitempty"`    // default by behaviour
	Count    int64  `json:"count,omitempty"`    // default by behaviour
	Tokens   int    `json:"tokens,omitempty"`   // of the answer; default the request's limit, at most 4
	Location string `json:"location,omitempty"` // of redirects; default /elsewhere
}

// Response is one scripted answer.
type Response struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"` // Content-Type: text/event-stream unless given
	Writes  []ScriptedWrite   `json:"writes"`  // each one HTTP chunk in one write; those without bytes only wait
	// End is close (a proper last chunk, the connection stays usable), truncate (FIN without a last
	// chunk), reset (RST) or hang (nothing more, the connection stays open).
	End   string `json:"end"`
	EndMs *int64 `json:"end_ms,omitempty"` // when; default right after the last write
}

// ScriptedWrite is [at_ms, data]: milliseconds since the end of the request, and a string,
// {"hex": …} or {"pre", "repeat", "n", "post"}.
type ScriptedWrite struct {
	AtMs float64
	Data []byte
}

// UnmarshalJSON reads the two-element array.
func (w *ScriptedWrite) UnmarshalJSON(raw []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(raw, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("a write has %d elements: expected [at_ms, data]", len(pair))
	}
	if err := json.Unmarshal(pair[0], &w.AtMs); err != nil {
		return err
	}
	if bytes.HasPrefix(pair[1], []byte(`"`)) {
		var text string
		if err := json.Unmarshal(pair[1], &text); err != nil {
			return err
		}
		w.Data = []byte(text)
		return nil
	}
	var form struct {
		Hex, Pre, Repeat, Post string
		N                      int
	}
	if err := json.Unmarshal(pair[1], &form); err != nil {
		return err
	}
	if form.N < 0 || form.N*len(form.Repeat) > 1<<30 {
		return fmt.Errorf("a write repeats %d bytes %d times: expected at most 1 GiB", len(form.Repeat), form.N)
	}
	if form.Hex != "" {
		_, err := fmt.Sscanf(form.Hex, "%x", &w.Data)
		return err
	}
	w.Data = []byte(form.Pre + strings.Repeat(form.Repeat, form.N) + form.Post)
	return nil
}

// readFaults reads a faults file and adds it to the faults already there: rules after theirs.
func readFaults(faults Faults, path string) (Faults, error) {
	if path == "" {
		return faults, nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return faults, fmt.Errorf("faults file: %w", err)
	}
	var more Faults
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&more); err != nil {
		return faults, fmt.Errorf("faults file %s: %w; expected {\"rules\": [{\"fault\": …}]} or {\"responses\": […]}", path, err)
	}
	faults.Rules = append(append([]Rule(nil), faults.Rules...), more.Rules...)
	if len(more.Responses) > 0 {
		faults.Responses, faults.Cycle, faults.ByMaxTokens = more.Responses, more.Cycle, more.ByMaxTokens
	}
	return faults, nil
}

// parseOrder reads the value of an X-Mock-Fault header.
func parseOrder(value string) (name string, args Args, err error) {
	name, rest, _ := strings.Cut(value, ";")
	name = strings.TrimSpace(name)
	for part := range strings.SplitSeq(rest, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		key, text, _ := strings.Cut(part, "=")
		number, notNumber := strconv.ParseInt(text, 10, 64)
		numeric := true
		switch key {
		case "delay_ms":
			args.DelayMs = number
		case "status":
			args.Status = int(number)
		case "bytes":
			args.Bytes = number
		case "count":
			args.Count = number
		case "tokens":
			args.Tokens = int(number)
		case "body":
			args.Body, numeric = text, false
		case "location":
			args.Location, numeric = text, false
		default:
			return name, args, fmt.Errorf("fault %s: no parameter %q: expected delay_ms, status, bytes, count, tokens, body or location", name, key)
		}
		if numeric && notNumber != nil {
			return name, args, fmt.Errorf("fault %s: %s=%q: expected a number", name, key, text)
		}
	}
	return name, args, nil
}
