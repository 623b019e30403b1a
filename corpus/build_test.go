package corpus_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentx/corpus"
)

func build(t *testing.T, script string, change func(*corpus.Options)) (*corpus.Plan, *corpus.Layout, corpus.Facts) {
	t.Helper()
	options := corpus.DefaultOptions()
	if change != nil {
		change(&options)
	}
	plan, layout, facts, err := corpus.Build(parseTrace(t, script), options)
	if err != nil {
		t.Fatal(err)
	}
	checkPlan(t, plan, layout)
	return plan, layout, facts
}

// Decision 13a: products are rounded before they are subtracted, also on machines that fuse the two.
func TestDelaysHaveThePeersLastBit(t *testing.T) {
	plan, _, _ := build(t, "785.591 64/1 [1] 13.83\n822.339 128/1 [1,2]", nil)
	if got := float64(plan.Root().Turns[1].GapMs); got != 22918.000000000044 {
		t.Errorf("delay is %.17g, want 22918.000000000044", got)
	}
}

// spec scheduling 5.4.2: a branch that began inside the recorded interval of its turn.
func TestSpawnAtIssue(t *testing.T) {
	for script, want := range map[string]bool{
		"4 640/64 [1-10] 3\nsub a 4.5 dur=1000\n  6 64/9 [90]\n30 704/64 [1-11]": true,
		"4 640/64 [1-10] 1\nsub a 6 dur=1000\n  6 64/9 [90]\n30 704/64 [1-11]":   false,
		"4 640/64 [1-10] 2\nsub a 6 dur=1000\n  6 64/9 [90]\n30 704/64 [1-11]":   false, // touching
		"4 640/64 [1-10]\nsub a 4 dur=1000\n  6 64/9 [90]\n30 704/64 [1-11]":     false, // no interval
	} {
		plan, _, _ := build(t, script, nil)
		if got := plan.Root().Branches[0].SpawnAtIssue; got != want {
			t.Errorf("%q: at issue is %v", script, got)
		}
	}
}

// Equal ids give equal ranks, in order of first appearance by time; text without ids gets ranks of its
// own after them.
func TestLayoutRanks(t *testing.T) {
	_, layout, _ := build(t, `
0 200/9 [10-12] 1
sub a 3 dur=1000
  3 250/9 [50,51] 1
2 192/9 [10,60,61] 1
9 330/9 [10,60,61,50,51]`, nil)
	span := func(first corpus.Rank, count uint32) corpus.Span { return corpus.Span{First: first, Count: count} }
	user := func(tail corpus.Rank, spans ...corpus.Span) corpus.Content {
		return corpus.Content{Spans: spans, HasTail: tail > 0, Tail: tail}
	}
	// By time 10, 11, 12 are ranks 0 to 2, 60 and 61 are 3 and 4, 50 and 51 are 5 and 6. Then come the
	// tails of the root's turns 0 and 2, the fill and the tail of the subagent.
	want := corpus.Layout{IDs: 7, Unique: []uint16{8, 10, 64, 58}, Messages: [][][]corpus.Content{
		{
			{user(7, span(0, 3))},
			{user(0, span(0, 1)), user(0, span(3, 1)), user(0, span(4, 1))},
			{user(0, span(5, 1)), user(8, span(6, 1))},
		},
		{{user(10, span(5, 2), span(9, 1))}},
	}}
	if !reflect.DeepEqual(*layout, want) {
		t.Errorf("layout is\n%v, want\n%v", *layout, want)
	}
}

// The agents' ids are only compared: any renumbering gives the same plan and layout.
func TestBlockNumbersDoNotMatter(t *testing.T) {
	script := "0 200/9 [10-12] 1\n5 320/9 [10,11,3,4,5] 1\n7 64/9 [5]"
	trace := parseTrace(t, script)
	for i := range trace.Rows {
		for j, block := range trace.Rows[i].Request.Blocks {
			trace.Rows[i].Request.Blocks[j] = corpus.Block(trace.Blocks-1) - block
		}
	}
	plan, layout, _, err := corpus.Build(trace, corpus.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	wantPlan, wantLayout, _ := build(t, script, nil)
	if !reflect.DeepEqual(toJSON(t, plan), toJSON(t, wantPlan)) || !reflect.DeepEqual(layout, wantLayout) {
		t.Error("the plan depends on the numbers of the blocks")
	}
}

func toJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAdjacentRolesMerge(t *testing.T) {
	merge := func(o *corpus.Options) { o.AdjacentRoles = corpus.AdjacentMerge }
	plan, layout, _ := build(t, `
0 640/64 [1-10] 2
10 256/50 [1,2,3,50] 2
20 320/50 [1,2,3,50,51] 2`, merge)
	var got []string
	for k := range plan.Root().Turns {
		turn := &plan.Root().Turns[k]
		for _, message := range turn.New {
			got = append(got, string(message.Role)+" "+toJSON(t, message.Tokens))
		}
	}
	// Kept apart these are u640; R u192 u64; u64.
	if want := []string{"user 640", "user 256", "user 320"}; !slices.Equal(got, want) {
		t.Errorf("messages are %v, want %v", got, want)
	}
	if want := (corpus.Content{Spans: []corpus.Span{{First: 0, Count: 3}, {First: 10, Count: 2}}}); !reflect.DeepEqual(layout.Messages[0][2][0], want) {
		t.Errorf("the last message is %v, want %v", layout.Messages[0][2][0], want)
	}
	if turn := plan.Root().Turns[2]; !turn.Reset || turn.Keep != 0 || turn.Emitted != 1 {
		t.Errorf("a message that grew is sent again: reset %v, keep %d, emitted %d", turn.Reset, turn.Keep, turn.Emitted)
	}
}

func TestDuplicateAgents(t *testing.T) {
	twice := "0 64/1 [1]\nsub a 1 dur=1\n  1 64/1 [2]\nsub a 2 dur=1\n  2 64/1 [3]"
	_, _, _, err := corpus.Build(parseTrace(t, twice), corpus.DefaultOptions())
	if err == nil || !strings.Contains(err.Error(), "requests[2].agent_id") || !strings.Contains(err.Error(), "requests[1]") {
		t.Errorf("two subagents a: %v", err)
	}
	if _, err := corpus.Survey(parseTrace(t, twice), corpus.DefaultOptions()); err == nil {
		t.Error("the survey did not see it")
	}
	dropped := "sub a 0 dur=1\n  0 64/1 [2]\n0 64/1 [1]\nsub a 2 dur=1\n  2 64/1 [3]"
	build(t, dropped, nil) // only one of them is retained
	clash := "0 64/1 [1]\nsub a:fa:000 1 dur=1\n  1 64/1 [2]\nsub a 2 dur=100000\n  2 19200/5000 [100-399] 1\n  2 19200/5000 [400-699] 1\n  3 19264/500 [100-399,700] 1"
	_, _, _, err = corpus.Build(parseTrace(t, clash), corpus.DefaultOptions())
	if err == nil || !strings.Contains(err.Error(), "v::sa:a:fa:000") {
		t.Errorf("two conversations of one id: %v", err)
	}
}

// Facts.Add forgets no counter: facts of ones added to facts of ones are twos, but for greatest values.
func TestFactsAdd(t *testing.T) {
	ones := func() corpus.Facts {
		var f corpus.Facts
		fillOnes(reflect.ValueOf(&f).Elem())
		return f
	}
	sum := ones()
	sum.Add(ones())
	kept := map[string]bool{"DelayMaxMs": true, "DelayUncapped": true}
	value := reflect.ValueOf(sum)
	for i := range value.NumField() {
		name, want := value.Type().Field(i).Name, 2.0
		if kept[name] {
			want = 1
		}
		if got := sizeOf(value.Field(i)); got != want {
			t.Errorf("%s is %v after adding 1 to 1, want %v", name, got, want)
		}
	}
}

func fillOnes(value reflect.Value) {
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			fillOnes(value.Field(i))
		}
	case reflect.Map:
		value.Set(reflect.ValueOf(map[corpus.ConversationKind]int{corpus.KindRoot: 1}))
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
	case reflect.Float64:
		value.SetFloat(1)
	default:
		value.SetInt(1)
	}
}

// sizeOf is the number that a fact stands for; of counters of one kind the sum must be even.
func sizeOf(value reflect.Value) float64 {
	switch value.Kind() {
	case reflect.Struct:
		least := 2.0
		for i := range value.NumField() {
			least = min(least, sizeOf(value.Field(i)))
		}
		return least
	case reflect.Map:
		return float64(value.Interface().(map[corpus.ConversationKind]int)[corpus.KindRoot])
	case reflect.Slice:
		return float64(value.Len())
	case reflect.Float64:
		return value.Float()
	}
	return float64(value.Int())
}

func TestOptions(t *testing.T) {
	defaults := corpus.DefaultOptions()
	if err := defaults.Validate(); err != nil {
		t.Fatal(err)
	}
	text := toJSON(t, defaults)
	var back corpus.Options
	if err := json.Unmarshal([]byte(text), &back); err != nil || toJSON(t, back) != text {
		t.Errorf("options change in JSON: %v\n%s\n%s", err, text, toJSON(t, back))
	}
	if strings.Count(text, `":`) != reflect.TypeFor[corpus.Options]().NumField() {
		t.Errorf("some options are not in the JSON: %s", text)
	}
	for name, change := range map[string]func(*corpus.Options){
		"seam_min_overlap_ratio": func(o *corpus.Options) { o.SeamMinOverlapRatio = 1.5 },
		"max_osl":                func(o *corpus.Options) { o.MaxOSL = -1 },
		"exclude each other":     func(o *corpus.Options) { o.ThinkTimeOnly, o.IgnoreTraceDelays = true, true },
		"nested_timestamps":      func(o *corpus.Options) { o.NestedTimestamps = "odd" },
		"adjacent_roles":         func(o *corpus.Options) { o.AdjacentRoles = "" },
		"block_size":             func(o *corpus.Options) { o.BlockSize = 1 << 16 },
	} {
		o := corpus.DefaultOptions()
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
