package chat

// maxIndex bounds the choices that are told apart.
const maxIndex = 1 << 16

func (p *Parser) choices() {
	w := &p.walk
	if w.peek() != '[' {
		w.skip()
		return
	}
	w.open('[')
	for first := true; w.more(']', &first); {
		if w.peek() != '{' {
			w.skip()
			continue
		}
		p.choice()
	}
}

func (p *Parser) choice() {
	w := &p.walk
	var c Choice
	var plain []byte
	w.open('{')
	for first := true; w.more('}', &first); {
		switch string(w.key()) {
		case "index":
			if n, ok := w.integer(); ok && n < maxIndex {
				c.Index = int(n)
			}
		case "delta":
			w.delta(&c)
		case "message":
			p.chunk.Whole = p.chunk.Whole || w.peek() == '{'
			w.delta(&c)
		case "text": // the older completions answer
			plain = w.textOrSkip()
		case "finish_reason":
			c.Finish = w.textOrSkip()
		default:
			w.skip()
		}
	}
	if len(c.Text) == 0 {
		c.Text = plain
	}
	p.chunk.Choices = append(p.chunk.Choices, c)
}

// delta reads a delta or a message; anything but an object is nothing.
func (w *walker) delta(c *Choice) {
	if w.peek() != '{' {
		w.skip()
		return
	}
	var reasoning []byte
	w.open('{')
	for first := true; w.more('}', &first); {
		switch string(w.key()) {
		case "content":
			c.Text = w.content()
		case "reasoning_content":
			c.Reasoning = w.textOrSkip()
		case "reasoning":
			reasoning = w.textOrSkip()
		case "tool_calls":
			c.Tool = w.toolCalls()
		case "role":
			c.Role = len(w.textOrSkip()) > 0
		default:
			w.skip()
		}
	}
	if len(c.Reasoning) == 0 {
		c.Reasoning = reasoning
	}
}

// content reads a text, or the texts of a list of parts.
func (w *walker) content() (text []byte) {
	if w.peek() != '[' {
		return w.textOrSkip()
	}
	w.open('[')
	for first := true; w.more(']', &first); {
		if w.peek() != '{' {
			w.skip()
			continue
		}
		w.open('{')
		for first := true; w.more('}', &first); {
			if string(w.key()) == "text" {
				text = w.join(text, w.textOrSkip())
			} else {
				w.skip()
			}
		}
	}
	return text
}

// toolCalls joins the names and arguments of a list of calls, in its order.
func (w *walker) toolCalls() (text []byte) {
	if w.peek() != '[' {
		w.skip()
		return nil
	}
	w.open('[')
	for first := true; w.more(']', &first); {
		if w.peek() != '{' {
			w.skip()
			continue
		}
		w.open('{')
		for first := true; w.more('}', &first); {
			if string(w.key()) == "function" {
				text = w.join(text, w.function())
			} else {
				w.skip()
			}
		}
	}
	return text
}

// function gives name and arguments of one call. Arguments that are an object, not a text, count as
// written.
func (w *walker) function() []byte {
	if w.peek() != '{' {
		w.skip()
		return nil
	}
	var name, arguments []byte
	w.open('{')
	for first := true; w.more('}', &first); {
		switch string(w.key()) {
		case "name":
			name = w.textOrSkip()
		case "arguments":
			if w.peek() == '{' {
				start := w.at
				w.skip()
				arguments = w.text[start:w.at]
			} else {
				arguments = w.textOrSkip()
			}
		default:
			w.skip()
		}
	}
	return w.join(name, arguments)
}
