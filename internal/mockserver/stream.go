package mockserver

import (
	"encoding/json"
	"strconv"
)

// words are what answers are made of: with its leading blank each is one token of the usual vocabularies,
// so that a client that counts the text agrees with the usage.
var words = [...]string{
	" the", " of", " and", " to", " in", " that", " for", " with", " this", " from", " are", " was", " not", " have", " can", " will",
	" code", " file", " line", " test", " name", " value", " return", " function", " time", " data", " list", " type", " new", " first", " then", " when",
}

// usage is the usage object of an answer.
type usage struct {
	Prompt     int           `json:"prompt_tokens"`
	Total      int           `json:"total_tokens"`
	Completion int           `json:"completion_tokens"`
	Details    *usageDetails `json:"prompt_tokens_details,omitempty"`
	Output     *usageOutput  `json:"completion_tokens_details,omitempty"`
}

type usageDetails struct {
	Cached int `json:"cached_tokens"`
}

type usageOutput struct {
	Reasoning int `json:"reasoning_tokens"`
}

// chunkWriter builds the events of one stream.
type chunkWriter struct {
	prefix       string // up to and with `"choices":[`
	reasoningKey string
	buffer       []byte
}

func newChunkWriter(id, model string, createdS int64, reasoningKey string) *chunkWriter {
	quoted, _ := json.Marshal(model) // a string always marshals
	return &chunkWriter{
		prefix: `data: {"id":"` + id + `","object":"chat.completion.chunk","created":` + strconv.FormatInt(createdS, 10) +
			`,"model":` + string(quoted) + `,"choices":[`,
		reasoningKey: reasoningKey,
	}
}

// role is the event that only names the role.
func (w *chunkWriter) role(running *usage) {
	w.buffer = append(w.buffer, w.prefix...)
	w.buffer = append(w.buffer, `{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]`...)
	w.close(running)
}

// text is an event with tokens [from, to) of the answer; the first reasoning of them are reasoning. It
// stops at the border between the two and returns where it stopped.
func (w *chunkWriter) text(from, to, reasoning int, finish string, running *usage) int {
	key := "content"
	if from < reasoning {
		key = w.reasoningKey
		if reasoning < to {
			to, finish = reasoning, ""
		}
	}
	w.buffer = append(w.buffer, w.prefix...)
	w.buffer = append(w.buffer, `{"index":0,"delta":{"`...)
	w.buffer = append(w.buffer, key...)
	w.buffer = append(w.buffer, `":"`...)
	for i := from; i < to; i++ {
		w.buffer = append(w.buffer, words[i%len(words)]...)
	}
	w.buffer = append(w.buffer, `"},"logprobs":null,"finish_reason":`...)
	if finish == "" {
		w.buffer = append(w.buffer, `null}]`...)
	} else {
		w.buffer = append(w.buffer, '"')
		w.buffer = append(w.buffer, finish...)
		w.buffer = append(w.buffer, `"}]`...)
	}
	if running != nil {
		running.Completion, running.Total = to, running.Prompt+to
	}
	w.close(running)
	return to
}

// usage is the event that only brings the usage.
func (w *chunkWriter) usage(u usage) {
	w.buffer = append(w.buffer, w.prefix...)
	w.buffer = append(w.buffer, ']')
	w.close(&u)
}

func (w *chunkWriter) close(u *usage) {
	if u != nil {
		w.buffer = append(w.buffer, `,"usage":`...)
		encoded, _ := json.Marshal(u) // numbers only
		w.buffer = append(w.buffer, encoded...)
	}
	w.buffer = append(w.buffer, "}\n\n"...)
}

func (w *chunkWriter) done() { w.buffer = append(w.buffer, "data: [DONE]\n\n"...) }

// take hands over what was built and begins anew.
func (w *chunkWriter) take() []byte {
	built := w.buffer
	w.buffer = w.buffer[:0]
	return built
}

// answerText is tokens [from, to) of an answer.
func answerText(from, to int) string {
	var text []byte
	for i := from; i < to; i++ {
		text = append(text, words[i%len(words)]...)
	}
	return string(text)
}
