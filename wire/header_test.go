package wire

import (
	"strings"
	"testing"
)

func sentHeaders(t *testing.T, options Options, url string, r *Request) string {
	t.Helper()
	options.URLs = []string{url}
	if err := options.fill(); err != nil {
		t.Fatal(err)
	}
	endpoint, err := ParseEndpoint(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, header := range appendHeaders(nil, planHeaders(&options, &endpoint), r) {
		out = append(out, header.Name+"="+header.Value)
	}
	return strings.Join(out, " ")
}

// TestHeaderOrderAndMerging is the merge order of the headers, without regard to case.
func TestHeaderOrderAndMerging(t *testing.T) {
	stream := Body{Stream: true}
	child := &Request{RequestID: "r", SessionID: "s", ParentSessionID: "p", TreeID: "t", Body: stream}
	for _, c := range []struct {
		name    string
		options Options
		url     string
		request *Request
		want    string
	}{
		{"as the peer sends", Options{UserAgent: "agentx/1", Affinity: Affinity{SessionAffinity: true}}, "http://h:1", child,
			"Host=h:1 User-Agent=agentx/1 X-Request-ID=r X-Correlation-ID=s Accept=text/event-stream Content-Type=application/json X-Session-Affinity=s"},
		{"all routing headers", Options{Affinity: Affinity{true, true, true, true, "X-Tree"}}, "http://h:1", child,
			"Host=h:1 User-Agent=agentx X-Request-ID=r X-Correlation-ID=s Accept=text/event-stream Content-Type=application/json " +
				"X-Session-ID=s X-Session-Affinity=s X-SMG-Routing-Key=s X-Dynamo-Session-ID=s X-Dynamo-Parent-Session-ID=p X-Tree=t"},
		{"a root has no parent", Options{Affinity: Affinity{DynamoSessionID: true}}, "http://h:1", &Request{SessionID: "s"},
			"Host=h:1 User-Agent=agentx X-Correlation-ID=s Accept=application/json Content-Type=application/json X-Dynamo-Session-ID=s"},
		{"session header renamed", Options{SessionHeader: "X-My-Sess"}, "http://h:1", child,
			"Host=h:1 User-Agent=agentx X-Request-ID=r X-My-Sess=s Accept=text/event-stream Content-Type=application/json"},
		{"custom headers win without regard to case", Options{Headers: []Header{{"user-agent", "u"}, {"content-type", "x"}, {"X-A", "1"}, {"x-a", "2"}, {"host", "other"}}}, "http://h:1", child,
			"host=other user-agent=u X-Request-ID=r X-Correlation-ID=s Content-Type=application/json x-a=2 Accept=text/event-stream"},
		{"the key wins over a custom one", Options{APIKey: "k", Headers: []Header{{"authorization", "Basic x"}}}, "http://h:1", &Request{},
			"Host=h:1 User-Agent=agentx Authorization=Bearer k Accept=application/json Content-Type=application/json"},
		{"userinfo is basic auth", Options{}, "http://u:p@h:1", &Request{},
			"Host=h:1 User-Agent=agentx Authorization=Basic dTpw Accept=application/json Content-Type=application/json"},
		{"routing is authoritative", Options{Affinity: Affinity{SessionAffinity: true}, Headers: []Header{{"x-session-affinity", "mine"}}}, "http://h:1",
			&Request{SessionID: "s", Headers: []Header{{"X-SESSION-AFFINITY", "own"}, {"accept", "x"}, {"X-Own", "1"}, {"user-agent", "o"}}},
			"Host=h:1 user-agent=o X-Correlation-ID=s Accept=application/json Content-Type=application/json X-Session-Affinity=s X-Own=1"},
	} {
		if got := sentHeaders(t, c.options, c.url, c.request); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestHeaderParsing(t *testing.T) {
	for in, want := range map[string]string{
		"A: b":                  "A=b",
		"A:b:c, d":              "A=b:c, d",
		`{"A":"b","C":1}`:       "A=b C=1",
		"X-Custom-Token: top-4": "X-Custom-Token=top-4",
	} {
		headers, err := ParseHeader(in)
		var out []string
		for _, header := range headers {
			out = append(out, header.Name+"="+header.Value)
		}
		if got := strings.Join(out, " "); got != want || err != nil {
			t.Errorf("%s: %s, want %s (%v)", in, got, want, err)
		}
	}
	for _, in := range []string{"A", ": b", "A b: c", "A: b\r\nC: d", "content-length: 3", "Connection: close", "expect: 100-continue", "Transfer-Encoding: chunked", `{"A":"b\nc"}`, `{"A"`} {
		if headers, err := ParseHeader(in); err == nil {
			t.Errorf("%q was taken as %v", in, headers)
		} else if strings.Contains(err.Error(), "\r\nC: d") {
			t.Errorf("%q: the error shows the value", in)
		}
	}
}
