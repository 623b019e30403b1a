package prep

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentx/corpus"
	"agentx/corpus/bundle"
	"agentx/internal/progress"
	"agentx/internal/synth/token"
	"agentx/internal/synth/tokentest"
)

// row is a recorded request: time, input and output tokens, block ids.
type row struct {
	t       float64
	in, out int
	ids     string
}

// request writes a row as the Weka format has it.
func (r row) request() string {
	return fmt.Sprintf(`{"type":"n","t":%g,"model":"A","in":%d,"out":%d,"hash_ids":[%s],"api_time":1}`, r.t, r.in, r.out, r.ids)
}

func traceText(id string, requests ...string) string {
	return fmt.Sprintf(`{"id":%q,"models":["A"],"block_size":64,"hash_id_scope":"local","tool_tokens":0,"system_tokens":0,"requests":[%s]}`, id, strings.Join(requests, ","))
}

func subagent(agent string, t float64, requests ...string) string {
	return fmt.Sprintf(`{"type":"subagent","t":%g,"agent_id":%q,"subagent_type":"x","status":"completed","models":["A"],"duration_ms":2000,"requests":[%s]}`, t, agent, strings.Join(requests, ","))
}

// sampleTraces are small traces, one for each way that text comes about.
func sampleTraces() map[string]string {
	traces := map[string]string{
		// Block 2 is mid-message, then (after a compaction) first in a message.
		"same_id":   traceText("same_id", row{0, 256, 64, "1,2,3,4"}.request(), row{5, 128, 64, "2,9"}.request()),
		"one_token": traceText("one_token", row{0, 1, 1, ""}.request(), row{3, 64, 1, "1"}.request()),
		"hashless":  traceText("hashless", row{0, 20000, 10, ""}.request()),
		// Id 3 is partial in the first row and a whole block in the second.
		"partial": traceText("partial", row{0, 130, 64, "1,2,3"}.request(), row{5, 320, 64, "1,2,3,4,5"}.request()),
		// The first prompt ends in a tail, which the next turn cuts off at the block border.
		"cut": traceText("cut", row{0, 250, 100, "1,2,3"}.request(), row{5, 330, 10, "1,2,3,4,5"}.request()),
		"children": traceText("children", row{0, 256, 64, "1,2,3,4"}.request(),
			subagent("a", 2, row{2, 128, 9, "900,901"}.request(), row{3, 192, 9, "900,901,902"}.request()),
			subagent("b", 2, row{2, 100, 9, "800"}.request()), row{9, 384, 64, "1,2,3,4,5,6"}.request()),
	}
	var tails []string
	for n := 1; n < 64; n++ {
		tails = append(tails, row{float64(5 * n), 64 + n, 1, "1"}.request())
	}
	traces["tails"] = traceText("tails", tails...)
	return traces
}

// writeTraces stores traces, one a file.
func writeTraces(t testing.TB, traces map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range traces {
		if err := os.WriteFile(filepath.Join(folder, name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// sampleOptions build from a folder with a short filler and a small tokenizer, which knows some words of
// the filler text, into a cache of the test's own.
func sampleOptions(t testing.TB, folder string) Options {
	t.Helper()
	options := DefaultOptions()
	options.Inputs = []string{folder}
	options.CacheDir = t.TempDir()
	options.fillerLengths = []int{1 << 15, 1 << 18}
	options.Tokenizer = filepath.Join(t.TempDir(), "tokenizer.json")
	words := []string{"the", "must", "should", "record", "result", "return", "value", "each", "every", "index", "source", "func", "self", "this", "error", "with", "before", "after", "stream", "buffer"}
	for _, word := range slices.Clone(words) {
		words = append(words, " "+word)
	}
	if err := os.WriteFile(options.Tokenizer, tokentest.ByteLevel(words).JSON(), 0o600); err != nil {
		t.Fatal(err)
	}
	return options
}

func silent() *progress.Printer { return progress.Plain(io.Discard, time.Now) }

func mustBuild(t testing.TB, options Options) *Result {
	t.Helper()
	result, err := Build(context.Background(), options, silent())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// opened is a bundle with what tests look at.
type opened struct {
	*bundle.Bundle
	tokenizer *token.Tokenizer
}

// sampleOnce is the cache folder of the sample bundle, which several tests look at.
var sampleOnce = sync.OnceValue(func() string {
	folder, err := os.MkdirTemp("", "agentx-prep-test-*")
	if err != nil {
		panic(err)
	}
	return folder
})

// openSample builds the sample bundle, once for all tests. TestMain removes it.
func openSample(t testing.TB) *opened {
	t.Helper()
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	options.Tokenizer = "" // the embedded one
	options.CacheDir = sampleOnce()
	return openBundle(t, mustBuild(t, options).Path)
}

func openBundle(t testing.TB, path string) *opened {
	t.Helper()
	b, err := bundle.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	tokenizer, err := bundleTokenizer(b)
	if err != nil {
		t.Fatal(err)
	}
	return &opened{b, tokenizer}
}

// prompt is the contents and roles of a turn's message array, as sent.
func (o *opened) prompt(t testing.TB, trace string, conversation, turn int) (contents []string, messages []corpus.Message) {
	t.Helper()
	at, ok := o.Find(corpus.TraceID(trace))
	if !ok {
		t.Fatalf("no trace %s", trace)
	}
	plan, err := o.Plan(at)
	if err != nil {
		t.Fatal(err)
	}
	text, err := o.Text(at)
	if err != nil {
		t.Fatal(err)
	}
	c := &plan.Conversations[conversation]
	for _, ref := range bundle.AppendRefs(nil, c, turn) {
		contents = append(contents, string(text.AppendPlain(nil, conversation, ref.Turn, ref.Message)))
		messages = append(messages, c.Turns[ref.Turn].New[ref.Message])
	}
	return contents, messages
}
