package rawlog

import (
	"bytes"
	"strings"

	"agentx/eventlog"
	"agentx/internal/view/report"
	"agentx/wire/chat"
	"agentx/wire/sse"
)

// headersOf are the headers of a head's lines, without the status line.
func headersOf(head string) (headers [][2]string) {
	for i, line := range strings.Split(head, "\n") {
		name, value, found := strings.Cut(strings.TrimRight(line, "\r"), ":")
		if i > 0 && found {
			headers = append(headers, [2]string{name, strings.TrimSpace(value)})
		}
	}
	return headers
}

func contentType(head string) string {
	for _, header := range headersOf(head) {
		if strings.EqualFold(header[0], "Content-Type") {
			return header[1]
		}
	}
	return ""
}

// isStream tells an event stream by its type, or by its beginning where a server labels it wrongly.
func isStream(body []byte, head string) bool {
	if strings.HasPrefix(strings.ToLower(contentType(head)), "text/event-stream") {
		return true
	}
	start := bytes.TrimLeft(body, " \t\r\n")
	return bytes.HasPrefix(start, []byte("data:")) || bytes.HasPrefix(start, []byte("event:"))
}

// events calls take with the events of a stream and the number of its bytes up to their ends.
func events(body []byte, take func(event *sse.Event, end int64)) {
	var scanner sse.Scanner
	var event sse.Event
	end := int64(0)
	next := func() {
		for scanner.Next(&event) {
			end += int64(event.WireBytes)
			take(&event, end)
		}
	}
	scanner.Feed(body, 0)
	next()
	scanner.End()
	next()
}

// responsesOf are the messages of an answer with the times of their arrival: of a stream one for each
// event, of any other answer its whole text.
func responsesOf(body []byte, head string, chunks []eventlog.Chunk) []report.RawResponse {
	if len(body) == 0 {
		return nil
	}
	if !isStream(body, head) {
		at := report.NoTime
		if len(chunks) > 0 {
			at = chunks[len(chunks)-1].AtNs
		}
		return []report.RawResponse{{AtNs: at, Text: string(body), ContentType: contentType(head)}}
	}
	arrivals := clockwork{chunks: chunks}
	var list []report.RawResponse
	events(body, func(event *sse.Event, end int64) {
		r := report.RawResponse{AtNs: arrivals.at(end)}
		switch event.Kind {
		case sse.Comment:
			r.Packets = append(r.Packets, [2]string{"comment", string(event.Data)})
		case sse.Text:
			r.Packets = append(r.Packets, [2]string{"text", string(event.Data)})
		default:
			if len(event.Name) > 0 {
				r.Packets = append(r.Packets, [2]string{"event", string(event.Name)})
			}
			r.Packets = append(r.Packets, [2]string{"data", string(event.Data)})
		}
		list = append(list, r)
	})
	return list
}

// clockwork finds when a byte of a stream had come, from the chunks in the log: they carry the number of
// the stream's bytes since the one before.
type clockwork struct {
	chunks []eventlog.Chunk
	next   int
	bytes  int64 // of the stream, up to chunk next
	last   int64 // stamp of the last chunk taken
	some   bool
}

// at is when the stream's byte number end had come; ends must not fall. NoTime where the log has no chunk
// so far.
func (c *clockwork) at(end int64) int64 {
	for c.bytes < end && c.next < len(c.chunks) {
		c.bytes += c.chunks[c.next].WireBytes
		c.last, c.some = c.chunks[c.next].AtNs, true
		c.next++
	}
	if !c.some || c.bytes < end {
		return report.NoTime
	}
	return c.last
}

// textOf is what an answer says: the output of its first choice.
func textOf(body []byte, head string) (answer report.AnswerText) {
	var parser chat.Parser
	var text, reasoning []byte
	take := func(data []byte) {
		chunk, ok := parser.Parse(bytes.TrimSpace(data))
		if !ok || chunk.Failed {
			return
		}
		for i := range chunk.Choices {
			if c := &chunk.Choices[i]; c.Index == 0 {
				text, reasoning = append(append(text, c.Text...), c.Tool...), append(reasoning, c.Reasoning...)
			}
		}
	}
	if isStream(body, head) {
		done := false
		events(body, func(event *sse.Event, _ int64) {
			done = done || string(bytes.TrimSpace(event.Data)) == "[DONE]"
			if event.Kind == sse.Message && !done {
				take(event.Data)
			}
		})
	} else {
		take(body)
	}
	return report.AnswerText{Text: string(text), Reasoning: string(reasoning)}
}
