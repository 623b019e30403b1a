package run

import (
	"strings"

	"agentx/internal/prompt"
	"agentx/sched"
)

// tokenCounter counts the tokens of a text as the bundle's tokenizer does.
type tokenCounter interface {
	Count(text string) int
}

// marking makes the text of a tree's cache-bust marker.
type marking struct {
	target  sched.CacheBust
	counter tokenCounter
}

// mark gives the JSON-escaped text of the marker and its tokens; nothing for a tree without one.
func (m marking) mark(digits string) (escaped []byte, tokens int64) {
	text := prompt.Marker(m.target, digits)
	if text == "" {
		return nil, 0
	}
	return []byte(strings.ReplaceAll(text, "\n", `\n`)), int64(m.counter.Count(text))
}
