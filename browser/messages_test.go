package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/corpus"
	"agentx/internal/view/messages"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const hostile = "<!-- </ScRiPt><img src=x onerror=\"document.title='owned'\"> \u2028\u2029 &lt; ]]> </style><svg onload=\"document.title='owned'\"> \x1b[31m"

// texts makes up texts: hostile ones for answers of the model, long ones for the first message.
type texts struct{}

func (texts) Trace(corpus.TraceID) (messages.TraceText, error) { return texts{}, nil }

func (texts) Text(conversation, turn, message int) (string, bool) {
	switch {
	case turn == 0:
		return strings.Repeat(fmt.Sprintf("line of conversation %d\n", conversation), 2000), true
	case message == 0:
		return hostile, true
	default:
		return fmt.Sprintf("please look at file %d.%d next", conversation, turn), true
	}
}

type firstMessage struct{}

func (firstMessage) Place(*corpus.Conversation, int) (int, bool) { return 0, false }

// talk is a root with 30 turns and a subagent with five.
func talk() *messages.Input {
	plan := &corpus.Plan{Trace: "alpha"}
	play := messages.Play{Trace: "alpha", Marker: "[rid:00000000000a]"}
	for c, turns := range []int{30, 5} {
		name := []string{"alpha</script>", "alpha::sa:1"}[c]
		conversation := corpus.Conversation{ID: corpus.ConversationID(name), Depth: c}
		stream := messages.Stream{ID: int64(c), Conversation: c, Name: name, Kind: []string{"root", "sa"}[c], Depth: c, Parent: c - 1}
		keep, sum := 0, int64(0)
		for turn := range turns {
			planned := corpus.Turn{Keep: keep, New: []corpus.Message{{Role: "assistant", Tokens: 60}, {Role: "user", Tokens: 200}}, GapMs: 1500}
			if turn == 0 {
				planned.New = []corpus.Message{{Role: "user", Tokens: 4000}}
			}
			keep += len(planned.New)
			for _, message := range planned.New {
				sum += message.Tokens
			}
			conversation.Turns = append(conversation.Turns, planned)
			start := int64(turn) * 3e9
			stream.Turns = append(stream.Turns, messages.Turn{
				Index: turn, Exchange: int64(100*c + turn), Phase: "profiling", Outcome: "ok", Start: start, FirstToken: start + 4e8, End: start + 2e9, Late: 300_000,
				Input: sum, Output: 60, Reasoning: messages.None, Cached: sum * 9 / 10, Theory: sum * 95 / 100, Reach: sum * 93 / 100, MaxTokens: 60, HTTPStatus: 200, Finish: "stop",
			})
		}
		plan.Conversations = append(plan.Conversations, conversation)
		play.Streams = append(play.Streams, stream)
	}
	failed := &play.Streams[0].Turns[7]
	failed.Outcome, failed.Failed, failed.Error, failed.FirstToken = "http_error, http", true, hostile, messages.None
	return &messages.Input{
		Title: hostile, Source: "made up", Plans: map[corpus.TraceID]*corpus.Plan{"alpha": plan}, Plays: []messages.Play{play}, Texts: texts{}, Marking: firstMessage{},
	}
}

func messagePage(t *testing.T, input *messages.Input) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "turn_messages.html")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := messages.HTML(file, input, messages.DefaultLimits()); err != nil {
		t.Fatal(err)
	}
	return path
}

const page = `document.getElementById("view")`

func TestTurnMessagesOpenOfflineAndTextsStayText(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.open(messagePage(t, talk()), "#play=0&conversation=alpha%3C%2Fscript%3E&turn=7")
	s.wantPart(`document.title`, "onerror")
	s.want(`document.title === "owned"`, "false")
	s.want(`document.images.length + document.querySelectorAll("svg").length`, "0")
	s.wantPart(page+`.querySelector(".here .error").textContent`, "<!-- </ScRiPt><img src=x onerror=\"document.title='owned'\"> ‹U+2028›‹U+2029› &lt; ]]>")
	s.wantPart(page+`.querySelector(".here pre").textContent`, "‹U+001B›[31m")
	s.want(page+`.querySelectorAll(".turn").length`, "30")
	s.want(page+`.querySelectorAll(".turn.failed").length`, "1")
	s.shot("messages-failed")
	s.quiet()
}

// A run without a request, and one without a plan or a bundle, are still pages.
func TestTurnMessagesOfAlmostNothingOpen(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.open(messagePage(t, &messages.Input{Title: "nothing happened", Source: "run.db"}), "")
	s.wantPart(`document.getElementById("tree").textContent`, "no conversation sent anything")
	s.wantPart(`document.getElementById("notes").textContent`, "without texts: no bundle was given")
	bare := talk()
	bare.Plans, bare.Texts, bare.WithoutTexts = nil, nil, "the bundle was not found"
	s.open(messagePage(t, bare), "#turn=0&play=0&conversation=alpha::sa:1")
	s.wantPart(page+`.querySelector(".here").textContent`, "the log has no plan of this conversation")
	s.open(messagePage(t, bare), "#play=7&conversation=unknown")
	s.wantPart(page+`.textContent`, "the conversation unknown is not on this page")
	s.wantPart(page+`.textContent`, "turn-messages -n 0")
	s.open(messagePage(t, bare), "#play=0&conversation=alpha::sa:1&turn=99")
	s.wantPart(page+`.textContent`, "turn 99 is not on this page")
	s.quiet()
}

func TestTurnMessagesShowNewKeptMarkerAndLimits(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.open(messagePage(t, talk()), "")
	s.do(chromedp.Click(chromedp.CSS("#view .turn:nth-of-type(1) .line")))
	s.settle()
	s.want(page+`.querySelector(".turn pre .marker").textContent`, "[rid:00000000000a]")
	s.wantPart(page+`.querySelector(".turn pre").textContent`, "38,000 of 46,000 characters are left out")
	s.wantPart(`document.getElementById("notes").textContent`, "texts are cut to 8000 characters")
	s.do(chromedp.Click(chromedp.CSS("#view .turn:nth-of-type(3) .line")))
	s.settle()
	s.want(page+`.querySelector(".turn:nth-of-type(3) summary").textContent`, "3 messages kept from earlier turns, 4,260 tokens")
	s.want(page+`.querySelectorAll(".turn:nth-of-type(3) .message.new").length`, "2")
	s.run(page + `.querySelector(".turn:nth-of-type(3) details").open = true`)
	s.settle()
	s.want(page+`.querySelectorAll(".turn:nth-of-type(3) .message").length`, "5")
	s.wantPart(`location.hash`, "turn=2")
	s.shot("messages-turn")
	s.quiet()
}

func TestTurnMessagesSearchTreeAndKeys(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.open(messagePage(t, talk()), "")
	s.want(`document.querySelectorAll("#tree button").length`, "2")
	s.run(`document.getElementById("roots").click()`)
	s.want(`document.querySelectorAll("#tree button").length`, "1")
	s.run(`document.getElementById("roots").click()`)
	s.choose("search", "file 1.3")
	s.wantPart(`document.getElementById("found").textContent`, "1 of 1 turns")
	s.want(page+`.querySelector("h2").textContent`, "alpha::sa:1")
	s.want(page+`.querySelector(".here mark").textContent`, "file 1.3")
	s.wantPart(`location.hash`, "q=file+1.3")
	s.choose("search", "<img src=x")
	s.wantPart(`document.getElementById("found").textContent`, "1 of 33 turns")
	s.run(`document.activeElement.blur()`)
	s.do(chromedp.KeyEvent("n"))
	s.settle()
	s.wantPart(`document.getElementById("found").textContent`, "2 of 33 turns")
	s.do(chromedp.KeyEvent("/"), chromedp.KeyEvent(kb.Escape))
	s.quiet()
}
