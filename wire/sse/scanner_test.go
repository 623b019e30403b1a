package sse

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// read runs the scanner over parts and shows what it found, one item an event.
func read(limit int, parts ...string) (shown []string, wireBytes int) {
	scanner := Scanner{Limit: limit}
	var event Event
	collect := func() {
		for scanner.Next(&event) {
			wireBytes += event.WireBytes
			shown = append(shown, show(&event))
		}
	}
	for i, part := range parts {
		scanner.Feed([]byte(part), int64(i+1))
		collect()
	}
	scanner.End()
	collect()
	return shown, wireBytes
}

func show(event *Event) string {
	switch {
	case event.TooLong:
		return "too long"
	case event.Kind == Comment:
		return "comment " + string(event.Data)
	case event.Kind == Text:
		return "text " + string(event.Data)
	case len(event.Name) > 0:
		return fmt.Sprintf("%s|%s|%s", event.Name, event.Comment, event.Data)
	}
	return string(event.Data)
}

// TestStreamVectors are the byte-level vectors S1 to S20, with our values where they differ from the peer's.
func TestStreamVectors(t *testing.T) {
	for _, c := range []struct{ id, in, want string }{
		{"S2", "data: A", "A"},
		{"S3", "data: A\r\n\r\ndata: B\r\n\r\n", "A,B"},
		{"S4", "data: {\"a\":1}\r\n\r\ndata: {\"b\":2}\n\n", `{"a":1},{"b":2}`},
		{"S8", ": keepalive\n\n", "comment keepalive"},
		{"S9", ": hi\ndata: {\"a\":1}\n\n", `comment hi,{"a":1}`},
		{"S10", "data: {\"a\":\ndata: 1}\n\n", "{\"a\":\n1}"},
		{"S11", "event: error\n: boom\ndata: {\"x\":1}\n\n", `comment boom,error|boom|{"x":1}`},
		{"S12", "event: error\ndata: {\"message\":\"x\"}\n\n", `error||{"message":"x"}`},
		{"S14", "data:{\"a\":1}\n\n", `{"a":1}`},
		{"S15", "data: {\"t\":\"a\nb\"}\n\n", `{"t":"a\nb"}`},
		{"S16", "data: {\"a\":1}\r\rdata: {\"b\":2}\r\r", `{"a":1},{"b":2}`},
		{"S17", "\xef\xbb\xbfdata: x\n\n", "x"},
		{"S18", "id: 7\nretry: 10\nevent: message\ndata: {\"a\":1}\n\n", `message||{"a":1}`},
		{"S19", "\n\n\n\ndata: {\"a\":1}\n\n", `{"a":1}`},
		{"S20", "id: 1\ndata: {\"t\":\"a\u2028b\u0085c\vd\fe\"}\n\n", "{\"t\":\"a\u2028b\u0085c\vd\fe\"}"},
		{"one blank goes", "data:  x \n\n", " x "},
		{"empty data", "data:\n\ndata\n\n", ","},
		{"only a name", "event: ping\n\n", "ping||"},
		{"only an id", "id: 7\n\ndata: x\n\n", "x"},
		{"bare JSON", "{\"error\":\n 1}\ndata: x\n\n", "text {\"error\":,text  1},x"},
		{"mixed ends", "data: a\rdata: b\r\ndata: c\n\r\ndata: d\n\n", "a\nb\nc,d"},
		{"repair leaves fields", "data: {\"a\":1,\n: hi\nid: 4\ndata: \"b\":2}\n\n", "comment hi,{\"a\":1,\n\"b\":2}"},
		{"repair of two breaks", "data: {\"t\":\"a\nb: c\nd\"}\nx\n\n", `text x,{"t":"a\nb: c\nd"}`},
		{"mark only at the start", "data: x\n\n\xef\xbb\xbfdata: y\n\n", "x,text \xef\xbb\xbfdata: y"},
	} {
		got, _ := read(0, c.in)
		if joined := strings.Join(got, ","); joined != c.want {
			t.Errorf("%s: %q, want %q", c.id, joined, c.want)
		}
	}
}

// TestEventsAreStampedByTheReadThatCompletesThem is vector S5.
func TestEventsAreStampedByTheReadThatCompletesThem(t *testing.T) {
	var scanner Scanner
	var event Event
	var got string
	for i, part := range []string{"data: {\"a\":1}\n", "\ndata: {\"b\"", ":2}\n", "\n", "data: c"} {
		scanner.Feed([]byte(part), int64(i+1))
		for scanner.Next(&event) {
			got += fmt.Sprintf("%s at %d;", event.Data, event.At)
		}
	}
	scanner.End()
	for scanner.Next(&event) {
		got += fmt.Sprintf("%s at %d;", event.Data, event.At)
	}
	if want := `{"a":1} at 2;{"b":2} at 4;c at 5;`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

const mixedStream = "\xef\xbb\xbf: hello\r\n\r\nevent: ping\ndata: {}\n\ndata: {\"t\":\"你🚀\"}\r\rdata: {\"a\":\r\ndata: 1}\n\n" +
	"{\"error\":1}\n\ndata: {\"t\":\"a\nb\"}\r\n\r\nid: 1\nretry: 2\n\n\n\n: c\ndata:x\n\nevent: error\n: boom\ndata: last"

// TestEventsDoNotDependOnReadBoundaries cuts one stream at every pair of places, and into single bytes.
func TestEventsDoNotDependOnReadBoundaries(t *testing.T) {
	whole, _ := read(0, mixedStream)
	want := fmt.Sprintf("%q", whole)
	if len(whole) != 10 {
		t.Fatalf("%d events: %s", len(whole), want)
	}
	for i := 0; i <= len(mixedStream); i++ {
		for j := i; j <= len(mixedStream); j++ {
			got, bytes := read(0, mixedStream[:i], mixedStream[i:j], mixedStream[j:])
			if shown := fmt.Sprintf("%q", got); shown != want {
				t.Fatalf("cut at %d and %d: %s, want %s", i, j, shown, want)
			}
			if bytes != len(mixedStream) {
				t.Fatalf("cut at %d and %d: events account for %d of %d bytes", i, j, bytes, len(mixedStream))
			}
		}
	}
	got, _ := read(0, strings.Split(mixedStream, "")...)
	if shown := fmt.Sprintf("%q", got); shown != want {
		t.Errorf("byte by byte: %s, want %s", shown, want)
	}
}

func TestLinesAboveTheLimitAreDrained(t *testing.T) {
	long := "data: " + strings.Repeat("x", 200)
	for _, c := range []struct{ name, in, want string }{
		{"one line", long + "\n\ndata: y\n\n", "too long,y"},
		{"several lines", "data: " + strings.Repeat("x", 60) + "\ndata: " + strings.Repeat("x", 60) + "\n\ndata: y\n\n", "too long,y"},
		{"comment", ":" + strings.Repeat("x", 200) + "\n\ndata: y\n\n", "too long,y"},
		{"no end", long, "too long"},
		{"at the limit", "data: " + strings.Repeat("x", 94) + "\n\n", strings.Repeat("x", 94)},
	} {
		for _, size := range []int{1, 7, 64, 1000} {
			var parts []string
			for rest := c.in; rest != ""; rest = rest[min(size, len(rest)):] {
				parts = append(parts, rest[:min(size, len(rest))])
			}
			got, _ := read(100, parts...)
			if joined := strings.Join(got, ","); joined != c.want {
				t.Errorf("%s in reads of %d: %q, want %q", c.name, size, joined, c.want)
			}
		}
	}
}

func TestMemoryStaysBoundedOnAnEndlessLine(t *testing.T) {
	scanner := Scanner{Limit: 1 << 20}
	var event Event
	block := bytes.Repeat([]byte("x"), 64<<10)
	for range 1000 {
		scanner.Feed(block, 1)
		if scanner.Next(&event) {
			t.Fatal("an event before the line's end")
		}
		if held := cap(scanner.carry) + cap(scanner.store); held > 4<<20 {
			t.Fatalf("holds %d bytes with a limit of 1 MiB", held)
		}
	}
	if !scanner.Overlong() {
		t.Error("the line is not reported as too long")
	}
}

// FuzzScanner holds the scanner against itself with other read boundaries, and against the slow reader.
func FuzzScanner(f *testing.F) {
	f.Add([]byte(mixedStream), uint64(1))
	f.Add([]byte("data: {\"a\":1}\r\rdata: b\r\n\r\n"), uint64(2))
	f.Add([]byte("\xef\xbb\xbf\xef\xbb\xbfdata\n\n:\n"), uint64(3))
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		want := slowRead(string(stream))
		random := rand.New(rand.NewPCG(seed, 0))
		var parts []string
		for rest := string(stream); rest != ""; {
			n := 1 + random.IntN(len(rest))
			parts, rest = append(parts, rest[:n]), rest[n:]
		}
		got, wireBytes := read(0, parts...)
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("%q in %q: %q, want %q", stream, parts, got, want)
		}
		if wireBytes > len(stream) {
			t.Fatalf("events account for %d of %d bytes", wireBytes, len(stream))
		}
	})
}

// slowRead is the obvious reader of a whole stream: the twin that the scanner must agree with.
func slowRead(stream string) (shown []string) {
	stream = strings.TrimPrefix(stream, "\xef\xbb\xbf")
	stream = strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(stream, "\n")
	lines[len(lines)-1] += "\n" // marks the line that no line end follows
	var name, comment, previous string
	var data []string
	for _, line := range lines {
		last := strings.HasSuffix(line, "\n")
		line = strings.TrimSuffix(line, "\n")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		open := strings.HasPrefix(strings.TrimLeft(previous, " \t"), "{") && !strings.HasSuffix(strings.TrimRight(previous, " \t"), "}")
		switch {
		case line == "":
		case field == "":
			if comment == "" {
				comment = value[:min(len(value), maxName)]
			}
			shown = append(shown, show(&Event{Kind: Comment, Data: []byte(value)}))
		case field == "data":
			data = append(data, value)
			previous = value
		case field == "event":
			name = value[:min(len(value), maxName)]
		case field == "id" || field == "retry":
		case open:
			data[len(data)-1] += `\n` + line
			previous = "{" + line
		default:
			shown = append(shown, show(&Event{Kind: Text, Data: []byte(line)}))
		}
		if line != "" && !last {
			continue
		}
		if data != nil || name != "" {
			shown = append(shown, show(&Event{Kind: Message, Name: []byte(name), Comment: []byte(comment), Data: []byte(strings.Join(data, "\n"))}))
		}
		name, comment, previous, data = "", "", "", nil
	}
	return shown
}

func BenchmarkScanner(b *testing.B) {
	event := `data: {"id":"c-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" tok1"},"finish_reason":null}]}` + "\n\n"
	stream := []byte(strings.Repeat(event, 100))
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		var scanner Scanner
		var found Event
		count := 0
		scanner.Feed(stream, 1)
		for scanner.Next(&found) {
			count++
		}
		if count != 100 {
			b.Fatal(count)
		}
	}
}
