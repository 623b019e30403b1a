package eventlog

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

// usualEnds are payloads as this package writes them.
func usualEnds(t testing.TB) [][]byte {
	var filled ExchangeEnd
	next := int64(0)
	fill(reflect.ValueOf(&filled).Elem(), &next)
	filled.BodyDigest = strings.Repeat("0123456789abcdef", 4)
	at := func(value int64) *int64 { return &value }
	ends := []ExchangeEnd{
		filled,
		{},
		{Outcome: OutcomeOK, Status: 200, Protocol: "HTTP/1.1", Usage: &Usage{}},
		{Outcome: OutcomeOK, Status: 200, Protocol: "HTTP/1.1", StartNs: 5, EndNs: 3, WrittenNs: at(-1), LastByteNs: at(0), CancelNs: at(9)},
		{Outcome: OutcomeError, Class: "http", Status: 503, ErrorMessage: "a \"quoted\"\nline, 世界"},
	}
	texts := make([][]byte, len(ends))
	for i := range ends {
		texts[i] = ends[i].appendJSON(nil)
	}
	return texts
}

// unusualEnds are JSON, or nearly, that another program might write.
func unusualEnds() []string {
	return []string{
		`{"o":"ok","id":"a\u0062"}`, `{"o":"ok" }`, ` {"o":"ok"}`, `{"id":"x","o":"ok"}`, `{"o":"ok","o":"error"}`, `{"O":"ok"}`,
		`{"o":null}`, `{"o":7}`, `{"o":"ok","new":{"a":[1]}}`, `{"o":"ok","id":"é"}`, "{\"o\":\"\xff\"}", "{\"o\":\"\x01\"}",
		`{"ns":null}`, `{"ns":[1, 2]}`, `{"ns":[1,]}`, `{"ns":[,1]}`, `{"ns":[01]}`, `{"ns":[-0]}`, `{"ns":[1e3]}`, `{"ns":[1.5]}`, `{"ns":[[1]]}`,
		`{"ns":[9223372036854775807]}`, `{"ns":[9223372036854775808]}`, `{"ns":["1"]}`, `{"ns":7}`, `{"ns":[nul]}`,
		`{"ns":[` + strings.Repeat("1,", 200) + `1]}`,
		`{"v":[]}`, `{"v":[null,1]}`, `{"k":[null]}`, `{"u":[]}`, `{"u":null}`, `{"u":[null,3]}`, `{"d":[]}`,
		`{"fin":[]}`, `{"fin":[null]}`, `{"fin":["stop","le\"ngth"]}`, `{"fin":"stop"}`, `{"fin":["stop"],"m":"x"}`,
		`{"st":null}`, `{"st":1.0}`, `{"st":404}`, `{"st":-}`, `{"p":null}`, `{"p":""}`, `{"fct":null}`, `{"fct":0}`,
		`{"err":null}`, `{"err":{}}`, `{"err":{"code":1,"Type":"t"}}`, `{"err":{"code":"x"}}`, `{"err":[`, `{"b":"AAAA"}`, `{"b":"!"}`, `{"a":"one"}`, `{"a":"one two three"}`,
		`{}`, `null`, `[]`, ``, `{`, `{"o"}`, `{"o":}`, `{"o":"ok",}`,
	}
}

// sameAsJSON holds an EndReader, used before, against encoding/json.
func sameAsJSON(t *testing.T, reader *EndReader, text []byte) (byHand bool) {
	t.Helper()
	var want ExchangeEnd
	refused := want.UnmarshalJSON(text)
	if byHand = reader.parse(text); byHand && (refused != nil || !reflect.DeepEqual(reader.end, want)) {
		t.Errorf("%q: read by hand as %+v, want %+v and error %v", text, reader.end, want, refused)
	}
	return byHand
}

func TestAnEndIsReadAsEncodingJSONReadsIt(t *testing.T) {
	reader := NewEndReader()
	for _, text := range usualEnds(t) {
		if byHand := sameAsJSON(t, reader, text); !byHand {
			t.Errorf("%s: not read by hand", text)
		}
	}
	for _, text := range unusualEnds() {
		sameAsJSON(t, reader, []byte(text))
	}
}

// What is not read by hand is read by encoding/json, with its errors.
func TestAnUnusualEndIsReadAllTheSame(t *testing.T) {
	event := New(KindExchangeEnd, 0)
	event.Payload = []byte(`{ "id": "a\u0062", "o": "ok", "later": 1 }`)
	end, err := NewEndReader().Read(&event)
	if err != nil || end.RequestID != "ab" || end.Outcome != OutcomeOK {
		t.Errorf("%+v and error %v, want request ab with outcome ok", end, err)
	}
	event.Payload = []byte(`{"ns":[1.5]}`)
	if _, err := NewEndReader().Read(&event); err == nil {
		t.Error("a stamp that is no whole number was taken")
	}
}

func TestWholeNumbersAreThoseOfJSON(t *testing.T) {
	for _, text := range []string{"0", "-0", "7", "-7", "999999999999999999", "-999999999999999999", "", "-", "+1", "01", "-01", "1.0", "1e2", "0x1", "１"} {
		got, ok := wholeNumber([]byte(text))
		want := int64(math.MinInt64)
		err := json.Unmarshal([]byte(text), &want)
		if ok != (err == nil) || ok && got != want {
			t.Errorf("%q: %d, %v; want %d and error %v", text, got, ok, want, err)
		}
	}
}

func FuzzExchangeEnd(f *testing.F) {
	for _, text := range usualEnds(f) {
		f.Add(text)
	}
	for _, text := range unusualEnds() {
		f.Add([]byte(text))
	}
	reader := NewEndReader()
	f.Fuzz(func(t *testing.T, text []byte) { sameAsJSON(t, reader, text) })
}
