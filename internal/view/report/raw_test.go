package report

import (
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/internal/measure/logtest"
)

// handRaw is what a run might have kept: one streamed answer, one in a piece, and requests whose answers
// are not there.
type handRaw struct{}

const handBody = `{"messages":[{"role":"user","content":"[rid:0123456789ab]\n\na <b> & c"}],"model":"m"}`

func (handRaw) Exchanges() iter.Seq2[*RawExchange, error] {
	return func(yield func(*RawExchange, error) bool) {
		streamed := &RawExchange{
			Exchange: 0, Marker: "[rid:0123456789ab]\n\n", MarkerTarget: "first_turn_prefix", Payload: []byte(handBody), Kept: true,
			RequestHeaders: [][2]string{{"X-Request-ID", "r"}, {"Authorization", "<redacted>"}}, ResponseHeaders: [][2]string{{"Via", "a"}, {"Via", "b"}},
			Responses: []RawResponse{{AtNs: 1_100_000_000, Packets: [][2]string{{"event", "x"}, {"data", "{}"}}}, {AtNs: NoTime, Packets: [][2]string{{"data", "[DONE]"}}}},
		}
		whole := &RawExchange{Exchange: 1, Kept: true, Cut: true, Responses: []RawResponse{{AtNs: NoTime, Text: "no", ContentType: "text/plain"}}}
		for _, x := range []*RawExchange{streamed, whole, {Exchange: 2, Payload: []byte("{}")}, {Exchange: 1 << 40}} {
			if !yield(x, nil) {
				return
			}
		}
	}
}

func (handRaw) Texts() (map[int64]AnswerText, error) {
	return map[int64]AnswerText{2: {Text: "an answer", Reasoning: "a thought"}}, nil
}

func (handRaw) Missing() []string { return []string{"payload: nobody has it"} }

// TestRawRecordsAsThePeerWritesThem: keys in the peer's order, the payload byte for byte, nothing made up.
func TestRawRecordsAsThePeerWritesThem(t *testing.T) {
	dir := exported(t, analyzed(t, logtest.Mixed()), Set{Level: "raw", Raw: handRaw{}})
	text, err := os.ReadFile(filepath.Join(dir, rawName))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(rows) != 3 {
		t.Fatalf("%d rows, want one for each exchange that has a record:\n%s", len(rows), text)
	}
	at := -1
	for _, key := range []string{"metadata", "start_perf_ns", "request_headers", "status", "responses", "cache_bust_marker", "cache_bust_target", "payload"} {
		found := strings.Index(rows[0], `"`+key+`":`)
		if found <= at {
			t.Errorf("%s is not where the peer has it in %s", key, rows[0])
		}
		at = found
	}
	for _, want := range []string{`"payload":` + handBody, `{"perf_ns":1100000000,"packets":[{"name":"event","value":"x"},{"name":"data","value":"{}"}]},{"packets":[{"name":"data","value":"[DONE]"}]}`, `"Via":"a, b"`} {
		if !strings.Contains(rows[0], want) {
			t.Errorf("%s is missing in %s", want, rows[0])
		}
	}
	if !strings.Contains(rows[1], `"responses":[{"content_type":"text/plain","text":"no"}],"responses_cut":true`) {
		t.Errorf("an answer in one piece: %s", rows[1])
	}
	if strings.Contains(rows[2], `"responses"`) || strings.Contains(rows[2], `"request_headers"`) || !strings.Contains(rows[2], `"omitted":["payload: nobody has it"]`) {
		t.Errorf("a request whose answer was not kept: %s", rows[2])
	}
}

func TestOutputsHaveTextsWhereTheyWereKept(t *testing.T) {
	a := analyzed(t, logtest.Mixed())
	for raw, want := range map[Raw]struct {
		texts   int
		omitted string
	}{handRaw{}: {1, ""}, nil: {0, "response_text"}} {
		text, err := os.ReadFile(filepath.Join(exported(t, a, Set{Outputs: true, Raw: raw}), "outputs.json"))
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Omitted []string `json:"omitted"`
			Data    []struct {
				Text      *string `json:"response_text"`
				Reasoning string  `json:"reasoning_text"`
			} `json:"data"`
		}
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		texts := 0
		for _, row := range file.Data {
			if row.Text != nil {
				if texts++; *row.Text != "an answer" || row.Reasoning != "a thought" {
					t.Errorf("row %+v", row)
				}
			}
		}
		if texts != want.texts || !strings.HasPrefix(strings.Join(file.Omitted, ""), want.omitted) || (want.omitted == "") != (len(file.Omitted) == 0) {
			t.Errorf("%d texts, omitted %q; want %+v", texts, file.Omitted, want)
		}
	}
}
