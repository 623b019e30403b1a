package samplegen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// blockSize is that of the public corpora, in tokens.
const blockSize = 64

// File is a file of the corpus.
type File struct {
	Name    string
	Content []byte
}

// seconds is a time of the recording; it is written with two decimals.
type seconds float64

func (s seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(s), 'f', 2, 64), nil
}

// request is a recorded model call, in the order in which its fields are written.
type request struct {
	T           seconds  `json:"t"`
	Type        string   `json:"type"`
	Model       string   `json:"model"`
	In          int      `json:"in"`
	Out         int      `json:"out"`
	IDs         []int    `json:"hash_ids"`
	InputTypes  []string `json:"input_types,omitempty"`
	OutputTypes []string `json:"output_types,omitempty"`
	Stop        string   `json:"stop"`
	APITime     *seconds `json:"api_time,omitempty"`
	ThinkTime   *seconds `json:"think_time,omitempty"`
	TTFT        *seconds `json:"ttft,omitempty"`
}

// subagent is a recorded child agent.
type subagent struct {
	T            seconds   `json:"t"`
	Type         string    `json:"type"`
	Agent        string    `json:"agent_id"`
	Kind         string    `json:"subagent_type"`
	Status       string    `json:"status"`
	Models       []string  `json:"models"`
	DurationMs   *int      `json:"duration_ms"`
	ToolTokens   int       `json:"tool_tokens"`
	SystemTokens int       `json:"system_tokens"`
	Requests     []request `json:"requests"`
}

// trace is a recording; its rows are requests and subagents.
type trace struct {
	ID           string   `json:"id"`
	Models       []string `json:"models"`
	BlockSize    int      `json:"block_size"`
	Scope        string   `json:"hash_id_scope"`
	ToolTokens   int      `json:"tool_tokens"`
	SystemTokens int      `json:"system_tokens"`
	Rows         []any    `json:"requests"`
}

// encode writes a trace as JSON with each request on a line of its own.
func (t *trace) encode() ([]byte, error) {
	rows := t.Rows
	head := *t
	head.Rows = []any{}
	text, err := json.Marshal(&head)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(bytes.TrimSuffix(text, []byte("[]}")))
	out.WriteString("[\n")
	for i, row := range rows {
		text, err := encodeRow(row)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		out.Write(text)
		if i < len(rows)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString("]}\n")
	return out.Bytes(), nil
}

func encodeRow(row any) ([]byte, error) {
	agent, ok := row.(subagent)
	if !ok {
		return json.Marshal(row)
	}
	requests := agent.Requests
	agent.Requests = []request{}
	text, err := json.Marshal(agent)
	if err != nil {
		return nil, err
	}
	out := append(bytes.TrimSuffix(text, []byte("[]}")), "[\n"...)
	for i, inner := range requests {
		text, err := json.Marshal(inner)
		if err != nil {
			return nil, err
		}
		out = append(append(out, "    "...), text...)
		if i < len(requests)-1 {
			out = append(out, ',')
		}
		out = append(out, '\n')
	}
	return append(out, "]}"...), nil
}
