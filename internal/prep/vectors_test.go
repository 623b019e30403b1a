package prep

import (
	"strings"
	"testing"
)

// TestTextVectors are the cases in which text of exact counts is hard to make; all in one bundle.
func TestTextVectors(t *testing.T) {
	b := openSample(t)
	t.Run("the same id mid-message, then first in a message, then after the marker", func(t *testing.T) {
		first, _ := b.prompt(t, "same_id", 0, 0)
		second, _ := b.prompt(t, "same_id", 0, 1)
		words := strings.Split(second[0], " ")
		if !strings.Contains(first[0], " "+words[0]) || strings.HasPrefix(second[0], " ") {
			t.Fatalf("block 2 begins %q and is not in %q", words[0], first[0])
		}
		block := second[0][:strings.Index(second[0], sharedEnd(first[0], second[0]))+len(sharedEnd(first[0], second[0]))]
		if len(block) < 64 {
			t.Errorf("only %d bytes of block 2 are the same in both messages", len(block))
		}
		if got := b.tokenizer.Count(sampleMarker + second[0]); got != b.tokenizer.Count(sampleMarker)+128 {
			t.Errorf("after the marker: %d tokens", got)
		}
	})
	t.Run("a prompt of one token", func(t *testing.T) {
		contents, messages := b.prompt(t, "one_token", 0, 0)
		if len(contents) != 1 || messages[0].Tokens != 1 || b.tokenizer.Count(contents[0]) != 1 {
			t.Errorf("%q, planned %+v", contents, messages)
		}
	})
	t.Run("tails of every length", func(t *testing.T) {
		for n := 1; n < 64; n++ {
			contents, _ := b.prompt(t, "tails", 0, n-1)
			if got := b.tokenizer.Count(strings.Join(contents, " ")); got != 64+n {
				t.Errorf("a block and a tail of %d: %d tokens", n, got)
			}
		}
	})
	t.Run("a hash-less prompt of 20,000", func(t *testing.T) {
		contents, messages := b.prompt(t, "hashless", 0, 0)
		if len(contents) != 1 || messages[0].Tokens != 20000 || b.tokenizer.Count(contents[0]) != 20000 {
			t.Errorf("%d messages, planned %+v", len(contents), messages)
		}
	})
	t.Run("a last id that is partial here and whole elsewhere", func(t *testing.T) {
		first, _ := b.prompt(t, "partial", 0, 0)
		second, _ := b.prompt(t, "partial", 0, 1)
		if got := b.tokenizer.Count(first[0]); got != 130 {
			t.Errorf("first prompt: %d tokens", got)
		}
		if got := b.tokenizer.Count(strings.Join(second, " ")); got != 320 {
			t.Errorf("second prompt: %d tokens", got)
		}
	})
	t.Run("a message cut at a block border next turn is a prefix", func(t *testing.T) {
		first, _ := b.prompt(t, "cut", 0, 0)
		second, messages := b.prompt(t, "cut", 0, 1)
		if messages[0].Tokens != 192 || !strings.HasPrefix(first[0], second[0]) || len(second[0]) >= len(first[0]) {
			t.Errorf("%q is not a beginning of %q", second[0], first[0])
		}
	})
}

// sharedEnd is the longest end of the first text that the second begins with, less a blank.
func sharedEnd(first, second string) string {
	for n := min(len(first), len(second)); n > 0; n-- {
		if at := strings.Index(first, second[:n]); at >= 0 {
			return second[:n]
		}
	}
	return "\x00"
}

// The three senses of exactness, over every turn of the sample.
func TestEveryPromptIsExactInThreeSenses(t *testing.T) {
	b := openSample(t)
	keys, err := chooseTurns(b.Bundle, allTurns)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		plan, err := b.Plan(key.trace)
		if err != nil {
			t.Fatal(err)
		}
		contents, messages := b.prompt(t, string(plan.Trace), key.conversation, key.turn)
		for i, content := range contents {
			if got := b.tokenizer.Count(content); got != int(messages[i].Tokens) {
				t.Errorf("%v message %d: %d tokens alone, want %d", key, i, got, messages[i].Tokens)
			}
		}
		in := int(plan.Conversations[key.conversation].Turns[key.turn].In)
		if got := b.tokenizer.Count(strings.Join(contents, " ")); got != in {
			t.Errorf("%v: %d tokens joined by a blank, want %d", key, got, in)
		}
		// ChatML, the most common template: the overhead of three words a message.
		var rendered strings.Builder
		overhead := 0
		for i, content := range contents {
			head := "[start]" + string(messages[i].Role) + "\n"
			rendered.WriteString(head + content + "[end]\n")
			overhead += b.tokenizer.Count(head) + b.tokenizer.Count("[end]\n")
		}
		if got := b.tokenizer.Count(rendered.String()); got != in+overhead {
			t.Errorf("%v: %d tokens through a template, want %d", key, got, in+overhead)
		}
	}
}

// Equal ids are equal bytes within a trace, and no two traces begin alike.
func TestSharingWithinATraceAndNotBetween(t *testing.T) {
	b := openSample(t)
	child, _ := b.prompt(t, "children", 1, 0)
	grown, _ := b.prompt(t, "children", 1, 1)
	if !strings.HasPrefix(strings.Join(grown, " "), child[0]) {
		t.Errorf("blocks 900 and 901 differ: %q, %q", child, grown)
	}
	beginnings := map[string]string{}
	for i, info := range b.Manifest().Traces {
		text, err := b.Text(i)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(string(text.AppendPlain(nil, 0, 0, 0)))
		beginning := strings.Join(words[:min(len(words), 20)], " ")
		if other, taken := beginnings[beginning]; taken {
			t.Errorf("%s and %s begin with %q", info.ID, other, beginning)
		}
		beginnings[beginning] = string(info.ID)
	}
	if len(beginnings) != len(sampleTraces()) {
		t.Errorf("%d traces in the bundle, want %d", len(beginnings), len(sampleTraces()))
	}
}
