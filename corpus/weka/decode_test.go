package weka

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"agentx/corpus"
)

// show writes a trace with its blocks numbered by first appearance, so that traces can be compared
// whatever their reader's numbers are.
func show(trace *corpus.Trace) string {
	var text strings.Builder
	numbers := map[corpus.Block]int{}
	request := func(r *corpus.Request) {
		var ids []int
		for _, block := range r.Blocks {
			if _, known := numbers[block]; !known {
				numbers[block] = len(numbers)
			}
			ids = append(ids, numbers[block])
		}
		fmt.Fprintf(&text, "%v %q %q %d/%d %v %q %q %v %v\n", r.T+0, r.Type, r.Model, r.In, r.Out, ids, r.Input, r.Stop, r.APITime+0, r.ThinkTime+0)
	}
	fmt.Fprintf(&text, "%q %d %d %d\n", trace.ID, trace.BlockSize, trace.ToolTokens, trace.SystemTokens)
	for i := range trace.Rows {
		agent := trace.Rows[i].Subagent
		if agent == nil {
			request(&trace.Rows[i].Request)
			continue
		}
		fmt.Fprintf(&text, "sub %v %q %v %d %d\n", agent.T+0, agent.Agent, agent.DurationMs+0, agent.ToolTokens, agent.SystemTokens)
		for r := range agent.Requests {
			text.WriteString("  ")
			request(&agent.Requests[r])
		}
	}
	fmt.Fprintf(&text, "%d blocks", trace.Blocks)
	return text.String()
}

// compareWithTwin reads a text both ways.
func compareWithTwin(text []byte) error {
	want, unknown, twinErr := twinDecode(text)
	got, err := decode(text, false, 0)
	if err != nil {
		var refused *Error
		if !errors.As(err, &refused) || refused.Problem == "" {
			return fmt.Errorf("an error without a problem: %v", err)
		}
	}
	if errors.Is(twinErr, errTwinCannot) || !utf8.Valid(text) || strings.Count(string(text), "[")+strings.Count(string(text), "{") > maxDepth {
		return nil
	}
	if (err == nil) != (twinErr == nil) {
		return fmt.Errorf("the reader says %v, its twin %v, of %q", err, twinErr, text)
	}
	if err != nil {
		return nil
	}
	if show(got.trace) != show(want) {
		return fmt.Errorf("of %q the reader makes\n%s\nits twin\n%s", text, show(got.trace), show(want))
	}
	count := 0
	for _, times := range got.unknown {
		count += times
	}
	if count != unknown {
		return fmt.Errorf("%d unknown fields, the twin found %d, in %q", count, unknown, text)
	}
	return nil
}

// oddly gives the value, or now and then something else.
func oddly(t *rapid.T, value string) string {
	if rapid.IntRange(0, 60).Draw(t, "odd") > 0 {
		return value
	}
	return rapid.SampledFrom([]string{"null", "true", `"2"`, `" 7 "`, `"x"`, "1.0", "1.5", "-1", "0", "1e2", "-0", `"+3"`, "[]", "{}", `""`, "1e400", "18446744073709551616"}).Draw(t, "value")
}

// genDocument draws texts that are nearly traces: fields in any order, missing, null, doubled, of wrong
// types, lists that repeat their neighbours in every way.
func genDocument() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{"", "", " ", "\n", "\r\n\t"})
		lists := []string{"1"}
		ids := func() string {
			list := rapid.SampledFrom(lists).Draw(t, "base")
			list = list[:rapid.IntRange(0, len(list)).Draw(t, "cut")]
			list = strings.TrimRight(list, ",- ")
			if rapid.IntRange(0, 30).Draw(t, "broken") > 0 && (list == "-" || strings.HasSuffix(list, ",")) {
				list = "5"
			}
			for range rapid.IntRange(0, 3).Draw(t, "more") {
				if list != "" {
					list += space.Draw(t, "space") + "," + space.Draw(t, "space")
				}
				list += rapid.SampledFrom([]string{"1", "2", "3", "12", "123", "-1", "18446744073709551615", "9223372036854775808", "-9223372036854775808", "40000", "400000", `"12"`, "12.0", "0"}).Draw(t, "id")
			}
			lists = append(lists, list)
			return "[" + space.Draw(t, "space") + list + space.Draw(t, "space") + "]"
		}
		object := func(fields [][2]string) string {
			fields = rapid.Permutation(fields).Draw(t, "order")
			if len(fields) > 0 && rapid.IntRange(0, 40).Draw(t, "drop") == 0 {
				fields = fields[1:]
			}
			if len(fields) > 0 && rapid.IntRange(0, 40).Draw(t, "double") == 0 {
				fields = append(fields, fields[0])
			}
			var parts []string
			for _, field := range fields {
				parts = append(parts, `"`+field[0]+`"`+space.Draw(t, "space")+":"+space.Draw(t, "space")+oddly(t, field[1]))
			}
			return "{" + strings.Join(parts, ","+space.Draw(t, "space")) + "}"
		}
		optional := func(fields [][2]string, more ...[2]string) [][2]string {
			for _, field := range more {
				if rapid.IntRange(0, 3).Draw(t, "optional") == 0 {
					fields = append(fields, field)
				}
			}
			return fields
		}
		request := func() string {
			return object(optional([][2]string{
				{rapid.SampledFrom([]string{"t", `\u0074`}).Draw(t, "key"), fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "t"))}, {"type", rapid.SampledFrom([]string{`"n"`, `"s"`}).Draw(t, "type")},
				{"model", `"m"`}, {rapid.SampledFrom([]string{"in", "input_length"}).Draw(t, "in"), "64"}, {"out", "5"}, {"hash_ids", ids()},
			}, [2]string{"stop", `"tool_use"`}, [2]string{"api_time", "1.25"}, [2]string{"think_time", "-2"}, [2]string{"ttft", "1"},
				[2]string{"input_types", `["text","tool_result"]`}, [2]string{"output_types", `["te\u0078t"]`}, [2]string{"agent_id", `"a"`}, [2]string{"status", "5"}))
		}
		var rows []string
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			if rapid.IntRange(0, 4).Draw(t, "kind") > 0 {
				rows = append(rows, request())
				continue
			}
			var inner []string
			for range rapid.IntRange(0, 3).Draw(t, "inner") {
				inner = append(inner, request())
			}
			rows = append(rows, object(optional([][2]string{{"type", `"subagent"`}, {"t", "1"}, {"agent_id", `"a\t1"`}, {"requests", "[" + strings.Join(inner, ",") + "]"}},
				[2]string{"duration_ms", "1000"}, [2]string{"tool_tokens", "100"}, [2]string{"subagent_type", `"x"`}, [2]string{"models", `["m"]`}, [2]string{"in", "5"}, [2]string{"strange", `{"a":[1,{}]}`})))
		}
		return object(optional([][2]string{{"id", `"t1"`}, {"block_size", "64"}, {"requests", "[" + strings.Join(rows, ",") + "]"}},
			[2]string{"hash_id_scope", `"local"`}, [2]string{"tool_tokens", "10"}, [2]string{"models", "[]"}, [2]string{"totals", `{"x":1}`}, [2]string{"extra", "[true,false,null]"}))
	})
}

func TestReaderAgreesWithItsTwin(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		text := genDocument().Draw(t, "document")
		if err := compareWithTwin([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := decode([]byte(text), false, 0); err == nil {
			accepted++
		}
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		if err := compareWithTwin([]byte(text[:cut])); err != nil {
			t.Fatal(err)
		}
	})
	if accepted < 10 {
		t.Errorf("only %d documents were traces: the generator tests nothing", accepted)
	}
}

func TestReaderAgreesWithItsTwinOnRealTraces(t *testing.T) {
	root := os.Getenv("AGENTX_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	files, err := filepath.Glob(filepath.Join(root, "bugs", "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("skipped: the fault cases are not here (set AGENTX_SHARED to the folder that has them)")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := compareWithTwin(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	seeds, err := filepath.Glob(filepath.Join("testdata", "seeds", "*.json"))
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, seed := range seeds {
		text, err := os.ReadFile(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := compareWithTwin(text); err != nil {
			t.Fatal(err)
		}
		found, err := decode(text, false, 0)
		if err != nil {
			return
		}
		summary, err := corpus.Survey(found.trace, corpus.DefaultOptions())
		if err != nil || summary.Windows > 1<<16 { // large ones are slow, not different
			return
		}
		if _, _, _, err := corpus.Build(found.trace, corpus.DefaultOptions()); err != nil {
			t.Fatalf("surveyed but not built: %v", err)
		}
	})
}
