package filler

import (
	"fmt"
	"strings"

	"agentx/internal/synth/draw"
)

// writer writes fragments of text with names drawn from a generator. A fragment has its own few
// names and uses them again and again, as real files do.
type writer struct {
	*draw.Generator
	text  strings.Builder
	local []string // nouns of the fragment at hand
}

func (w *writer) f(format string, arguments ...any) { fmt.Fprintf(&w.text, format, arguments...) }

// begin draws the names of a new fragment.
func (w *writer) begin() {
	w.local = w.local[:0]
	for range w.Between(4, 9) {
		w.local = append(w.local, w.Of(nouns))
	}
}

// noun is mostly one of the fragment's own.
func (w *writer) noun() string {
	if w.Chance(70) {
		return w.Of(w.local)
	}
	return w.Of(nouns)
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// camel is a name like pendingBatch or loadStaleCursor.
func (w *writer) camel() string {
	switch w.Below(4) {
	case 0:
		return w.noun()
	case 1:
		return w.Of(adjectives) + upperFirst(w.noun())
	case 2:
		return w.noun() + upperFirst(w.noun())
	}
	return w.Of(verbs) + upperFirst(w.noun())
}

// action is a function name in camel case.
func (w *writer) action() string {
	name := w.Of(verbs)
	if w.Chance(60) {
		name += upperFirst(w.Of(adjectives))
	}
	return name + upperFirst(w.noun())
}

// typeName is a name like BatchWriter.
func (w *writer) typeName() string { return upperFirst(w.noun()) + upperFirst(w.Of(nouns)) }

// snake is a name like pending_batch.
func (w *writer) snake() string {
	switch w.Below(3) {
	case 0:
		return w.noun()
	case 1:
		return w.Of(adjectives) + "_" + w.noun()
	}
	return w.noun() + "_" + w.noun()
}

func (w *writer) snakeAction() string {
	name := w.Of(verbs) + "_" + w.noun()
	if w.Chance(40) {
		name = w.Of(verbs) + "_" + w.Of(adjectives) + "_" + w.noun()
	}
	return name
}

// path is a file name with one to three folders.
func (w *writer) path() string {
	path := w.Of(folders) + "/"
	for range w.Below(3) {
		path += w.noun() + "/"
	}
	return path + w.snake() + "." + w.Of(suffixes)
}

func (w *writer) hex(digits int) string {
	var text strings.Builder
	for range digits {
		text.WriteByte("0123456789abcdef"[w.Below(16)])
	}
	return text.String()
}

func (w *writer) clock() string {
	return fmt.Sprintf("%02d:%02d:%02d.%03d", w.Below(24), w.Below(60), w.Below(60), w.Below(1000))
}

// phrase is a noun with an article and perhaps an adjective.
func (w *writer) phrase() string {
	text := w.Of([]string{"the", "the", "the", "a", "each", "this", "every", "its"}) + " "
	if w.Chance(50) {
		text += w.Of(adjectives) + " "
	}
	text += w.noun()
	if w.Chance(25) {
		text += " " + w.Of(nouns)
	}
	return text
}

// clause is subject, verb, object.
func (w *writer) clause() string {
	text := w.phrase() + " " + w.Of([]string{"must", "should", "can", "will", "may", "does not", "cannot", "has to", "would"}) + " "
	if w.Chance(30) {
		text += w.Of(adverbs) + " "
	}
	text += w.Of(verbs) + " " + w.phrase()
	if w.Chance(40) {
		text += w.Of([]string{" of ", " for ", " in ", " from ", " with ", " before ", " after "}) + w.phrase()
	}
	return text
}

// sentence begins with a capital and ends with a full stop.
func (w *writer) sentence() string {
	text := w.clause()
	switch w.Below(4) {
	case 0:
		text += ", " + w.Of(connects) + " " + w.clause()
	case 1:
		text = w.Of(connects) + " " + w.clause() + ", " + text
	case 2:
		text += fmt.Sprintf(" and %s %s", w.Of(verbs), w.phrase())
	}
	return upperFirst(text) + "."
}
