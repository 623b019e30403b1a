package rawlog

import (
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentx/eventlog"
	"agentx/internal/view/report"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
)

const (
	head   = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	first  = `data: {"choices":[{"index":0,"delta":{"content":"a "}}]}` + "\n\n"
	second = `data: {"choices":[{"index":0,"delta":{"content":"cat","reasoning_content":"hm"}},{"index":1,"delta":{"content":"x"}}]}` + "\n\n"
	stream = first + ": still here\n\n" + second + "data: [DONE]\n\n"
)

// madeLog is a log of three exchanges: two with the same answer, one whose answer was not kept.
func madeLog(t *testing.T, level string) *eventlog.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.db")
	w, err := eventlog.Create(path, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	add := func(kind eventlog.Kind, exchange int64, payload any, data []byte) {
		event, err := eventlog.NewPayload(kind, 9, payload)
		if err == nil {
			event.Exchange, event.Data = exchange, data
			_, err = w.Add(event)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	digest := blake3.Sum256([]byte(stream))
	kept := eventlog.RawExchange{Sent: [][2]string{{"Accept", "*/*"}}, Head: head, Body: hex.EncodeToString(digest[:]), Bytes: int64(len(stream))}
	add(eventlog.KindRunConfig, -1, eventlog.RunConfig{Settings: map[string]any{"export-level": level, "cache-bust": "first_turn_prefix"}}, nil)
	add(eventlog.KindDispatch, 0, map[string]string{"marker": "0123456789ab"}, nil)
	add(eventlog.KindRawExchange, 0, kept, packer.EncodeAll([]byte(stream), nil))
	chunks := eventlog.NewChunkBuffer(w, func() int64 { return 0 }, 0)
	sink := chunks.Open(0)
	for i, part := range []string{first, ": still here\n\n", second} { // the connection broke before [DONE] was told
		sink.Add(eventlog.Chunk{AtNs: int64(100 * (i + 1)), Class: eventlog.ChunkText, WireBytes: int64(len(part))})
	}
	add(eventlog.KindExchangeEnd, 0, eventlog.ExchangeEnd{Outcome: eventlog.OutcomeOK}, sink.End())
	add(eventlog.KindRawExchange, 1, kept, nil)
	add(eventlog.KindExchangeEnd, 1, eventlog.ExchangeEnd{Outcome: eventlog.OutcomeOK}, nil)
	add(eventlog.KindExchangeEnd, 2, eventlog.ExchangeEnd{Outcome: eventlog.OutcomeError}, nil)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	reader, err := eventlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	return reader
}

func opened(t *testing.T, level string) *Source {
	t.Helper()
	s, err := Open(madeLog(t, level), nil, eventlog.RunConfig{Settings: map[string]any{"export-level": level, "cache-bust": "first_turn_prefix"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestAnswersComeBackAsTheyWere(t *testing.T) {
	var all []report.RawExchange
	for exchange, err := range opened(t, "raw").Exchanges() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *exchange)
	}
	if len(all) != 3 {
		t.Fatalf("%d exchanges", len(all))
	}
	if x := all[0]; x.Marker != "[rid:0123456789ab]\n\n" || !x.Kept || !slices.Equal(x.ResponseHeaders, [][2]string{{"Content-Type", "text/event-stream"}}) {
		t.Errorf("first exchange %+v", x)
	}
	var names []string
	var stamps []int64
	for _, r := range all[0].Responses {
		names, stamps = append(names, r.Packets[0][0]), append(stamps, r.AtNs)
	}
	if !slices.Equal(names, []string{"data", "comment", "data", "data"}) || all[0].Responses[3].Packets[0][1] != "[DONE]" {
		t.Errorf("responses %+v", all[0].Responses)
	}
	if want := []int64{100, 200, 300, report.NoTime}; !slices.Equal(stamps, want) {
		t.Errorf("stamps %v, want %v: what has no chunk has no time", stamps, want)
	}
	if len(all[1].Responses) != 4 || all[1].Responses[0].AtNs != report.NoTime {
		t.Errorf("the same answer again: %+v", all[1].Responses)
	}
	if all[2].Kept || all[2].Responses != nil {
		t.Errorf("an answer that was not kept: %+v", all[2])
	}
}

func TestTextsAreOfTheFirstChoice(t *testing.T) {
	texts, err := opened(t, "raw").Texts()
	want := report.AnswerText{Text: "a cat", Reasoning: "hm"}
	if err != nil || len(texts) != 2 || texts[0] != want || texts[1] != want {
		t.Errorf("texts %+v, %v", texts, err)
	}
	if whole := textOf([]byte(`{"choices":[{"index":0,"message":{"content":"all at once"}}]}`), "HTTP/1.1 200 OK\r\n\r\n"); whole.Text != "all at once" {
		t.Errorf("an answer in one piece: %+v", whole)
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	if missing := opened(t, "raw").Missing(); len(missing) != 1 || !strings.HasPrefix(missing[0], "payload: ") {
		t.Errorf("of a raw run without a bundle %q", missing)
	}
	if missing := opened(t, "records").Missing(); len(missing) != 4 || !strings.HasPrefix(missing[1], "responses: ") || !strings.Contains(missing[1], "records") {
		t.Errorf("of a run that kept no answers %q", missing)
	}
}

// TestDamagedBodyIsAnError: an answer is never given in part without a word.
func TestDamagedBodyIsAnError(t *testing.T) {
	s := opened(t, "raw")
	if _, err := s.body("00"); err == nil {
		t.Error("a body that no event holds is given")
	}
	for digest := range s.bodies {
		s.bodies[digest] = 1 // the configuration, which has no data
	}
	if texts, err := s.Texts(); err == nil {
		t.Errorf("texts %v of a body that is not there", texts)
	}
}
