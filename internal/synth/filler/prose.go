package filler

import "strings"

// prose writes what an assistant or a user says about the work.
func (w *writer) prose() {
	if w.Chance(30) {
		w.f("## %s %s %s\n\n", upperFirst(w.Of(verbs)), w.phrase(), w.Of([]string{"again", "first", "in place", "by hand", "in parallel"}))
	}
	for range w.Between(1, 3) {
		for i := range w.Between(2, 5) {
			if i > 0 {
				w.f(" ")
			}
			w.f("%s", w.sentence())
		}
		w.f("\n\n")
	}
	if w.Chance(50) {
		for i := range w.Between(2, 6) {
			switch w.Below(3) {
			case 0:
				w.f("- `%s` in `%s`: %s\n", w.camel(), w.path(), w.clause())
			case 1:
				w.f("%d. %s\n", i+1, w.sentence())
			default:
				w.f("- %s %s; %s (see line %d)\n", upperFirst(w.Of(verbs)), w.phrase(), w.clause(), w.Between(1, 2000))
			}
		}
		w.f("\n")
	}
}

// logLines writes lines of a service's log.
func (w *writer) logLines() {
	service := w.noun() + "-" + w.noun()
	for range w.Between(6, 16) {
		switch w.Below(4) {
		case 0:
			w.f("%s %-5s [%s] %s %s: %s=%d %s=%s\n", w.clock(), w.Of(levels), service, w.Of(verbs), w.phrase(), w.snake(), w.Below(100000), w.noun(), w.hex(8))
		case 1:
			w.f("%s %-5s [%s] %s took %d ms (%s)\n", w.clock(), w.Of(levels), service, w.action(), w.Below(9000), w.clause())
		case 2:
			w.f("%s %-5s [%s] GET /%s/%s/%d %d %dms\n", w.clock(), w.Of(levels), service, w.noun(), w.snake(), w.Below(100000), w.Between(200, 504), w.Below(3000))
		default:
			w.f("%s %-5s [%s] %s\n", w.clock(), w.Of(levels), service, w.clause())
		}
	}
	w.f("\n")
}

// testOutput writes what a test run prints.
func (w *writer) testOutput() {
	w.f("$ %s %s\n", w.Of(commands), w.path())
	for range w.Between(4, 12) {
		switch w.Below(4) {
		case 0:
			w.f("=== RUN   Test%s\n--- PASS: Test%s (%d.%02ds)\n", upperFirst(w.action()), upperFirst(w.action()), w.Below(9), w.Below(100))
		case 1:
			w.f("--- FAIL: Test%s (%d.%02ds)\n    %s:%d: %s: got %d, want %d because %s\n", upperFirst(w.action()), w.Below(9), w.Below(100), w.path(), w.Between(10, 900), w.camel(), w.Below(1000), w.Below(1000), w.clause())
		case 2:
			w.f("%s::test_%s PASSED [%d%%] and %s\n", w.path(), w.snakeAction(), w.Between(1, 100), w.clause())
		default:
			w.f("ok  \tproject/%s/%s\t%d.%03ds after %s %s\n", w.Of(folders), w.noun(), w.Below(30), w.Below(1000), w.Of(verbs), w.phrase())
		}
	}
	w.f("\n")
}

// traceback writes a stack trace.
func (w *writer) traceback() {
	w.f("Traceback (most recent call last):\n")
	for range w.Between(2, 6) {
		w.f("  File \"/home/dev/%s\", line %d, in %s\n    %s = self.%s.%s(%s, %s=%d)\n", w.path(), w.Between(3, 1200), w.snakeAction(), w.snake(), w.noun(), w.snakeAction(), w.snake(), w.snake(), w.Below(64))
	}
	w.f("%sError: %s while %s tried to %s %s\n\n", upperFirst(w.noun()), w.clause(), w.phrase(), w.Of(verbs), w.phrase())
}

// search writes what grep and directory listings print.
func (w *writer) search() {
	name := w.camel()
	w.f("$ rg -n %s %s\n", name, w.Of(folders))
	for range w.Between(4, 12) {
		w.f("%s:%d:\t%s(%s, %s) // %s\n", w.path(), w.Between(1, 1500), name, w.camel(), w.camel(), w.clause())
	}
	if w.Chance(50) {
		w.f("$ ls -la %s\ntotal %d\n", w.Of(folders), w.Below(900))
		for range w.Between(3, 8) {
			w.f("-rw-r--r-- 1 dev dev %6d %s %2d %02d:%02d %s\n", w.Below(200000), w.Of(strings.Fields("Jan Feb Mar Apr May Jun")), w.Between(1, 28), w.Below(24), w.Below(60), w.snake()+"."+w.Of(suffixes))
		}
	}
	w.f("\n")
}

// jsonResult writes the result of a tool call.
func (w *writer) jsonResult() {
	w.f("{\n  \"%s\": \"%s\",\n  \"items\": [\n", w.snake(), w.sentence())
	count := w.Between(2, 6)
	for i := range count {
		comma := ","
		if i == count-1 {
			comma = ""
		}
		w.f("    {\"id\": \"%s\", \"%s\": %d, \"%s\": \"%s\", \"description\": \"%s\", \"%s\": %s}%s\n", w.hex(8), w.snake(), w.Below(100000), w.snake(), w.path(), w.clause(), w.snake(), w.Of([]string{"true", "false", "null"}), comma)
	}
	w.f("  ],\n  \"total\": %d\n}\n\n", w.Below(5000))
}

// settings writes YAML.
func (w *writer) settings() {
	w.f("# %s\n%s:\n", w.sentence(), w.noun())
	for range w.Between(2, 5) {
		w.f("  %s:\n    %s: %d\n    %s: \"%s\" # %s\n    enabled: %s\n", w.snake(), w.snake(), w.Below(10000), w.snake(), w.phrase(), w.clause(), w.Of([]string{"true", "false"}))
		if w.Chance(40) {
			w.f("    license: %s\n    day: %s\n", w.Of(licenses), w.Of(weekdays))
		}
	}
	w.f("\n")
}

// plainWords writes a paragraph of the other style: words and full stops, nothing else.
func (w *writer) plainWords() {
	lists := [][]string{nouns, verbs, adjectives, adverbs, connects, nouns}
	for range w.Between(3, 8) {
		for i := range w.Between(6, 14) {
			word := w.Of(lists[w.Below(len(lists))])
			if i == 0 {
				word = upperFirst(word)
			} else {
				w.f(" ")
			}
			w.f("%s", word)
		}
		w.f(".")
		w.f("%s", w.Of([]string{" ", " ", "\n"}))
	}
	w.f("\n\n")
}
