package messages

import (
	"fmt"
	"unicode/utf8"

	"agentx/corpus"
	"agentx/internal/view/page"
)

// builder collects the page's data within limits.
type builder struct {
	input  *Input
	limits Limits
	out    payload
	texts  map[string]int  // whole text → index
	plans  map[planKey]int // → index in out.Plans
	opened map[corpus.TraceID]opening
	left   leftOut
}

type planKey struct {
	trace        corpus.TraceID
	conversation int
}

type opening struct {
	text TraceText
	err  error
}

// leftOut counts what the limits keep from the page.
type leftOut struct{ conversations, turns, cut int }

func build(input *Input, limits Limits) payload {
	b := &builder{input: input, limits: limits, texts: map[string]int{}, plans: map[planKey]int{}, opened: map[corpus.TraceID]opening{}}
	b.out = payload{
		Title: page.Visible(input.Title), Source: page.Visible(input.Source), HasTexts: input.Texts != nil,
		Limits: map[string]int{"conversations": limits.Conversations, "turns": limits.Turns, "content": limits.Content},
	}
	shown := 0
	for i := range input.Plays {
		b.play(&input.Plays[i], &shown)
	}
	b.notes(shown)
	return b.out
}

// play adds a play with as many of its conversations as the limit still allows, parents first.
func (b *builder) play(play *Play, shown *int) {
	out := playPayload{
		ID: play.ID, Lane: play.Lane, Trace: page.Visible(string(play.Trace)), Replay: play.Replay, Marker: page.Visible(play.Marker),
		Opened: between(b.input.Origin, play.Opened),
	}
	place := make([]int, len(play.Streams)) // index among those shown
	for s := range play.Streams {
		place[s] = -1
		stream := &play.Streams[s]
		if len(stream.Turns) == 0 {
			continue // it never sent anything: the swim-lane shows it, here is nothing to see
		}
		if b.limits.Conversations > 0 && *shown >= b.limits.Conversations {
			b.left.conversations++
			continue
		}
		*shown++
		parent := -1
		if stream.Parent >= 0 {
			parent = place[stream.Parent]
		}
		place[s] = len(out.Streams)
		out.Streams = append(out.Streams, b.stream(play, stream, parent))
	}
	if len(out.Streams) > 0 {
		b.out.Plays = append(b.out.Plays, out)
	}
}

func (b *builder) stream(play *Play, stream *Stream, parent int) streamPayload {
	turns := stream.Turns
	if b.limits.Turns > 0 && len(turns) > b.limits.Turns {
		b.left.turns += len(turns) - b.limits.Turns
		turns = turns[:b.limits.Turns]
	}
	out := streamPayload{
		ID: stream.ID, Name: page.Visible(stream.Name), Kind: page.Visible(stream.Kind), Depth: stream.Depth, Parent: parent, Fate: stream.Fate,
		Plan: b.plan(play.Trace, stream.Conversation, turns[len(turns)-1].Index), Hidden: len(stream.Turns) - len(turns),
	}
	for i := range turns {
		out.Turns = append(out.Turns, b.sent(&turns[i]))
	}
	return out
}

func (b *builder) sent(turn *Turn) sentPayload {
	out := sentPayload{
		Turn: turn.Index, Phase: turn.Phase, Outcome: page.Visible(turn.Outcome), Error: page.VisibleLines(turn.Error), Failed: turn.Failed,
		Start: between(b.input.Origin, turn.Start), First: between(turn.Start, turn.FirstToken), End: between(turn.Start, turn.End),
		Input: known(turn.Input), Output: known(turn.Output), Reasoning: known(turn.Reasoning), Cached: known(turn.Cached),
		Theory: known(turn.Theory), Reach: known(turn.Reach), MaxTokens: known(turn.MaxTokens), Late: between(0, turn.Late),
		HTTP: turn.HTTPStatus, Finish: page.Visible(turn.Finish), RequestID: page.Visible(turn.RequestID), Response: -1,
	}
	if turn.Exchange >= 0 {
		out.Exchange = &turn.Exchange
		if b.input.Responses != nil {
			if answer, stored := b.input.Responses.Response(turn.Exchange); stored {
				out.Response = b.text(answer)
			}
		}
	}
	return out
}

// plan gives the number of a conversation's structure, up to the given turn; -1 where the log has none.
func (b *builder) plan(trace corpus.TraceID, conversation, last int) int {
	plan := b.input.Plans[trace]
	if plan == nil || conversation < 0 || conversation >= len(plan.Conversations) {
		return -1
	}
	key := planKey{trace, conversation}
	at, made := b.plans[key]
	if !made {
		at = len(b.out.Plans)
		b.plans[key] = at
		b.out.Plans = append(b.out.Plans, planPayload{Name: page.Visible(string(plan.Conversations[conversation].ID))})
	}
	planned := &plan.Conversations[conversation]
	for t := len(b.out.Plans[at].Turns); t <= last && t < len(planned.Turns); t++ {
		turn := b.turn(trace, conversation, planned, t)
		b.out.Plans[at].Turns = append(b.out.Plans[at].Turns, turn)
	}
	return at
}

func (b *builder) turn(trace corpus.TraceID, conversation int, planned *corpus.Conversation, t int) turnPayload {
	turn := &planned.Turns[t]
	out := turnPayload{
		Keep: turn.Keep, In: turn.In, Out: turn.Out, Hit: turn.HitTokens, Marked: -1,
		InputIs: page.Visible(string(turn.Input)), Recorded: page.Visible(turn.Stop),
	}
	if turn.GapMs.Present() {
		us := int64(float64(turn.GapMs) * 1000)
		out.GapUs = &us
	}
	if b.input.Marking != nil {
		out.Marked, out.MarkEnd = b.input.Marking.Place(planned, t)
	}
	source := b.open(trace)
	for m := range turn.New {
		planned := &turn.New[m]
		shown := message{Role: page.Visible(string(planned.Role)), Tokens: planned.Tokens, Tool: planned.ToolCall, Text: -1}
		if source != nil {
			if content, found := source.Text(conversation, t, m); found {
				shown.Text = b.text(content)
			}
		}
		out.New = append(out.New, shown)
	}
	return out
}

// open gives the texts of a trace, nil where there are none. A failure is noted once.
func (b *builder) open(trace corpus.TraceID) TraceText {
	if b.input.Texts == nil {
		return nil
	}
	known, done := b.opened[trace]
	if !done {
		known.text, known.err = b.input.Texts.Trace(trace)
		b.opened[trace] = known
		if known.err != nil {
			b.out.Notes = append(b.out.Notes, page.Visible(fmt.Sprintf("no texts of trace %s: %v", trace, known.err)))
		}
	}
	if known.err != nil {
		return nil
	}
	return known.text
}

// text gives the number of a text, storing it where it is new.
func (b *builder) text(whole string) int {
	if at, stored := b.texts[whole]; stored {
		return at
	}
	at := len(b.out.Texts)
	b.texts[whole] = at
	shown, length := cut(whole, b.limits.Content)
	if len(shown) < len(whole) {
		b.left.cut++
	}
	b.out.Texts = append(b.out.Texts, text{Shown: page.VisibleLines(shown), Length: length})
	return at
}

// cut gives the first limit characters of a text (all of them for 0) and how many it has.
func cut(whole string, limit int) (shown string, length int) {
	length = utf8.RuneCountInString(whole)
	if limit <= 0 || length <= limit {
		return whole, length
	}
	seen := 0
	for at := range whole {
		if seen == limit {
			return whole[:at], length
		}
		seen++
	}
	return whole, length
}

// notes say what the page shows and what it leaves out.
func (b *builder) notes(shown int) {
	note := func(format string, values ...any) { b.out.Notes = append(b.out.Notes, fmt.Sprintf(format, values...)) }
	for _, given := range b.input.Notes {
		b.out.Notes = append(b.out.Notes, page.Visible(given))
	}
	if b.input.Texts == nil {
		why := b.input.WithoutTexts
		if why == "" {
			why = "no bundle was given"
		}
		note("structure, roles and tokens only, without texts: %s", page.Visible(why))
	}
	if b.input.Responses == nil {
		note("answers were not stored (--export-level raw stores them): the assistant messages are the recording's")
	}
	if n := b.left.conversations; n > 0 {
		note("%d of %d conversations are left out (-n %d)", n, n+shown, b.limits.Conversations)
	}
	if n := b.left.turns; n > 0 {
		note("%d turns are left out: only the first %d of a conversation are here (--max-turns)", n, b.limits.Turns)
	}
	if n := b.left.cut; n > 0 {
		note("%d of %d texts are cut to %d characters (--content-cap)", n, len(b.out.Texts), b.limits.Content)
	}
}
