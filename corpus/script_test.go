package corpus_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentx/corpus"
)

// parseTrace reads a trace written for a test. The trace is called v. A line is a request
//
//	t in/out [ids] api key=value…
//
// (ids as 1-4,9; api may be missing; keys model, think, stop, types, type), or the marker of a subagent
//
//	sub agent t key=value…
//
// (keys dur, tool, sys) whose requests follow, indented. A first line of key=value (tool, sys, block)
// is about the trace. The model is A unless said.
func parseTrace(t testing.TB, text string) *corpus.Trace {
	t.Helper()
	p := traceParser{t: t, numbers: map[uint64]corpus.Block{}}
	p.trace = &corpus.Trace{ID: "v", Source: "v.json", BlockSize: 64}
	for _, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "sub":
			p.marker(fields)
		case strings.Contains(fields[0], "="):
			for _, field := range fields {
				p.header(field)
			}
		case strings.HasPrefix(strings.TrimLeft(line, "\t"), "  "):
			agent := p.trace.Rows[len(p.trace.Rows)-1].Subagent
			agent.Requests = append(agent.Requests, p.request(fields))
		default:
			p.trace.Rows = append(p.trace.Rows, corpus.Row{Request: p.request(fields)})
		}
	}
	p.trace.Blocks = len(p.numbers)
	return p.trace
}

type traceParser struct {
	t       testing.TB
	trace   *corpus.Trace
	numbers map[uint64]corpus.Block
}

func (p *traceParser) number(text string) float64 {
	p.t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.t.Fatalf("script: %v", err)
	}
	return value
}

func (p *traceParser) header(field string) {
	key, value, _ := strings.Cut(field, "=")
	number := int64(p.number(value))
	switch key {
	case "tool":
		p.trace.ToolTokens = number
	case "sys":
		p.trace.SystemTokens = number
	case "block":
		p.trace.BlockSize = int(number)
	default:
		p.t.Fatalf("script: no key %q of a trace", key)
	}
}

func (p *traceParser) marker(fields []string) {
	agent := &corpus.Subagent{Agent: fields[1], T: p.number(fields[2]), DurationMs: corpus.Absent()}
	for _, field := range fields[3:] {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "dur":
			agent.DurationMs = corpus.Millis(p.number(value))
		case "tool":
			agent.ToolTokens = int64(p.number(value))
		case "sys":
			agent.SystemTokens = int64(p.number(value))
		default:
			p.t.Fatalf("script: no key %q of a subagent", key)
		}
	}
	p.trace.Rows = append(p.trace.Rows, corpus.Row{Subagent: agent})
}

func (p *traceParser) request(fields []string) corpus.Request {
	in, out, _ := strings.Cut(fields[1], "/")
	r := corpus.Request{T: p.number(fields[0]), Type: "n", Model: "A", In: int64(p.number(in)), Out: int64(p.number(out)),
		Blocks: p.ids(fields[2]), APITime: corpus.NoSeconds(), ThinkTime: corpus.NoSeconds()}
	for _, field := range fields[3:] {
		key, value, keyed := strings.Cut(field, "=")
		switch {
		case !keyed:
			r.APITime = corpus.Seconds(p.number(field))
		case key == "model":
			r.Model = value
		case key == "type":
			r.Type = value
		case key == "think":
			r.ThinkTime = corpus.Seconds(p.number(value))
		case key == "stop":
			r.Stop = value
		case key == "types":
			r.Input = corpus.InputKind(value)
		default:
			p.t.Fatalf("script: no key %q of a request", key)
		}
	}
	return r
}

func (p *traceParser) ids(text string) []corpus.Block {
	var blocks []corpus.Block
	for _, piece := range strings.Split(strings.Trim(text, "[]"), ",") {
		if piece == "" {
			continue
		}
		first, last, isRange := strings.Cut(piece, "-")
		if !isRange {
			last = first
		}
		for id := uint64(p.number(first)); id <= uint64(p.number(last)); id++ {
			if _, known := p.numbers[id]; !known {
				p.numbers[id] = corpus.Block(len(p.numbers))
			}
			blocks = append(blocks, p.numbers[id])
		}
	}
	return blocks
}

// describe gives a plan's properties by name, as tests write them. "root" and, for others, the part of
// the id after the trace name a conversation; its messages as sent (R: they replace the history), and
// with a suffix: .rows .h (hits/blocks) .d (gap ms) .t .api .max .kind .model .preds. Turns are apart
// by " | ", single values by blanks.
func describe(plan *corpus.Plan, facts corpus.Facts) map[string]string {
	said := map[string]string{}
	var streams []string
	for c := range plan.Conversations {
		name := shortName(plan, c)
		streams = append(streams, name)
		describeTurns(said, name, plan, &plan.Conversations[c])
	}
	said["streams"] = strings.Join(streams, " ")
	var branches []string
	for _, branch := range plan.Root().Branches {
		var children []string
		for _, child := range branch.Children {
			children = append(children, shortName(plan, child))
		}
		join := "bg"
		if branch.JoinTurn >= 0 {
			join = strconv.Itoa(branch.JoinTurn)
		}
		branches = append(branches, fmt.Sprintf("%s %d>%s @%s {%s}", strings.TrimPrefix(string(branch.ID), string(plan.Trace)+":"),
			branch.SpawnTurn, join, ms(branch.StartMs), strings.Join(children, " ")))
	}
	said["branches"] = strings.Join(branches, "; ")
	said["seams"] = strconv.Itoa(plan.Split.Seams)
	said["dropped"] = strconv.Itoa(len(plan.Dropped))
	said["peak"] = strconv.FormatInt(plan.PeakContext, 10)
	said["models"] = strings.Join(plan.Models, " ")
	said["cyclic"] = strconv.Itoa(facts.CyclicEdges)
	said["too few"] = strconv.Itoa(facts.RowsTooFewIDs)
	said["surplus"] = strconv.Itoa(facts.RowsSurplusIDs)
	said["no system"] = strconv.Itoa(facts.NoSystem)
	said["non-user ends"] = strconv.Itoa(facts.NonUserEnds)
	said["negative think"] = strconv.Itoa(facts.NegativeThink)
	said["out of order"] = strconv.Itoa(len(facts.OutOfOrder))
	said["unchanged"] = strconv.Itoa(facts.UnchangedTurns)
	return said
}

func shortName(plan *corpus.Plan, c int) string {
	if c == 0 {
		return "root"
	}
	return strings.TrimPrefix(string(plan.Conversations[c].ID), string(plan.Trace))
}

func describeTurns(said map[string]string, name string, plan *corpus.Plan, conversation *corpus.Conversation) {
	columns := map[string][]string{}
	add := func(column, value string) { columns[column] = append(columns[column], value) }
	var array []corpus.Message
	for k := range conversation.Turns {
		turn := &conversation.Turns[k]
		array = append(slices.Clone(array[:turn.Keep]), turn.New...)
		add("", sent(turn, array))
		row := strconv.Itoa(turn.Row)
		if turn.InnerRow >= 0 {
			row += "." + strconv.Itoa(turn.InnerRow)
		}
		add(".rows", row)
		add(".h", fmt.Sprintf("%d/%d", turn.HitBlocks, turn.TotalBlocks))
		add(".d", ms(turn.GapMs))
		add(".t", ms(turn.TMs))
		add(".api", ms(turn.APIMs))
		add(".max", strconv.FormatInt(turn.MaxOut, 10))
		add(".kind", cmpOr(string(turn.Input), "null"))
		add(".model", plan.Models[turn.Model])
		var preds []string
		for _, pred := range turn.Preds {
			preds = append(preds, fmt.Sprintf("%s/%d", shortName(plan, pred.Conversation), pred.Turn))
		}
		add(".preds", cmpOr(strings.Join(preds, ","), "-"))
	}
	for _, column := range []string{"", ".rows", ".h", ".d", ".t", ".api", ".max", ".kind", ".model", ".preds"} {
		separator := " "
		if column == "" {
			separator = " | "
		}
		said[name+column] = strings.Join(columns[column], separator)
	}
}

func cmpOr(text, alternative string) string {
	if text == "" {
		return alternative
	}
	return text
}

func ms(m corpus.Millis) string {
	if !m.Present() {
		return "-"
	}
	return strconv.FormatFloat(math.Round(float64(m)*1e6)/1e6, 'f', -1, 64)
}

// sent writes what the turn adds to the conversation, or all of it if it replaces it.
func sent(turn *corpus.Turn, array []corpus.Message) string {
	from := len(array) - turn.Emitted
	var words []string
	if turn.Reset {
		words = append(words, "R")
	}
	for _, message := range array[from:] {
		word := fmt.Sprintf("%c%d", message.Role[0], message.Tokens)
		if message.ToolCall > 0 {
			word += fmt.Sprintf("(%d)", message.ToolCall-1)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// vector is a trace and what must become of it: lines "property = value".
type vector struct {
	name    string
	options func(*corpus.Options)
	trace   string
	want    string
}

func (v vector) run(t *testing.T) {
	options := corpus.DefaultOptions()
	if v.options != nil {
		v.options(&options)
	}
	plan, layout, facts, err := corpus.Build(parseTrace(t, v.trace), options)
	if err != nil {
		t.Fatal(err)
	}
	checkPlan(t, plan, layout)
	said := describe(plan, facts)
	for _, line := range strings.Split(strings.TrimSpace(v.want), "\n") {
		key, want, ok := strings.Cut(strings.TrimSpace(line), " =")
		want = strings.TrimPrefix(want, " ")
		got, known := said[key]
		switch {
		case !ok || !known:
			t.Errorf("no property in %q", line)
		case got != want:
			t.Errorf("%s\n got %s\nwant %s", key, got, want)
		}
	}
}
