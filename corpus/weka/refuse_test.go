package weka

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentx/corpus"
)

// oneRequest is a trace with one request, of which fields are changed.
func oneRequest(fields string) string {
	return `{"id":"t","block_size":64,"requests":[{` + fields + `}]}`
}

const plainRequest = `"t":0,"type":"n","model":"m","in":64,"out":1,"hash_ids":[1]`

func subagent(fields string) string {
	return `{"id":"t","block_size":64,"requests":[{` + plainRequest + `},{` + fields + `}]}`
}

const plainSubagent = `"t":1,"type":"subagent","agent_id":"a","requests":[]`

// V25 by decision 5, and what else decision 5 refuses: the error names the field and what was wrong.
func TestRefusedTraces(t *testing.T) {
	for _, c := range []struct{ text, field, problem string }{
		{`{"id":"t","block_size":64,"hash_id_scope":"global","requests":[]}`, "hash_id_scope", `is "global"`},
		{`{"id":"t","block_size":64,"hash_id_scope":"session","requests":[]}`, "hash_id_scope", `is "session"`},
		{`{"id":"t","block_size":0,"requests":[]}`, "block_size", "is 0"},
		{`{"id":"t","block_size":70000,"requests":[]}`, "block_size", "is 70000"},
		{`{"id":"t","block_size":64}`, "requests", "is missing"},
		{`{"block_size":64,"requests":[]}`, "id", "is missing"},
		{`{"id":"","block_size":64,"requests":[]}`, "id", "is empty"},
		{`{"id":5,"block_size":64,"requests":[]}`, "id", "is 5, expected a string"},
		{`{"id":"t","block_size":null,"requests":[]}`, "block_size", "is missing"},
		{`{"id":"t","id":"t","block_size":64,"requests":[]}`, "id", "is given twice"},
		{`{"id":"t","block_size":64,"totals":[],"requests":[]}`, "totals", "expected an object"},
		{`{"id":"t","block_size":64,"requests":{}}`, "requests", "expected a list"},
		{`{"id":"t","block_size":64,"requests":[5]}`, "requests[0]", "expected an object"},
		{oneRequest(`"t":0,"model":"m","in":64,"out":1`), "requests[0].type", "is missing"},
		{oneRequest(`"t":0,"type":"x","model":"m","in":64,"out":1`), "requests[0].type", `is "x"`},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64.5,"out":1`), "requests[0].in", "is 64.5, expected an integer"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":0,"out":1`), "requests[0].in", "is 0"},
		// X50
		{`{"id":"t","block_size":64,"requests":[{` + plainRequest + `},{"t":1,"type":"n","model":"A","in":0,"out":1,"hash_ids":[]},{"t":2,"type":"n","model":"A","in":128,"out":1,"hash_ids":[1,2]}]}`, "requests[1].in", "is 0"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":-5,"out":1`), "requests[0].in", "is -5"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":null,"out":1`), "requests[0].in", "is missing"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":"sixty","out":1`), "requests[0].in", `is "sixty", expected an integer`},
		{oneRequest(`"t":0,"type":"n","model":"m","in":true,"out":1`), "requests[0].in", "is true, expected an integer"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64`), "requests[0].out", "is missing"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64,"out":-5`), "requests[0].out", "is -5"},
		{oneRequest(`"t":0,"type":"n","in":64,"out":1`), "requests[0].model", "is missing"},
		{oneRequest(`"t":0,"type":"n","model":7,"in":64,"out":1`), "requests[0].model", "is 7, expected a string"},
		{oneRequest(`"type":"n","model":"m","in":64,"out":1`), "requests[0].t", "is missing"},
		{oneRequest(`"t":-1,"type":"n","model":"m","in":64,"out":1`), "requests[0].t", "is -1"},
		{oneRequest(`"t":1e999,"type":"n","model":"m","in":64,"out":1`), "requests[0].t", "is 1e999"},
		{oneRequest(`"t":"nan","type":"n","model":"m","in":64,"out":1`), "requests[0].t", `is "nan", expected a number`},
		{oneRequest(`"t":NaN,"type":"n","model":"m","in":64,"out":1`), "requests[0]", "is not valid JSON at byte"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64,"out":1,"hash_ids":[1,2.5]`), "requests[0].hash_ids[1]", "is 2.5"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64,"out":1,"hash_ids":[18446744073709551616]`), "requests[0].hash_ids[0]", "is 18446744073709551616"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64,"out":1,"hash_ids":[-9223372036854775809]`), "requests[0].hash_ids[0]", "is -9223372036854775809"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64,"out":1,"hash_ids":[true]`), "requests[0].hash_ids[0]", "is true"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64,"out":1,"hash_ids":"1"`), "requests[0].hash_ids", "expected a list"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64,"out":1,"stop":1`), "requests[0].stop", "is 1, expected a string"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64,"out":1,"api_time":"x"`), "requests[0].api_time", `is "x"`},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64,"out":1,"input_types":[1]`), "requests[0].input_types[0]", "is 1"},
		{oneRequest(`"t":0,"type":"n","model":"m","in":64,"input_length":64,"out":1`), "requests[0].input_length", "is given twice"},
		{subagent(`"t":1,"type":"subagent","requests":[]`), "requests[1].agent_id", "is missing"},
		{subagent(`"t":1,"type":"subagent","agent_id":"a"`), "requests[1].requests", "is missing"},
		{subagent(`"t":-1,"type":"subagent","agent_id":"a","requests":[]`), "requests[1].t", "is -1"},
		{subagent(`"t":1,"type":"subagent","agent_id":"a","requests":[{` + plainSubagent + `}]`), "requests[1].requests[0].type", "inside a subagent"},
		{subagent(`"t":1,"type":"subagent","agent_id":"a","requests":[{` + plainRequest + `},{"t":0,"type":"n","model":"m","in":0,"out":1}]`), "requests[1].requests[1].in", "is 0"},
		{oneRequest(`"t":0,"type":"n","model":["` + strings.Repeat("x", 100) + `"],"in":64,"out":1`), "requests[0].model", `x…, expected a string`},
		{oneRequest(`"t":0,"type":"n","model":"m","in":1e99999999,"out":1`), "requests[0].in", "is 1e99999999"},
		{subagent(plainSubagent + `,"duration_ms":"long"`), "requests[1].duration_ms", `is "long"`},
	} {
		_, err := decode([]byte(c.text), false, 0)
		var refused *Error
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v, want an *Error", c.text, err)
			continue
		}
		if refused.Field != c.field || !strings.Contains(refused.Problem, c.problem) {
			t.Errorf("%s:\n got %q %q\nwant %q …%q…", c.text, refused.Field, refused.Problem, c.field, c.problem)
		}
		if named := refused.Trace == "t"; named != strings.Contains(c.text, `"id":"t"`) && c.field != "id" {
			t.Errorf("%s: the trace is called %q", c.text, refused.Trace)
		}
	}
}

// What V25 accepts, with what it reads as.
func TestAcceptedTraces(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"t","block_size":64,"requests":[]}`:                                                           `"t" 64 0 0|0 blocks`,
		`{"id":"t","block_size":"64","requests":[]}`:                                                         `"t" 64 0 0|0 blocks`,
		oneRequest(`"t":0,"type":"s","model":"m","in":64,"out":1,"ttft":0.5`):                                `0 "s" "m" 64/1 [] "" "" NaN NaN`,
		oneRequest(`"t":0,"type":"n","model":"m","in":64,"out":1,"ttft":0.5`):                                `0 "n" "m" 64/1 [] "" "" NaN NaN`,
		oneRequest(`"t":"1.5","type":"n","model":"m","in":64.0,"out":1e1`):                                   `1.5 "n" "m" 64/10 [] "" "" NaN NaN`,
		oneRequest(`"t":0,"type":"n","model":"m","input_length":64,"output_length":0,"hash_ids":[1.0,"2"]`):  `0 "n" "m" 64/0 [0 1] "" "" NaN NaN`,
		oneRequest(`"t":0,"type":"n","model":"m","in":64,"out":1,"hash_ids":null,"stop":null,"api_time":-1`): `0 "n" "m" 64/1 [] "" "" -1 NaN`,
		oneRequest(`"hash_ids":[-1,18446744073709551615,-1],"t":0,"model":"m","in":64,"out":1,"type":"n"`):   `0 "n" "m" 64/1 [0 1 0] "" "" NaN NaN`,
		oneRequest(plainRequest + `,"agent_id":null,"status":"x","duration_ms":true`):                        `0 "n" "m" 64/1 [0] "" "" NaN NaN`,
		`{"\u0069d":"t","block_size":64,"requests":[]}`:                                                      `"t" 64 0 0|0 blocks`,
		subagent(plainSubagent + `,"subagent_type":null,"models":null`):                                      `sub 1 "a" NaN 0 0`,
		"\n\t" + oneRequest(plainRequest) + "\r\n":                                                           `0 "n" "m" 64/1 [0] "" "" NaN NaN`,
	} {
		found, err := decode([]byte(text), false, 0)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := strings.ReplaceAll(show(found.trace), "\n", "|"); !strings.Contains(got, want) {
			t.Errorf("%s reads as %s, want %s", text, got, want)
		}
	}
}

// Unknown fields are kept out and counted by name; --strict refuses them (decision 5).
func TestUnknownFields(t *testing.T) {
	text := `{"id":"t","block_size":64,"note":"x","requests":[{` + plainRequest + `,"odd":[{"a":null}],"agent_id":"a"},{` +
		`"t":1,"type":"subagent","agent_id":"a","in":5,"requests":[{` + plainRequest + `,"odd":1},{` + plainRequest + `,"odd":null}]}]}`
	found, err := decode([]byte(text), false, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"note": 1, "requests[].odd": 1, "requests[].agent_id": 1, "requests[].in": 1, "requests[].requests[].odd": 1}
	if fmt.Sprint(found.unknown) != fmt.Sprint(want) {
		t.Errorf("unknown fields are %v, want %v", found.unknown, want)
	}
	if _, err := decode([]byte(text), true, 0); err == nil || !strings.Contains(err.Error(), "note: is not a field") {
		t.Errorf("strict: %v", err)
	}
}

// An unknown name is counted, not stored without end.
func TestManyUnknownNames(t *testing.T) {
	var fields strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&fields, `,"f%d":1`, i)
	}
	found, err := decode([]byte(`{"id":"t","block_size":64,"requests":[]`+fields.String()+`}`), false, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.unknown) != maxNames+1 || found.unknown["other fields"] != 1000-maxNames {
		t.Errorf("%d names, %d others", len(found.unknown), found.unknown["other fields"])
	}
}

// Decision 6: floor(in/B) to ceil(in/B) ids are normal, none is the hash-less rule; --strict refuses
// others, naming what was allowed.
func TestStrictIDLists(t *testing.T) {
	for ids, problem := range map[string]string{
		"[]": "", "[1,2]": "", "[1,2,3]": "",
		"[1]":       "has 1 ids, but in 150 with block size 64 allows 2..3",
		"[1,2,3,4]": "has 4 ids, but in 150 with block size 64 allows 2..3",
	} {
		text := subagent(`"t":1,"type":"subagent","agent_id":"a","requests":[{"t":0,"type":"n","model":"m","in":150,"out":1,"hash_ids":` + ids + `}]`)
		_, err := decode([]byte(text), true, 0)
		if problem == "" && err != nil || problem != "" && (err == nil || !strings.Contains(err.Error(), "requests[1].requests[0].hash_ids: "+problem)) {
			t.Errorf("%s: %v, want %q", ids, err, problem)
		}
		if _, err := decode([]byte(text), false, 0); err != nil {
			t.Errorf("%s without strict: %v", ids, err)
		}
	}
	if _, err := decode([]byte(oneRequest(plainRequest)), true, 16); err == nil || !strings.Contains(err.Error(), "allows 4..4") {
		t.Errorf("another block size is not seen: %v", err)
	}
}

func TestSyntaxErrorsTellThePlace(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"t","block_size":64,"requests":[]`:         "is cut off: the text ends at byte 40",
		"{\"id\":\"t\",\n \"block_size\" 64}":             `is not valid JSON at line 2, byte 15 of it: expected ':'`,
		`{"id":"t","block_size":64,"requests":[]} {}`:     "expected the end of the trace",
		`{"id":"t","block_size":64,"requests":[],}`:       "expected a string",
		`{"id":"t` + "\n" + `","block_size":64}`:          "expected no control character",
		`{"id":"\x41"}`:                                   "expected an escape",
		`{"id":"t","x\q":1}`:                              "expected an escape",
		`{"id":"t","x":"\u00g0"}`:                         "expected an escape",
		`{"id":"t","x":1e}`:                               "expected a digit",
		`{"id":"t","x":-}`:                                "expected a number",
		`{"id":"t","x":tru}`:                              "expected a value",
		`{"id":"t","x":01}`:                               `expected "," or "}"`,
		`{"id":"t","x":1.}`:                               "expected a digit",
		`{"id":"t","x":` + strings.Repeat("[", 2000) + "": "expected less nesting",
		"[" + oneRequest(plainRequest) + "]":              "is a list",
		"hello":                                           "it begins with hello",
		`{"id":"` + "\xff" + `","block_size":64}`:         "is not valid UTF-8",
		`{"id":"t","block_size":64,"requests":[{"t":0,"type":"n","model":"m",`: "is cut off",
	} {
		_, err := decode([]byte(text), false, 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// Blocks of a list that goes on with the one before share its memory; they must not share what differs.
func TestSharedListsStayApart(t *testing.T) {
	lists := []string{"1,2,3", "1,2,3,4", "1,2,9", "1,2,3,4,5", "1,2", "1,2,7", "1,2,7,8", "", "1", "1,2,7,8,9", "1,2,77"}
	var rows []string
	for i, list := range lists {
		rows = append(rows, fmt.Sprintf(`{"t":%d,"type":"n","model":"m","in":640,"out":1,"hash_ids":[%s]}`, i, list))
	}
	found, err := decode([]byte(`{"id":"t","block_size":64,"requests":[`+strings.Join(rows, ",")+`]}`), false, 0)
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]corpus.Block{}
	for i, list := range lists {
		var ids []string
		if list != "" {
			ids = strings.Split(list, ",")
		}
		blocks := found.trace.Rows[i].Request.Blocks
		if len(blocks) != len(ids) {
			t.Fatalf("list %d has %d blocks, want %d", i, len(blocks), len(ids))
		}
		for j, id := range ids {
			if known, met := numbers[id]; met && known != blocks[j] {
				t.Errorf("list %d: id %s is block %d, was %d", i, id, blocks[j], known)
			}
			numbers[id] = blocks[j]
		}
	}
	if len(numbers) != found.trace.Blocks {
		t.Errorf("%d blocks, want %d", found.trace.Blocks, len(numbers))
	}
}
