package weka_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"agentx/corpus"
	"agentx/corpus/weka"
)

// sample is a small trace as JSON on one line.
func sample(id string) string {
	return fmt.Sprintf(`{"id":%q,"block_size":64,"requests":[`+
		`{"t":0,"type":"n","model":"m","in":200,"out":70,"hash_ids":[1,2,3],"api_time":1},`+
		`{"t":2,"type":"subagent","agent_id":"a","duration_ms":4000,"requests":[{"t":0,"type":"n","model":"h","in":130,"out":5,"hash_ids":[50,51],"api_time":1},{"t":2.5,"type":"s","model":"h","in":192,"out":5,"hash_ids":[50,51,52],"api_time":1}]},`+
		`{"t":12.25,"type":"s","model":"m","in":400,"out":5,"hash_ids":[1,2,3,4,9,-7],"stop":"end_turn"}]}`, id)
}

// pretty is the same on many lines.
func pretty(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(text), "", "  "); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	packer := gzip.NewWriter(&out)
	if _, err := packer.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func zstandard(t testing.TB, text string) string {
	t.Helper()
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(packer.EncodeAll([]byte(text), nil))
}

// write makes a file in a new folder and returns its path.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	writeAt(t, path, content)
	return path
}

func writeAt(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// plansOf builds all traces that the units give, as JSON without the place they came from.
func plansOf(t testing.TB, joined *weka.Corpus) []string {
	t.Helper()
	var plans []string
	for _, unit := range joined.Units {
		plan := buildUnit(t, unit, corpus.DefaultOptions()).plan
		plan.Source = ""
		text, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, string(text))
	}
	return plans
}

// Every form of the same traces gives the same plans, whatever the file is called (decision 8).
func TestInputForms(t *testing.T) {
	one, two := sample("t1"), sample("t2")
	bom := "\xef\xbb\xbf"
	want := map[int][]string{}
	for count, text := range map[int]string{1: one, 2: one + "\n" + two + "\n"} {
		joined, err := surveyAll(t, weka.Settings{Options: corpus.DefaultOptions()}, write(t, "a.jsonl", text))
		if err != nil {
			t.Fatal(err)
		}
		want[count] = plansOf(t, joined)
	}
	for name, form := range map[string]struct {
		count   int
		content string
	}{
		"one.json":               {1, one},
		"one line end.json":      {1, one + "\n"},
		"pretty.json":            {1, pretty(t, one)},
		"pretty.jsonl":           {1, pretty(t, one)},
		"one.jsonl":              {1, one},
		"bom.json":               {1, bom + one},
		"bom pretty.json":        {1, bom + pretty(t, one)},
		"blank first.json":       {1, "\r\n \n" + one},
		"crlf pretty.json":       {1, strings.ReplaceAll(pretty(t, one), "\n", "\r\n")},
		"two.jsonl":              {2, one + "\n" + two + "\n"},
		"two.json":               {2, one + "\n" + two},
		"no suffix":              {2, one + "\n" + two},
		"bom crlf blank.jsonl":   {2, bom + one + "\r\n\r\n  \r\n" + two},
		"one.json.gz":            {1, gzipped(t, one)},
		"pretty.json.gz":         {1, gzipped(t, bom+pretty(t, one))},
		"two.jsonl.gz":           {2, gzipped(t, bom+one+"\r\n\n"+two)},
		"two members.jsonl.gz":   {2, gzipped(t, one+"\n") + gzipped(t, two+"\n")},
		"misnamed.json":          {2, gzipped(t, one+"\n"+two)},
		"one.json.zst":           {1, zstandard(t, one)},
		"two.jsonl.zst":          {2, zstandard(t, one+"\n"+two+"\n")},
		"two frames.jsonl.zst":   {2, zstandard(t, one+"\n") + zstandard(t, two)},
		"skippable first.json":   {1, "\x50\x2a\x4d\x18\x04\x00\x00\x00abcd" + zstandard(t, one)},
		"gzip named zst.json.gz": {1, zstandard(t, one)},
	} {
		t.Run(name, func(t *testing.T) {
			settings := weka.Settings{Options: corpus.DefaultOptions(), Strict: true, TempDir: t.TempDir()}
			joined, err := surveyAll(t, settings, write(t, name, form.content))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "plans", want[form.count], plansOf(t, joined))
			equal(t, "size", int64(len(form.content)), joined.Files[0].Size)
			settings.Stdin = strings.NewReader(form.content)
			fromStdin, err := surveyAll(t, settings, weka.Stdin)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "plans from the standard input", want[form.count], plansOf(t, fromStdin))
			equal(t, "digest", joined.Files[0].BLAKE3, fromStdin.Files[0].BLAKE3)
			if left, err := os.ReadDir(settings.TempDir); err != nil || len(left) > 1 {
				t.Errorf("%d temporary files, %v", len(left), err)
			}
		})
	}
}

// What is not a trace is called what it is, and the error says what to do.
func TestFilesThatAreNoTraces(t *testing.T) {
	one := sample("t1")
	for name, c := range map[string]struct{ content, problem string }{
		"pointer.json":    {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "is a Git LFS pointer"},
		"pointer.parquet": {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "is a Git LFS pointer"},
		"page.json":       {"<!DOCTYPE html>\n<html><body>404</body></html>", "is an HTML page"},
		"page2.json":      {"\n<HTML>", "is an HTML page"},
		"error.json":      {`<?xml version="1.0"?><Error/>`, "is XML or HTML"},
		"empty.json":      {"", "is empty"},
		"blank.jsonl":     {"\n\r\n  \n", "is empty"},
		"bom.json":        {"\xef\xbb\xbf", "is empty"},
		"empty.json.gz":   {gzipped(t, ""), "is empty"},
		"archive.json":    {"PK\x03\x04\x14\x00", "is a zip archive"},
		"wide.json":       {"\xff\xfe{\x00", "is UTF-16 text"},
		"list.json":       {"[" + one + "]", "is a list"},
		"text.json":       {"hello", "it begins with hello"},
		"cut.json":        {one[:100], "is cut off"},
		"cut.json.gz":     {gzipped(t, one)[:60], "cannot be read: unexpected EOF"},
		"cut.json.zst":    {zstandard(t, one)[:60], "cannot be read: unexpected EOF"},
		"garbled.json.gz": {"\x1f\x8b" + strings.Repeat("x", 100), "cannot be read: gzip"},
		"cut.parquet":     {"PAR1" + strings.Repeat("x", 100), "cannot be read: parquet"},
		"two.json":        {pretty(t, one) + pretty(t, one), "expected the end of the trace"},
	} {
		path := write(t, name, c.content)
		_, err := surveyAll(t, weka.Settings{Options: corpus.DefaultOptions()}, path)
		var refused *weka.Error
		if !errors.As(err, &refused) || refused.File != path || !strings.Contains(refused.Problem, c.problem) {
			t.Errorf("%s: %v, want %q", name, err, c.problem)
			continue
		}
		joined, err := surveyAll(t, weka.Settings{Options: corpus.DefaultOptions(), SkipInvalid: true}, path)
		if err != nil || len(joined.Refused) != 1 || len(joined.Files) != 1 || joined.Files[0].Size != int64(len(c.content)) {
			t.Errorf("%s: skipped it is %v, %+v", name, err, joined)
		}
	}
}

func TestListDirectory(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"b.json", "a/z.jsonl", "a/b/c.json.gz", "a.json", "B.JSON", "a-b/x.parquet", ".hidden/x.json", ".x.json", "README.md", "q.ndjson.zst"} {
		writeAt(t, filepath.Join(root, filepath.FromSlash(name)), "{}")
	}
	if err := os.Symlink(root, filepath.Join(root, "a", "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "README.md"), filepath.Join(root, "link.json")); err != nil {
		t.Fatal(err)
	}
	sources, err := weka.List([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, source := range sources {
		names = append(names, source.Name)
	}
	want := []string{"B.JSON", "a/b/c.json.gz", "a/z.jsonl", "a-b/x.parquet", "a.json", "b.json", "link.json", "q.ndjson.zst"}
	if !slices.Equal(names, want) {
		t.Errorf("files are %v, want %v", names, want)
	}
	for _, missing := range []string{filepath.Join(root, "none"), t.TempDir()} {
		if _, err := weka.List([]string{missing}); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v", missing, err)
		}
	}
	if _, err := weka.List(nil); err == nil {
		t.Error("no path at all was accepted")
	}
}

// A bad line names file, line, trace and field; the good ones stay with SkipInvalid.
func TestBadLines(t *testing.T) {
	bad := strings.Replace(sample("t2"), `"in":200`, `"in":"many"`, 1)
	for name, content := range map[string]string{
		"mid.jsonl":    sample("t1") + "\n\n" + bad + "\n" + sample("t3"),
		"mid.jsonl.gz": gzipped(t, sample("t1")+"\n\n"+bad+"\n"+sample("t3")),
	} {
		path := write(t, name, content)
		_, err := surveyAll(t, weka.Settings{Options: corpus.DefaultOptions()}, path)
		want := path + `, line 3: trace t2: requests[0].in: is "many"`
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		joined, err := surveyAll(t, weka.Settings{Options: corpus.DefaultOptions(), SkipInvalid: true}, path)
		if err != nil {
			t.Fatal(err)
		}
		if len(joined.Units) != 2 || len(joined.Refused) != 1 || joined.Refused[0].Line != 3 {
			t.Errorf("%d traces, refused %v", len(joined.Units), joined.Refused)
		}
		if got := buildUnit(t, joined.Units[1], corpus.DefaultOptions()); got.plan.Trace != "t3" || got.plan.Source != name+":4" {
			t.Errorf("the second trace is %s from %s", got.plan.Trace, got.plan.Source)
		}
	}
	// A broken first line does not turn a file of lines into one trace.
	for _, first := range []string{`{"id":"t1","x":}`, sample("t1")[:80]} {
		joined, err := surveyAll(t, weka.Settings{Options: corpus.DefaultOptions(), SkipInvalid: true},
			write(t, "first.jsonl", first+"\n"+sample("t2")+"\n"+sample("t3")))
		if err != nil || len(joined.Units) != 2 || len(joined.Refused) != 1 || joined.Refused[0].Line != 1 {
			t.Errorf("%q: %v, %+v", first, err, joined)
		}
	}
}

func TestDuplicateTraces(t *testing.T) {
	root := t.TempDir()
	writeAt(t, filepath.Join(root, "a.json"), sample("t1"))
	writeAt(t, filepath.Join(root, "b.jsonl"), sample("t2")+"\n"+sample("t1"))
	_, err := surveyAll(t, weka.Settings{Options: corpus.DefaultOptions()}, root)
	if err == nil || !strings.Contains(err.Error(), "b.jsonl, line 2: trace t1") || !strings.Contains(err.Error(), filepath.Join(root, "a.json")) {
		t.Errorf("duplicate ids: %v", err)
	}
	joined, err := surveyAll(t, weka.Settings{Options: corpus.DefaultOptions(), SkipInvalid: true}, root)
	if err != nil || len(joined.Units) != 2 || len(joined.Refused) != 1 {
		t.Errorf("skipped: %v, %+v", err, joined)
	}
}

func TestInputThatCannotBeStored(t *testing.T) {
	settings := weka.Settings{Options: corpus.DefaultOptions(), SkipInvalid: true, TempDir: filepath.Join(t.TempDir(), "none")}
	settings.Stdin = strings.NewReader(sample("t1"))
	if _, err := surveyAll(t, settings, weka.Stdin); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("without a folder to store it: %v", err)
	}
	settings.Stdin = nil
	if _, err := surveyAll(t, settings, weka.Stdin); err == nil {
		t.Error("no standard input was accepted")
	}
	if _, err := (weka.Source{Path: filepath.Join(t.TempDir(), "gone.json")}).Survey(t.Context(), settings); err == nil {
		t.Error("a file that is gone was accepted")
	}
}

// A file that changes between the two readings is refused, not read as something else.
func TestChangedFile(t *testing.T) {
	path := write(t, "a.json", sample("t1"))
	joined, err := surveyAll(t, weka.Settings{Options: corpus.DefaultOptions()}, path)
	if err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]string{
		strings.Replace(sample("t1"), "200", "201", 1): "has changed",
		sample("t1")[:50]: "cannot be read again",
	} {
		writeAt(t, path, content)
		if _, err := joined.Units[0].Read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What makes a trace impossible to build is found by the survey, in terms of the file.
func TestSurveyFindsWhatCannotBeBuilt(t *testing.T) {
	text := strings.Replace(sample("t1"), `{"t":12.25`, `{"t":9,"type":"subagent","agent_id":"a","requests":[]},{"t":12.25`, 1)
	path := write(t, "a.json", text)
	_, err := surveyAll(t, weka.Settings{Options: corpus.DefaultOptions()}, path)
	if err == nil || !strings.HasPrefix(err.Error(), path+`: trace t1: requests[2].agent_id: agent id "a" is already that of requests[1]`) {
		t.Errorf("a duplicate agent: %v", err)
	}
}

// Decision 6: entries without evidence follow the corpus, if all its certain entries agree.
func TestCorpusDecidesNestedTimes(t *testing.T) {
	open := `{"id":%q,"block_size":64,"requests":[{"t":0,"type":"n","model":"m","in":64,"out":1,"hash_ids":[1]},` +
		`{"t":5,"type":"subagent","agent_id":"a","requests":[{"t":6,"type":"n","model":"m","in":64,"out":1,"hash_ids":[2]}]}]}`
	relative := `{"id":"rel","block_size":64,"requests":[{"t":0,"type":"n","model":"m","in":64,"out":1,"hash_ids":[1]},` +
		`{"t":5,"type":"subagent","agent_id":"a","requests":[{"t":1,"type":"n","model":"m","in":64,"out":1,"hash_ids":[2]}]}]}`
	absolute := `{"id":"abs","block_size":64,"requests":[{"t":0,"type":"n","model":"m","in":64,"out":1,"hash_ids":[1]},` +
		`{"t":5,"type":"subagent","agent_id":"a","duration_ms":6000,"requests":[{"t":11,"type":"n","model":"m","in":64,"out":1,"hash_ids":[2]}]}]}`
	for _, c := range []struct {
		name    string
		files   []string
		start   float64 // of the open subagent's request, in ms
		guessed int
	}{
		{"alone", nil, 6000, 1},
		{"with a relative one", []string{relative}, 11000, 0},
		{"with an absolute one", []string{absolute}, 6000, 0},
		{"with both", []string{relative, absolute}, 6000, 1},
	} {
		lines := append([]string{fmt.Sprintf(open, "open")}, c.files...)
		options := corpus.DefaultOptions()
		options.MaxContextLength = 1 // filters come later and change nothing
		joined, err := surveyAll(t, weka.Settings{Options: options}, write(t, "a.jsonl", strings.Join(lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		got := buildUnit(t, joined.Units[0], corpus.DefaultOptions())
		equal(t, c.name+": start", c.start, float64(got.plan.Conversations[1].Turns[0].TMs))
		equal(t, c.name+": guessed", c.guessed, len(got.facts.NestedGuessed))
		for basis, start := range map[corpus.TimeBasis]float64{corpus.BasisRelative: 11000, corpus.BasisAbsolute: 6000} {
			forced := corpus.DefaultOptions()
			forced.NestedTimestamps = basis
			equal(t, "forced start", start, float64(buildUnit(t, joined.Units[0], forced).plan.Conversations[1].Turns[0].TMs))
		}
	}
}
