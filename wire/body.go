package wire

import (
	"bytes"
	"strconv"

	"agentx/wire/chat"
)

// segment is a part of a body: the caller's text, or framing around it.
type segment struct {
	frame  []byte
	text   Text // nil for framing
	length int64
}

// bodyPlan is a request body as segments in order. Its buffers are reused from request to request.
type bodyPlan struct {
	segments []segment
	length   int64
	kept     int64 // leading bytes that the stream's next body begins with

	frame  []byte // the framing; sized before it is filled, so that segments into it stay valid
	fields Fields
	values []byte // values made here
	open   int    // where the segment under way begins in frame
}

// plan lays out body. Nothing of the prompts is copied.
func (p *bodyPlan) plan(options *Options, body *Body) {
	p.segments, p.frame, p.length, p.kept, p.open = p.segments[:0], p.frame[:0], 0, 0, 0
	p.merge(options, body)
	messages := p.fields.Get("messages")
	p.reserve(body, messages)
	if messages != nil {
		p.put(`{"messages":`)
		p.frame = append(p.frame, messages...)
	} else {
		p.messages(body)
	}
	for i := range p.fields {
		if p.fields[i].Key == "messages" {
			continue
		}
		p.put(`,`)
		p.frame = appendQuoted(p.frame, p.fields[i].Key)
		p.put(`:`)
		p.frame = append(p.frame, p.fields[i].Value...)
	}
	p.put(`}`)
	p.flush()
}

// messages writes the key messages and its array.
func (p *bodyPlan) messages(body *Body) {
	p.put(`{"messages":[`)
	for i := range body.Messages {
		if i > 0 {
			p.put(`,`)
		}
		p.message(&body.Messages[i])
		if i+1 == body.KeptMessages {
			p.kept = p.length + int64(len(p.frame)-p.open)
		}
	}
	p.put(`]`)
}

func (p *bodyPlan) message(m *Message) {
	p.put(`{"role":`)
	p.frame = appendQuoted(p.frame, m.Role)
	p.put(`,"content":"`)
	if m.Content != nil {
		p.flush()
		length := m.Content.Len()
		p.segments = append(p.segments, segment{text: m.Content, length: length})
		p.length += length
	}
	p.put(`"`)
	for i := range m.ToolCalls {
		p.put([...]string{`,"tool_calls":[`, `,`}[min(i, 1)])
		p.put(`{"id":`)
		p.frame = appendQuoted(p.frame, m.ToolCalls[i].ID)
		p.put(`,"type":"function","function":{"name":`)
		p.frame = appendQuoted(p.frame, m.ToolCalls[i].Name)
		p.put(`,"arguments":`)
		p.frame = appendQuoted(p.frame, m.ToolCalls[i].Arguments)
		p.put(`}}`)
	}
	if len(m.ToolCalls) > 0 {
		p.put(`]`)
	}
	if m.ToolCallID != "" {
		p.put(`,"tool_call_id":`)
		p.frame = appendQuoted(p.frame, m.ToolCallID)
	}
	p.put(`}`)
}

func (p *bodyPlan) put(text string) { p.frame = append(p.frame, text...) }

// flush ends the framing segment under way.
func (p *bodyPlan) flush() {
	if frame := p.frame[p.open:]; len(frame) > 0 {
		p.segments = append(p.segments, segment{frame: frame, length: int64(len(frame))})
		p.length += int64(len(frame))
	}
	p.open = len(p.frame)
}

// reserve makes frame large enough that it never moves while it is filled.
func (p *bodyPlan) reserve(body *Body, messages []byte) {
	const perMessage, perCall, worst = 64, 80, 6 // a byte escapes to six at most
	size := 64 + len(messages)
	for i := range p.fields {
		size += worst*len(p.fields[i].Key) + len(p.fields[i].Value) + 8
	}
	for i := range body.Messages {
		m := &body.Messages[i]
		size += perMessage + worst*(len(m.Role)+len(m.ToolCallID))
		for j := range m.ToolCalls {
			size += perCall + worst*(len(m.ToolCalls[j].ID)+len(m.ToolCalls[j].Name)+len(m.ToolCalls[j].Arguments))
		}
	}
	if cap(p.frame) < size {
		p.frame = make([]byte, 0, size+size/4)
	}
}

// merge collects the keys after messages: model, stream, tools and limit, overwritten by the extra
// inputs, then by the turn's own, then stream_options.
func (p *bodyPlan) merge(options *Options, body *Body) {
	p.fields, p.values = p.fields[:0], p.values[:0]
	p.field("model", appendQuoted(p.values, body.Model))
	p.field("stream", strconv.AppendBool(p.values, body.Stream))
	if body.Tools != nil {
		p.fields = append(p.fields, Field{"tools", body.Tools})
	}
	if body.MaxTokens > 0 {
		key := "max_completion_tokens"
		if options.LegacyMaxTokens {
			key = "max_tokens"
		}
		p.field(key, strconv.AppendInt(p.values, body.MaxTokens, 10))
	}
	for _, field := range options.Extra {
		p.fields = p.fields.With(field.Key, field.Value)
	}
	for _, field := range body.Extra {
		p.fields = p.fields.With(field.Key, field.Value)
	}
	if !chat.Truthy(p.fields.Get("stream")) {
		return
	}
	wanted := Fields{{"include_usage", []byte("true")}}
	if options.PerChunkUsage {
		wanted = append(wanted, Field{"continuous_usage_stats", []byte("true")})
	}
	if value, ok := withMissing(p.fields.Get("stream_options"), wanted); ok {
		p.fields = p.fields.With("stream_options", value)
	}
}

// field appends a key whose value was just appended to values.
func (p *bodyPlan) field(key string, values []byte) {
	value := values[len(p.values):]
	p.values = values
	p.fields = append(p.fields, Field{key, value[:len(value):len(value)]})
}

// withMissing adds the members of wanted that the JSON object lacks; nil counts as {}. It gives false for
// a value that is no object.
func withMissing(object []byte, wanted Fields) ([]byte, bool) {
	if object == nil {
		object = []byte("{}")
	}
	object = bytes.TrimSpace(object)
	if len(object) < 2 || object[0] != '{' {
		return nil, false
	}
	out := append([]byte(nil), bytes.TrimRight(object[:len(object)-1], " \t\r\n")...)
	for _, field := range wanted {
		if chat.HasMember(object, field.Key) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = appendQuoted(out, field.Key)
		out = append(out, ':')
		out = append(out, field.Value...)
	}
	return append(out, '}'), true
}
