package wire

// ChunkClass says what a streamed piece carried.
type ChunkClass uint8

// The classes of chunks. Numbers are stable: logs store them.
const (
	ChunkRole      ChunkClass = 1 // an opening delta without content
	ChunkReasoning ChunkClass = 2
	ChunkText      ChunkClass = 3
	ChunkTool      ChunkClass = 4 // name or argument text of a tool call
	ChunkUsage     ChunkClass = 5 // usage without content
	ChunkDone      ChunkClass = 6 // [DONE]
	ChunkKeepAlive ChunkClass = 7 // comment, ping, empty data
	ChunkError     ChunkClass = 8
	ChunkOther     ChunkClass = 9 // anything else, such as a finish reason alone
)

var chunkNames = [...]string{"", "role", "reasoning", "text", "tool", "usage", "done", "keep_alive", "error", "other"}

func (c ChunkClass) String() string {
	if int(c) < len(chunkNames) {
		return chunkNames[c]
	}
	return "unknown"
}

// Content tells whether the class is output that the user would see or that counts as tokens: a first
// chunk of such a class is the first token.
func (c ChunkClass) Content() bool {
	return c == ChunkReasoning || c == ChunkText || c == ChunkTool
}

// Chunk is one streamed piece. An event that carries several kinds of content, or several choices, gives
// one Chunk for each, in the order of the event; WireBytes are all on the first.
type Chunk struct {
	At         int64 // ns: arrival of the read that completed the event
	WireBytes  int32 // bytes of the stream since the chunk before
	TextBytes  int32 // bytes of output text, after unescaping
	Completion int32 // running completion tokens as the server reports them, -1 where it does not
	Choice     int32 // index of the choice
	Class      ChunkClass
	// Part marks a further kind of content of the same choice and event as the chunk before; it does not
	// count as a chunk of its own.
	Part bool
}

// ChunkCounts counts the pieces of an answer by class.
type ChunkCounts struct {
	Role, Reasoning, Text, Tool, Usage, Done, KeepAlive, Error, Other int
}

// Content is the number of chunks with output.
func (c ChunkCounts) Content() int { return c.Reasoning + c.Text + c.Tool }

func (c *ChunkCounts) add(class ChunkClass) {
	switch class {
	case ChunkRole:
		c.Role++
	case ChunkReasoning:
		c.Reasoning++
	case ChunkText:
		c.Text++
	case ChunkTool:
		c.Tool++
	case ChunkUsage:
		c.Usage++
	case ChunkDone:
		c.Done++
	case ChunkKeepAlive:
		c.KeepAlive++
	case ChunkError:
		c.Error++
	default:
		c.Other++
	}
}
