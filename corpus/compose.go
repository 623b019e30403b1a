package corpus

// composer makes the prompts of one conversation, turn by turn (spec reconstruction 5).
type composer struct {
	b        *builder
	stream   *stream
	shapes   []shape
	caps     []int
	segments []segment
	messages []draft // of the turn before
	fresh    []draft // scratch, of this turn
}

// draft is a message with its place in the prompt, so that it can be compared and laid out.
type draft struct {
	Message
	start, count int // blocks of the prompt
	fills, tail  int
	turn         int // that fills and tail belong to
}

// compose fills keep, messages, reset and emitted of every turn, and lays out the messages.
func (b *builder) compose(s *stream, turns []Turn) [][]Content {
	c := composer{b: b, stream: s, shapes: shapes(s.calls, b.block)}
	c.caps = planningCaps(c.shapes)
	contents := make([][]Content, len(turns))
	for k := range turns {
		emitted, disturbed := len(c.segments), -1
		if k == 0 {
			c.open()
		} else {
			disturbed = c.advance(k, turns[k].Input)
		}
		unchanged := len(c.segments) == emitted && disturbed < 0
		reset := k > 0 && (unchanged || disturbed >= 0 && disturbed < emitted)
		from := emitted
		if reset {
			from = 0
		}
		c.settleMarks(from)
		c.emit(&turns[k], k, reset)
		if unchanged {
			b.facts.UnchangedTurns++
		}
		if last := len(c.segments) - 1; c.segments[last].role != RoleUser {
			b.facts.NonUserEnds++
		}
		contents[k] = b.layOut(s.calls[k].Blocks, c.messages[turns[k].Keep:])
	}
	return contents
}

// open makes the segments of turn 0: the declared system part in whole blocks, then the user's.
func (c *composer) open() {
	s := &c.shapes[0]
	request := c.stream.calls[0].Request
	system := c.b.blocksOf(c.stream.tool + c.stream.system)
	if system > int64(len(request.Blocks)) {
		c.b.facts.NoSystem++ // decision 7, Q-10: its tokens stay the user's
		system = 0
	}
	count := min(int(system), s.covered)
	if count > 0 {
		c.segments = append(c.segments, segment{role: RoleSystem, count: count})
	}
	if s.covered > count || !s.bareEnd() || count == 0 {
		c.segments = append(c.segments, segment{role: RoleUser, start: count, count: s.covered - count,
			fills: s.fills, tail: s.tail})
	}
}

// advance makes the segments of turn k from those of the turn before and returns the first one that
// was disturbed.
func (c *composer) advance(k int, input InputKind) int {
	s := &c.shapes[k]
	var disturbed int
	c.segments, disturbed = truncate(c.segments, s.shared)
	assistant := c.assistantBlocks(k)
	if assistant > 0 {
		c.segments = append(c.segments, segment{role: RoleAssistant, start: s.shared, count: assistant})
	}
	if s.fresh > assistant || !s.bareEnd() {
		user := segment{role: RoleUser, start: s.shared + assistant, count: s.fresh - assistant,
			fills: s.fills, tail: s.tail, turn: k}
		if c.b.options.ToolShaped && input == InputToolResult {
			user.mark = k + 1
		}
		c.segments = append(c.segments, user)
	}
	return disturbed
}

// assistantBlocks is how many of the new blocks were the answer to the turn before (spec
// reconstruction 5.4.4).
func (c *composer) assistantBlocks(k int) int {
	s := &c.shapes[k]
	userLeft := false
	for i := range c.segments {
		userLeft = userLeft || c.segments[i].role == RoleUser
	}
	if !userLeft {
		return 0
	}
	answer := c.b.blocksOf(c.stream.calls[k-1].Out)
	count := min(int(min(answer, int64(s.fresh))), c.caps[k])
	if s.bareEnd() && count == s.fresh && count > 0 {
		count--
	}
	return count
}

// settleMarks clears the tool marks of the emitted segments that do not follow an emitted assistant
// (spec reconstruction 5.9.2).
func (c *composer) settleMarks(from int) {
	for i := from; i < len(c.segments); i++ {
		if c.segments[i].mark > 0 && (i == from || c.segments[i-1].role != RoleAssistant) {
			c.segments[i].mark = 0
		}
	}
}

// emit writes the messages of turn k as the difference to those of the turn before.
func (c *composer) emit(turn *Turn, k int, reset bool) {
	c.fresh = c.drafts(c.fresh[:0])
	keep := 0
	for keep < min(len(c.fresh), len(c.messages)) && c.fresh[keep] == c.messages[keep] &&
		c.fresh[keep].start+c.fresh[keep].count <= c.shapes[k].shared {
		keep++
	}
	c.fresh, c.messages = c.messages, c.fresh
	turn.Keep = keep
	turn.New = make([]Message, 0, len(c.messages)-keep)
	for i := keep; i < len(c.messages); i++ {
		turn.New = append(turn.New, c.messages[i].Message)
	}
	// Merging can change a message that the peer would leave alone; then the history is replaced too.
	turn.Reset = reset || keep < len(c.fresh)
	turn.Emitted = len(c.messages)
	if !turn.Reset {
		turn.Emitted -= keep
	}
}

// drafts turns the segments into messages.
func (c *composer) drafts(into []draft) []draft {
	for i := range c.segments {
		s := &c.segments[i]
		next := draft{start: s.start, count: s.count, fills: s.fills, tail: s.tail}
		if !s.bare() {
			next.turn = s.turn
		}
		next.Role = s.role
		next.Tokens = int64(int64(s.count+s.fills)*int64(c.b.block)) + int64(s.tail)
		switch {
		case s.mark > 0:
			next.Role, next.ToolCall = RoleTool, s.mark
		case i+1 < len(c.segments) && c.segments[i+1].mark > 0:
			next.ToolCall = c.segments[i+1].mark
		}
		if n := len(into); n > 0 && c.b.options.AdjacentRoles == AdjacentMerge &&
			next.Role != RoleTool && into[n-1].Role == next.Role {
			into[n-1].merge(next)
			continue
		}
		into = append(into, next)
	}
	return into
}

// merge takes the message that follows into this one. Only the last message of a prompt has fills or a
// tail, so the joined text is still blocks, then fills, then a tail.
func (d *draft) merge(next draft) {
	d.Tokens += next.Tokens
	d.count += next.count
	d.fills, d.tail, d.turn = next.fills, next.tail, next.turn
	d.ToolCall = max(d.ToolCall, next.ToolCall)
}

// layOut lists the windows of the messages of a turn whose ids are blocks.
func (b *builder) layOut(blocks []Block, messages []draft) []Content {
	contents := make([]Content, len(messages))
	for i := range messages {
		m := &messages[i]
		content := &contents[i]
		for _, block := range blocks[m.start : m.start+m.count] {
			content.add(b.ranks[block], 1)
		}
		for range m.fills {
			content.add(b.unique(b.block), 1)
		}
		if m.tail > 0 {
			content.HasTail, content.Tail = true, b.unique(m.tail)
		}
	}
	return contents
}

// unique gives a rank to a window of text that has no id.
func (b *builder) unique(tokens int) Rank {
	b.layout.Unique = append(b.layout.Unique, uint16(tokens))
	return Rank(b.layout.Ranks() - 1)
}

// add appends count windows from rank first.
func (c *Content) add(first Rank, count uint32) {
	if n := len(c.Spans); n > 0 && c.Spans[n-1].First+Rank(c.Spans[n-1].Count) == first {
		c.Spans[n-1].Count += count
		return
	}
	c.Spans = append(c.Spans, Span{first, count})
}
