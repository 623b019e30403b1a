package chat

// Chunk is what one JSON object of an answer says. Its slices are valid until the parser's next Parse.
type Chunk struct {
	Model   []byte
	Choices []Choice
	// Whole says that a choice carried a message in place of a delta: an answer that is not streamed.
	Whole    bool
	Usage    Usage
	HasUsage bool // a usage object that says something
	// Failed says that the object is an error; the other Error fields are as far as it tells.
	Failed       bool
	ErrorType    []byte
	ErrorMessage []byte
	ErrorCode    int64 // numeric code, Unset where there is none
}

// Choice is the part of one choice in a chunk. Empty fields are nil or empty.
type Choice struct {
	Index     int
	Role      bool // a role was named
	Text      []byte
	Reasoning []byte
	Tool      []byte // names and arguments of tool calls
	Finish    []byte // as sent; empty: not finished
}

// Parser reads chunks. The zero value is ready; it is not safe for concurrent use.
type Parser struct {
	walk  walker
	chunk Chunk
}

// Parse reads one JSON text. It gives false where the text is no JSON object.
func (p *Parser) Parse(text []byte) (*Chunk, bool) {
	w, c := &p.walk, &p.chunk
	*w = walker{text: text, scratch: w.scratch[:0]}
	*c = Chunk{Choices: c.Choices[:0], ErrorCode: Unset}
	if w.peek() != '{' {
		return nil, false
	}
	p.root()
	if w.peek() != 0 || w.bad {
		return nil, false
	}
	return c, true
}

func (p *Parser) root() {
	w, c := &p.walk, &p.chunk
	var flat failure
	w.open('{')
	for first := true; w.more('}', &first); {
		switch string(w.key()) {
		case "choices":
			p.choices()
		case "model":
			c.Model = w.textOrSkip()
		case "usage", "usageMetadata":
			if usage, ok := w.usage(); ok {
				c.Usage, c.HasUsage = usage, true
			}
		case "error":
			if !w.isFalse() {
				c.Failed = true
				w.failure(&flat)
			}
		case "object", "type":
			// "type" is the kind of a flat error too, and comes after "object" or before it
			if text := w.textOrSkip(); string(text) == "error" {
				c.Failed = true
			} else if flat.kind == nil {
				flat.kind = text
			}
		case "message":
			if text := w.textOrSkip(); flat.message == nil {
				flat.message = text
			}
		case "code":
			if code, ok := w.code(); ok && !flat.hasCode {
				flat.code, flat.hasCode = code, true
			}
		default:
			w.skip()
		}
	}
	if c.Failed {
		c.ErrorType, c.ErrorMessage = flat.kind, flat.message
		if flat.hasCode {
			c.ErrorCode = flat.code
		}
	}
}

// failure is what an error says; nested is set by an error member, which wins over flat members.
type failure struct {
	kind, message []byte
	code          int64
	hasCode       bool
}

// failure reads the value of an error member: an object, or a text.
func (w *walker) failure(f *failure) {
	switch w.peek() {
	case '"':
		f.message = w.text0()
	case '{':
		*f = failure{}
		w.open('{')
		for first := true; w.more('}', &first); {
			switch string(w.key()) {
			case "message":
				f.message = w.textOrSkip()
			case "type":
				f.kind = w.textOrSkip()
			case "code":
				f.code, f.hasCode = w.code()
			default:
				w.skip()
			}
		}
	default:
		w.skip()
	}
}

// code reads a numeric code, also one written as a text.
func (w *walker) code() (int64, bool) {
	if w.peek() != '"' {
		return w.integer()
	}
	text := w.text0()
	if len(text) == 0 || len(text) > 9 {
		return 0, false
	}
	var n int64
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
