package weka_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"agentx/corpus"
	"agentx/corpus/weka"
)

// parquetTrace is a trace as converters write it: one struct for all kinds of rows, padded with nulls.
type parquetTrace struct {
	ID           string         `parquet:"id"`
	Models       []string       `parquet:"models,list"`
	BlockSize    int64          `parquet:"block_size"`
	Scope        *string        `parquet:"hash_id_scope,optional"`
	ToolTokens   *int64         `parquet:"tool_tokens,optional"`
	SystemTokens *int64         `parquet:"system_tokens,optional"`
	Requests     []parquetRow   `parquet:"requests,list"`
	Totals       *parquetTotals `parquet:"totals,optional"`
}

type parquetTotals struct {
	In int64 `parquet:"in"`
}

type parquetRow struct {
	T          float64        `parquet:"t"`
	Type       string         `parquet:"type"`
	Model      *string        `parquet:"model,optional"`
	In         *int64         `parquet:"in,optional"`
	Out        *int64         `parquet:"out,optional"`
	IDs        []int64        `parquet:"hash_ids,optional,list"`
	Stop       *string        `parquet:"stop,optional"`
	APITime    *float64       `parquet:"api_time,optional"`
	AgentID    *string        `parquet:"agent_id,optional"`
	DurationMs *int32         `parquet:"duration_ms,optional"`
	Requests   []parquetInner `parquet:"requests,optional,list"`
}

type parquetInner struct {
	T       float64  `parquet:"t"`
	Type    string   `parquet:"type"`
	Model   string   `parquet:"model"`
	In      int64    `parquet:"in"`
	Out     int64    `parquet:"out"`
	IDs     []uint64 `parquet:"hash_ids,list"`
	APITime *float64 `parquet:"api_time,optional"`
}

// parquetSample is the trace of sample.
func parquetSample(id string) parquetTrace {
	text, agent, in, later, out, less, one := "m", "a", int64(200), int64(400), int64(70), int64(5), 1.0
	local, end, duration := "local", "end_turn", int32(4000)
	return parquetTrace{ID: id, Models: []string{"m", "h"}, BlockSize: 64, Scope: &local, Totals: &parquetTotals{600}, Requests: []parquetRow{
		{T: 0, Type: "n", Model: &text, In: &in, Out: &out, IDs: []int64{1, 2, 3}, APITime: &one},
		{T: 2, Type: "subagent", AgentID: &agent, DurationMs: &duration, Requests: []parquetInner{
			{T: 0, Type: "n", Model: "h", In: 130, Out: 5, IDs: []uint64{50, 51}, APITime: &one},
			{T: 2.5, Type: "s", Model: "h", In: 192, Out: 5, IDs: []uint64{50, 51, 52}, APITime: &one}}},
		{T: 12.25, Type: "s", Model: &text, In: &later, Out: &less, IDs: []int64{1, 2, 3, 4, 9, -7}, Stop: &end},
	}}
}

func parquetFile[T any](t testing.TB, groups ...[]T) string {
	t.Helper()
	var file bytes.Buffer
	writer := parquet.NewGenericWriter[T](&file, parquet.Compression(&parquet.Zstd))
	for _, rows := range groups {
		if _, err := writer.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := writer.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// A Parquet file gives the same plans as the JSON: nulls that pad the rows count as missing.
func TestParquet(t *testing.T) {
	settings := weka.Settings{Options: corpus.DefaultOptions(), Strict: true}
	joined, err := surveyAll(t, settings, write(t, "a.jsonl", sample("t1")+"\n"+sample("t2")+"\n"+sample("t3")))
	if err != nil {
		t.Fatal(err)
	}
	want := plansOf(t, joined)
	content := parquetFile(t, []parquetTrace{parquetSample("t1"), parquetSample("t2")}, []parquetTrace{parquetSample("t3")})
	for name, form := range map[string]string{"a.parquet": content, "misnamed.json": content, "a.parquet.gz": gzipped(t, content)} {
		joined, err := surveyAll(t, settings, write(t, name, form))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		equal(t, name, want, plansOf(t, joined))
		equal(t, "size", int64(len(form)), joined.Files[0].Size)
		if got := buildUnit(t, joined.Units[2], corpus.DefaultOptions()).plan.Source; got != name+"[2]" {
			t.Errorf("the third trace is from %s", got)
		}
		settings.Stdin = bytes.NewReader([]byte(form))
		if joined, err = surveyAll(t, settings, weka.Stdin); err != nil {
			t.Fatalf("%s from the standard input: %v", name, err)
		}
		equal(t, name+" from the standard input", want, plansOf(t, joined))
	}
}

// Rows of mixed shape can be JSON texts in the file.
func TestParquetWithJSONTexts(t *testing.T) {
	type mixed struct {
		ID        string   `parquet:"id"`
		BlockSize int32    `parquet:"block_size"`
		Requests  []string `parquet:"requests,list"`
	}
	content := parquetFile(t, []mixed{{"t1", 64, []string{
		`{"t":0,"type":"n","model":"m","in":200,"out":70,"hash_ids":[1,2,3],"api_time":1}`,
		`{"t":2,"type":"subagent","agent_id":"a","duration_ms":4000,"requests":[{"t":0,"type":"n","model":"h","in":130,"out":5,"hash_ids":[50,51],"api_time":1},{"t":2.5,"type":"s","model":"h","in":192,"out":5,"hash_ids":[50,51,52],"api_time":1}]}`,
		`{"t":12.25,"type":"s","model":"m","in":400,"out":5,"hash_ids":[1,2,3,4,9,-7],"stop":"end_turn"}`}}})
	settings := weka.Settings{Options: corpus.DefaultOptions(), Strict: true}
	joined, err := surveyAll(t, settings, write(t, "a.parquet", content))
	if err != nil {
		t.Fatal(err)
	}
	asLine, err := surveyAll(t, settings, write(t, "a.json", sample("t1")))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "plans", plansOf(t, asLine), plansOf(t, joined))
}

// Writers differ in how they store lists and numbers: without a group around a list, with empty lists
// in place of missing ones, in 32 bits, without signs.
func TestParquetDialects(t *testing.T) {
	type row struct {
		T        float32  `parquet:"t"`
		Type     string   `parquet:"type"`
		Model    string   `parquet:"model"`
		In       uint32   `parquet:"in"`
		Out      int32    `parquet:"out"`
		IDs      []uint32 `parquet:"hash_ids"`
		Types    []string `parquet:"input_types,list"`
		Cached   bool     `parquet:"cached"`
		APITime  float64  `parquet:"api_time"`
		Requests []string `parquet:"requests,list"`
	}
	type trace struct {
		ID        string `parquet:"id"`
		BlockSize uint64 `parquet:"block_size"`
		Requests  []row  `parquet:"requests"`
	}
	first := row{T: 1.5, Type: "n", Model: "m", In: 130, Out: 3, IDs: []uint32{7, 4294967295}, Types: []string{"text"}, APITime: 2}
	second := row{T: 4, Type: "n", Model: "m", In: 64, Out: 3}
	settings := weka.Settings{Options: corpus.DefaultOptions()}
	joined, err := surveyAll(t, settings, write(t, "a.parquet", parquetFile(t, []trace{{"t1", 64, []row{first, second}}, {ID: "t2", BlockSize: 64}})))
	if err != nil {
		t.Fatal(err)
	}
	asLines, err := surveyAll(t, settings, write(t, "a.jsonl", `{"id":"t1","block_size":64,"requests":[`+
		`{"t":1.5,"type":"n","model":"m","in":130,"out":3,"hash_ids":[7,4294967295],"input_types":["text"],"api_time":2},`+
		`{"t":4,"type":"n","model":"m","in":64,"out":3,"api_time":0}]}`+"\n"+`{"id":"t2","block_size":64,"requests":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "plan", plansOf(t, asLines), plansOf(t, joined))
	equal(t, "unknown fields", map[string]int{"requests[].cached": 2, "requests[].requests": 2}, joined.UnknownFields)
	second.APITime = math.NaN()
	_, err = surveyAll(t, settings, write(t, "a.parquet", parquetFile(t, []trace{{"t1", 64, []row{first, second}}})))
	if err == nil || !strings.Contains(err.Error(), `row 0: trace t1: requests[1].api_time: is "NaN"`) {
		t.Errorf("NaN: %v", err)
	}
}

func TestParquetRefusals(t *testing.T) {
	bad := parquetSample("t2")
	bad.Requests[0].In = nil
	settings := weka.Settings{Options: corpus.DefaultOptions()}
	path := write(t, "a.parquet", parquetFile(t, []parquetTrace{parquetSample("t1"), bad, parquetSample("t3")}))
	_, err := surveyAll(t, settings, path)
	if want := path + ", row 1: trace t2: requests[0].in: is missing"; err == nil || err.Error()[:len(want)] != want {
		t.Errorf("%v, want %s", err, want)
	}
	settings.SkipInvalid = true
	if joined, err := surveyAll(t, settings, path); err != nil || len(joined.Units) != 2 || len(joined.Refused) != 1 {
		t.Errorf("skipped: %v, %+v", err, joined)
	}
	settings.SkipInvalid = false
	if _, err := surveyAll(t, settings, write(t, "none.parquet", parquetFile(t, []parquetTrace{}))); err == nil {
		t.Error("a file without rows was accepted")
	}
	type other struct {
		Text string `parquet:"text"`
	}
	if _, err := surveyAll(t, settings, write(t, "other.parquet", parquetFile(t, []other{{"x"}}))); err == nil {
		t.Error("a file without traces was accepted")
	}
}

// FuzzFile feeds damaged files of every form: whatever they are, they are traces or an error.
func FuzzFile(f *testing.F) {
	one, two := sample("t1"), sample("t2")
	for _, content := range []string{one, one + "\n" + two, gzipped(f, one+"\n"+two), zstandard(f, one), parquetFile(f, []parquetTrace{parquetSample("t1")})} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		settings := weka.Settings{Options: corpus.DefaultOptions(), SkipInvalid: true, TempDir: t.TempDir()}
		survey, err := weka.Source{Path: write(t, "a", string(content)), Name: "a"}.Survey(t.Context(), settings)
		if err != nil {
			return
		}
		for _, unit := range survey.Units {
			if _, err := unit.Read(); err != nil {
				t.Errorf("surveyed but not read: %v", err)
			}
		}
		if len(survey.Units)+len(survey.Refused) == 0 {
			t.Error("neither a trace nor a reason")
		}
		if err := survey.Close(); err != nil {
			t.Error(err)
		}
	})
}
