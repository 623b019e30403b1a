package messages

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"agentx/corpus"

	"golang.org/x/net/html"
)

const hostile = "<!-- </ScRiPt><img src=x onerror=\"document.title='owned'\"> \u2028\u2029 &lt; ]]> </style><svg onload=\"document.title='owned'\"> \x1b[31m \x00"

// given is a trace text by conversation, turn and message.
type given map[[3]int]string

func (g given) Text(conversation, turn, message int) (string, bool) {
	content, found := g[[3]int{conversation, turn, message}]
	return content, found
}

func (g given) Trace(trace corpus.TraceID) (TraceText, error) {
	if trace == "beta" {
		return nil, errors.New("frame 7 is damaged")
	}
	return g, nil
}

type answers map[int64]string

func (a answers) Response(exchange int64) (string, bool) {
	content, stored := a[exchange]
	return content, stored
}

// firstUser puts the marker on the first message that a user wrote.
type firstUser struct{}

func (firstUser) Place(*corpus.Conversation, int) (int, bool) { return 0, false }

// talk is a root with three turns (the last a context reset) and a subagent.
func talk() *Input {
	message := func(role corpus.Role, tokens int64) corpus.Message { return corpus.Message{Role: role, Tokens: tokens} }
	plan := &corpus.Plan{Trace: "alpha", Conversations: []corpus.Conversation{
		{ID: "alpha", Turns: []corpus.Turn{
			{New: []corpus.Message{message("user", 64)}, GapMs: corpus.Absent()},
			{Keep: 1, New: []corpus.Message{message("assistant", 10), message("user", 20)}, GapMs: 1500},
			{Keep: 0, Reset: true, New: []corpus.Message{message("user", 30)}, GapMs: 2},
		}},
		{ID: "alpha::sa:1", Depth: 1, Turns: []corpus.Turn{{New: []corpus.Message{message("user", 5)}, GapMs: corpus.Absent()}}},
	}}
	turn := func(index int, exchange int64) Turn {
		return Turn{Index: index, Exchange: exchange, Phase: "profiling", Outcome: "ok", Start: 5e9, FirstToken: 6e9, End: 7e9, Late: 1000,
			Input: 64, Output: 3, Reasoning: None, Cached: None, Theory: 64, Reach: 0, MaxTokens: 8}
	}
	return &Input{
		Title: "talk", Source: "run.db", Origin: 4e9, Plans: map[corpus.TraceID]*corpus.Plan{"alpha": plan},
		Plays: []Play{
			{ID: 0, Trace: "alpha", Marker: "[rid:00000000000a]", Streams: []Stream{
				{ID: 0, Conversation: 0, Name: "alpha", Kind: "root", Parent: -1, Turns: []Turn{turn(0, 1), turn(1, 2), turn(2, 3)}},
				{ID: 1, Conversation: 1, Name: "alpha::sa:1", Kind: "sa", Depth: 1, Parent: 0, Turns: []Turn{turn(0, 4)}},
			}},
			{ID: 1, Lane: 1, Trace: "alpha", Replay: 1, Marker: "[rid:00000000000b]", Streams: []Stream{
				{ID: 2, Conversation: 0, Name: "alpha", Kind: "root", Parent: -1, Turns: []Turn{turn(0, 5)}},
			}},
		},
		Texts: given{
			{0, 0, 0}: "first question", {0, 1, 0}: hostile, {0, 1, 1}: "second question", {0, 2, 0}: "first question", {1, 0, 0}: "for the subagent",
		},
		Responses: answers{2: "an answer", 5: "an answer"},
		Marking:   firstUser{},
	}
}

func rendered(t *testing.T, input *Input, limits Limits) (page, data string, decoded payload) {
	t.Helper()
	var out bytes.Buffer
	if err := HTML(&out, input, limits); err != nil {
		t.Fatal(err)
	}
	document, err := html.Parse(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for node := range document.Descendants() {
		for _, a := range node.Attr {
			if a.Key == "id" && a.Val == "data" {
				data = node.FirstChild.Data
			}
		}
	}
	if err := json.Unmarshal([]byte(data), &decoded); err != nil {
		t.Fatal(err)
	}
	return out.String(), data, decoded
}

// Case 43 of the known faults: model output that looks like markup is data to the parser, and shown.
func TestHostileTextsStayText(t *testing.T) {
	input := talk()
	input.Title, input.Plays[0].Streams[0].Name, input.Plays[0].Streams[0].Turns[0].Error = hostile, hostile, hostile
	page, data, decoded := rendered(t, input, DefaultLimits())
	if regexp.MustCompile(`[<>&\x{2028}\x{2029}]`).MatchString(data) {
		t.Error("the data block holds a raw < > & U+2028 or U+2029")
	}
	if strings.Count(page, "<script") != 2 || strings.Contains(page, "<img") || strings.Contains(page, "<svg") {
		t.Error("a text became markup")
	}
	shown := ""
	for _, text := range decoded.Texts {
		shown += text.Shown + "\n"
	}
	if want := "<!-- </ScRiPt><img src=x onerror=\"document.title='owned'\"> ‹U+2028›‹U+2029› &lt; ]]> </style>"; !strings.Contains(shown, want) {
		t.Errorf("the text is shown as %q", shown)
	}
	if !strings.Contains(shown, "‹U+001B›[31m ‹U+0000›") {
		t.Error("control characters are not made visible")
	}
}

// History repeats; the page does not: one text for all turns, plays and resets that send it.
func TestTextsAreStoredOnce(t *testing.T) {
	_, _, decoded := rendered(t, talk(), DefaultLimits())
	if len(decoded.Texts) != 5 { // first question, hostile, second question, for the subagent, an answer
		t.Errorf("%d texts, expected 5: %v", len(decoded.Texts), decoded.Texts)
	}
	if len(decoded.Plans) != 2 || len(decoded.Plans[0].Turns) != 3 {
		t.Errorf("plans %+v: expected one for each conversation, shared by its plays", decoded.Plans)
	}
	if a, b := decoded.Plays[0].Streams[0].Turns[1].Response, decoded.Plays[1].Streams[0].Turns[0].Response; a != b || a < 0 {
		t.Errorf("the same answer is text %d and %d", a, b)
	}
	if first, again := decoded.Plans[0].Turns[0].New[0].Text, decoded.Plans[0].Turns[2].New[0].Text; first != again {
		t.Errorf("the same message is text %d and, after a reset, %d", first, again)
	}
}

// What the limits keep out is counted on the page.
func TestLimitsAreStated(t *testing.T) {
	_, _, decoded := rendered(t, talk(), Limits{Conversations: 2, Turns: 1, Content: 6})
	said := strings.Join(decoded.Notes, "\n")
	for _, want := range []string{
		"1 of 3 conversations are left out (-n 2)", "2 turns are left out: only the first 1 of a conversation",
		"2 of 2 texts are cut to 6 characters",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q: %s", want, said)
		}
	}
	if got := decoded.Texts[0]; got.Shown != "first " || got.Length != len("first question") {
		t.Errorf("text %+v, expected the first 6 of 14 characters", got)
	}
	if stream := decoded.Plays[0].Streams[0]; stream.Hidden != 2 || len(stream.Turns) != 1 {
		t.Errorf("stream %+v, expected one turn and two hidden", stream)
	}
}

// Without a bundle the page has structure, roles, tokens, hits and times, and says what is missing and why.
func TestWithoutBundleStructureOnly(t *testing.T) {
	input := talk()
	input.Texts, input.WithoutTexts, input.Responses = nil, "bundle 0123abcd is not in the cache", nil
	_, _, decoded := rendered(t, input, DefaultLimits())
	if decoded.HasTexts || len(decoded.Texts) != 0 {
		t.Errorf("texts %v without a bundle", decoded.Texts)
	}
	if message := decoded.Plans[0].Turns[1].New[0]; message.Role != "assistant" || message.Tokens != 10 || message.Text != -1 {
		t.Errorf("message %+v, expected role and tokens", message)
	}
	said := strings.Join(decoded.Notes, "\n")
	if !strings.Contains(said, "without texts: bundle 0123abcd is not in the cache") || !strings.Contains(said, "answers were not stored") {
		t.Errorf("the page says %q", said)
	}
}

// A damaged text frame costs its own trace's texts, not the page, and is named.
func TestDamagedTextsOfOneTraceAreNamed(t *testing.T) {
	input := talk()
	input.Plans["beta"] = input.Plans["alpha"]
	input.Plays[1].Trace = "beta"
	_, _, decoded := rendered(t, input, DefaultLimits())
	if said := strings.Join(decoded.Notes, "\n"); !strings.Contains(said, "no texts of trace beta: frame 7 is damaged") {
		t.Errorf("the page says %q", said)
	}
	if decoded.Texts[0].Shown != "first question" {
		t.Error("the other trace lost its texts")
	}
}
