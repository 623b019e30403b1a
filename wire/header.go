package wire

import (
	"encoding/json"
	"fmt"
	"strings"
)

// dynamic says where a header's value comes from.
type dynamic uint8

const (
	fixed dynamic = iota
	fromRequestID
	fromSessionID
	fromParentID
	fromTreeID
	fromStreaming // Accept
)

type headerPlan struct {
	name    string
	value   string
	source  dynamic
	routing bool
}

// forbiddenHeaders would break the framing that this client writes itself.
var forbiddenHeaders = [...]string{"Expect", "Connection", "Transfer-Encoding", "Content-Length", "Keep-Alive", "Upgrade", "Trailer", "TE"}

// checkHeader refuses what cannot be sent: odd names, line breaks in values, headers of the framing.
func checkHeader(header Header) error {
	if header.Name == "" || strings.ContainsFunc(header.Name, func(r rune) bool { return !isToken(r) }) {
		return fmt.Errorf("header %q: expected a name of letters, digits and -", header.Name)
	}
	if err := checkValue(header.Name, header.Value); err != nil {
		return err
	}
	for _, name := range forbiddenHeaders {
		if header.Is(name) {
			return fmt.Errorf("header %s: this client sets it itself; leave it out", header.Name)
		}
	}
	return nil
}

func checkValue(name, value string) error {
	for i := range len(value) {
		if c := value[i]; c < 0x20 && c != '\t' || c == 0x7f {
			return fmt.Errorf("header %s: its value has a control character", name)
		}
	}
	return nil
}

func isToken(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// ParseHeader reads one value of --header: Name:Value, or a JSON object of names and values. A value may
// hold colons and commas.
func ParseHeader(text string) ([]Header, error) {
	var headers []Header
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		fields, err := Fields(nil).withObject(text)
		if err != nil {
			return nil, fmt.Errorf("header: %w", err)
		}
		for _, field := range fields {
			headers = append(headers, Header{field.Key, plainValue(field.Value)})
		}
	} else {
		name, value, found := strings.Cut(text, ":")
		if !found {
			return nil, fmt.Errorf("header %q: expected Name:Value or a JSON object", name)
		}
		headers = append(headers, Header{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	for _, header := range headers {
		if err := checkHeader(header); err != nil {
			return nil, err
		}
	}
	return headers, nil
}

// planHeaders orders the headers of every request to one endpoint, later ones winning over earlier ones
// of the same name: our own, the custom ones, the key, what the body needs, the routing headers.
func planHeaders(options *Options, endpoint *Endpoint) []headerPlan {
	var p planner
	p.set("Host", endpoint.authority, fixed)
	p.set("User-Agent", options.UserAgent, fixed)
	p.set("X-Request-ID", "", fromRequestID)
	p.set(options.SessionHeader, "", fromSessionID)
	if user := endpoint.basicAuth(); user != "" {
		p.set("Authorization", user, fixed)
	}
	for _, header := range options.Headers {
		p.set(header.Name, header.Value, fixed)
	}
	if options.APIKey != "" {
		p.set("Authorization", "Bearer "+options.APIKey, fixed)
	}
	p.set("Accept", "", fromStreaming)
	p.set("Content-Type", "application/json", fixed)
	affinity := options.Affinity
	p.route(affinity.SessionID, "X-Session-ID", fromSessionID)
	p.route(affinity.SessionAffinity, "X-Session-Affinity", fromSessionID)
	p.route(affinity.SMGRoutingKey, "X-SMG-Routing-Key", fromSessionID)
	p.route(affinity.DynamoSessionID, "X-Dynamo-Session-ID", fromSessionID)
	p.route(affinity.DynamoSessionID, "X-Dynamo-Parent-Session-ID", fromParentID)
	p.route(affinity.TreeHeader != "", affinity.TreeHeader, fromTreeID)
	return p.list
}

type planner struct {
	list []headerPlan
}

// set replaces the header of this name in its place, or appends it.
func (p *planner) set(name, value string, source dynamic) {
	for i := range p.list {
		if (Header{Name: p.list[i].name}).Is(name) {
			p.list[i] = headerPlan{name: name, value: value, source: source}
			return
		}
	}
	p.list = append(p.list, headerPlan{name: name, value: value, source: source})
}

// route appends an authoritative header; whatever the caller gave under its name goes.
func (p *planner) route(wanted bool, name string, source dynamic) {
	if !wanted {
		return
	}
	for i := range p.list {
		if (Header{Name: p.list[i].name}).Is(name) {
			p.list = append(p.list[:i], p.list[i+1:]...)
			break
		}
	}
	p.list = append(p.list, headerPlan{name: name, source: source, routing: true})
}

// valueIn is what the header carries in a request; empty: it is left out.
func (h *headerPlan) valueIn(r *Request) string {
	switch h.source {
	case fromRequestID:
		return r.RequestID
	case fromSessionID:
		return r.SessionID
	case fromParentID:
		return r.ParentSessionID
	case fromTreeID:
		return r.TreeID
	case fromStreaming:
		if r.Body.Stream {
			return "text/event-stream"
		}
		return "application/json"
	}
	return h.value
}

// firm tells whether a request's own headers may not replace this one.
func (h *headerPlan) firm() bool {
	return h.source == fromParentID || h.source == fromTreeID || h.source == fromStreaming || h.routing || h.name == "Content-Type"
}

// appendHeaders lists the headers of a request in order. The request's own replace those of the same
// name, but not the routing headers and what the body needs.
func appendHeaders(list []Header, plan []headerPlan, r *Request) []Header {
	for i := range plan {
		if value := plan[i].valueIn(r); value != "" {
			list = append(list, Header{plan[i].name, value})
		}
	}
	for _, own := range r.Headers {
		list = withOwn(list, plan, own)
	}
	return list
}

func withOwn(list []Header, plan []headerPlan, own Header) []Header {
	for i := range plan {
		if plan[i].firm() && own.Is(plan[i].name) {
			return list
		}
	}
	for i := range list {
		if list[i].Is(own.Name) {
			list[i] = own
			return list
		}
	}
	return append(list, own)
}

// plainValue is a JSON value as header text: a string's content, anything else as written.
func plainValue(value []byte) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
