package e2e

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// smallTraces have prompts of at most 22,600 tokens: a server without an accelerator answers them in seconds.
func smallTraces() []string {
	return []string{"trace_0057.json", "trace_0165.json", "trace_0174.json", "trace_0613.json"}
}

// TestReplayAgainstLlamaCpp: with the server's own tokenizer, on a cold cache, nothing is lost and nothing
// is counted otherwise than planned.
func TestReplayAgainstLlamaCpp(t *testing.T) {
	wanted(t)
	installed(t, "models/tiny.gguf", "llama")
	tokenizer := installed(t, "tok/qwen2_5", "tokenizers")
	corpus := traces(t, smallTraces()...)
	url := start(t, []string{"SLOTS=8"}, "llama") // a slot for each session: fewer would drop what a session needs again
	dir := replay(t, corpus, tokenizer, url, "tiny")
	records := lines[record](t, filepath.Join(dir, "records.jsonl"))
	checkOutcomes(t, records, false)
	checkCounts(t, records, true)
	checkCache(t, records)
}

// TestReplayAgainstAGivenServer is the same for a server that is already there. What its cache held before
// is kept out by a marker at the very beginning of each prompt.
func TestReplayAgainstAGivenServer(t *testing.T) {
	wanted(t)
	url, model, tokenizer := os.Getenv("AGENTX_REAL_URL"), os.Getenv("AGENTX_REAL_MODEL"), os.Getenv("AGENTX_REAL_TOKENIZER")
	if url == "" || model == "" || tokenizer == "" {
		t.Skip("AGENTX_REAL_URL, AGENTX_REAL_MODEL and AGENTX_REAL_TOKENIZER are not all set")
	}
	dir := replay(t, traces(t, smallTraces()...), tokenizer, url, model, "--cache-bust", "system_prefix")
	records := lines[record](t, filepath.Join(dir, "records.jsonl"))
	checkOutcomes(t, records, false)
	checkCounts(t, records, false)
	checkCache(t, records)
}

// replay prepares, runs and verifies; it gives the run's folder.
func replay(t *testing.T, corpus, tokenizer, url, model string, arguments ...string) string {
	t.Helper()
	work := t.TempDir()
	bundle, dir := filepath.Join(work, "real.bundle"), filepath.Join(work, "run")
	run(t, nil, "agentx-prep", "build", "--quiet", "--no-cache", "--tokenizer", tokenizer, "--input-file", corpus, "-o", bundle)
	run(t, nil, "agentx-prep", "check", bundle)
	t.Log(run(t, nil, "agentx-run", "probe", "--url", url, "--model", model, "--output-tokens", "8"))
	output := run(t, nil, "agentx-run", append([]string{"--bundle", bundle, "--url", url, "--model", model, "--concurrency", "2",
		"--random-seed", "1", "--apply-chat-template", "--extra-inputs", "ignore_eos:true",
		"--trace-idle-gap-cap-seconds", "2", "--system-idle-gap-cap-seconds", "2", "--artifact-dir", dir}, arguments...)...)
	_, facts, _ := strings.Cut(output, "\nRequests ")
	t.Log("Requests " + facts)
	run(t, nil, "agentx-analyze", "verify", "--bundle", bundle, dir)
	return dir
}

// checkOutcomes fails on any outcome but ok. A run that its duration ends has requests that were due and
// never sent.
func checkOutcomes(t *testing.T, records []record, bounded bool) {
	t.Helper()
	resends, unsent := 0, 0
	for _, r := range records {
		switch {
		case r.Outcome == "ok":
		case r.Outcome == "never_sent" && bounded:
			unsent++
		default:
			t.Errorf("%s turn %d: %s/%s", r.Trace, r.Turn, r.Outcome, r.Class)
		}
		resends += r.HTTP.Resends
	}
	if len(records)-unsent < 20 {
		t.Errorf("%d records, %d never sent: this shows nothing", len(records), unsent)
	}
	t.Logf("%d requests sent; %d of them sent again because the server had closed an idle connection", len(records)-unsent, resends)
}

// checkCounts: the server's prompt tokens are those of the messages in the chat template, exactly.
func checkCounts(t *testing.T, records []record, unmarked bool) {
	t.Helper()
	added := int64(0)
	for _, r := range records {
		switch {
		case r.Tokens.UsagePrompt == nil:
			t.Errorf("%s turn %d: the server counted nothing", r.Trace, r.Turn)
		case *r.Tokens.UsagePrompt != r.Tokens.Input:
			t.Errorf("%s turn %d: the server counts %d prompt tokens, the template gives %d (%d recorded)", r.Trace, r.Turn, *r.Tokens.UsagePrompt, r.Tokens.Input, r.Recorded.In)
		case unmarked && r.Tokens.Input <= r.Recorded.In:
			t.Errorf("%s turn %d: %d tokens with the template, %d recorded without", r.Trace, r.Turn, r.Tokens.Input, r.Recorded.In)
		}
		added += r.Tokens.Input - r.Recorded.In
	}
	t.Logf("prompt tokens as predicted in all %d requests; template and marker add %.1f a request", len(records), float64(added)/float64(len(records)))
}

// checkCache: in profiling, the share of prompt tokens that came from the cache is that of theory.
func checkCache(t *testing.T, records []record) {
	t.Helper()
	var cached, prompt, hit, in float64
	for _, r := range records {
		if r.Phase != "profiling" || r.Tokens.Cached == nil || r.Tokens.UsagePrompt == nil {
			continue
		}
		cached += float64(*r.Tokens.Cached)
		prompt += float64(*r.Tokens.UsagePrompt)
		hit += float64(r.Recorded.HitTokens)
		in += float64(r.Recorded.In)
	}
	got, want := 100*cached/prompt, 100*hit/in
	t.Logf("cached %.2f %% of %.0f prompt tokens; theory %.2f %%", got, prompt, want)
	if !(math.Abs(got-want) <= 0.5) {
		t.Errorf("cached %.2f %%, theory %.2f %%: more than half a point apart", got, want)
	}
}
