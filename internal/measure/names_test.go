package measure

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// peerNames are the metrics that the peer computes for a chat run, by its own names: what its readers may ask for.
// Left out are those it never exports (requested_osl and the timestamps), the lag of its fixed schedules, audio,
// pictures, energy and speculative decoding.
func peerNames() []string {
	names := strings.Fields(`
		time_to_first_token time_to_second_token time_to_first_output_token request_latency decode_duration
		inter_token_latency inter_chunk_latency output_token_throughput_per_user e2e_output_token_throughput
		full_response_inter_token_latency full_response_output_token_throughput_per_user
		e2e_normalized_interactivity_p90 e2e_normalized_interactivity_p75
		prefill_throughput_per_user stream_setup_latency stream_prefill_latency
		output_sequence_length input_sequence_length output_token_count reasoning_token_count
		thinking_efficiency overall_thinking_efficiency
		osl_mismatch_diff_pct osl_mismatch_count error_isl total_error_isl
		usage_prompt_tokens_diff_pct usage_completion_tokens_diff_pct usage_reasoning_tokens_diff_pct usage_discrepancy_count
		effective_latency credit_to_start_latency
		request_count error_request_count completed_request_count request_error_rate
		context_overflow_count skipped_context_overflow_count total_isl total_osl total_output_tokens total_reasoning_tokens
		overall_usage_prompt_cache_read_pct benchmark_duration request_throughput input_token_throughput
		output_token_throughput total_token_throughput good_request_count good_request_fraction goodput
		theoretical_prefix_cache_hit network_rtt network_adjusted_request_latency network_adjusted_time_to_first_token
		network_adjusted_time_to_first_output_token
		effective_concurrency effective_decode_throughput effective_prefill_throughput effective_decode_concurrency
		effective_prefill_concurrency effective_total_throughput effective_decode_throughput_per_user
		effective_prefill_throughput_per_user tokens_in_flight active_decode_throughput active_decode_throughput_per_user
		active_prefill_throughput active_prefill_throughput_per_user active_total_throughput
		adj_time_to_first_token adj_request_latency adj_decode_duration adj_inter_token_latency adj_effective_latency`)
	for _, of := range strings.Fields("prompt_tokens completion_tokens total_tokens reasoning_tokens prompt_cache_read_tokens " +
		"prompt_cache_write_tokens prompt_cache_miss_tokens accepted_prediction_tokens rejected_prediction_tokens tool_use_prompt_tokens") {
		names = append(names, "usage_"+of, "total_usage_"+of)
	}
	for _, of := range strings.Fields("blocked dns_lookup connecting sending waiting receiving duration connection_overhead total " +
		"data_sent data_received chunks_sent chunks_received connection_reused") {
		names = append(names, "http_req_"+of)
	}
	return names
}

func TestEveryMetricOfThePeerIsDefined(t *testing.T) {
	definitions := Definitions()
	for _, name := range peerNames() {
		if _, ok := Lookup(definitions, name); !ok {
			t.Errorf("%s is not defined", name)
		}
	}
}

// TestEveryMetricOfTheSpecificationIsDefined takes the names from the tables of the specification, where it is at hand.
func TestEveryMetricOfTheSpecificationIsDefined(t *testing.T) {
	shared := os.Getenv("AGENTX_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	text, err := os.ReadFile(filepath.Join(shared, "spec", "metrics.md"))
	if err != nil {
		t.Skip("the specification is not at hand:", err)
	}
	_, tables, _ := strings.Cut(string(text), "\n## 2.")
	tables, _, _ = strings.Cut(tables, "\n## 4.")
	never := regexp.MustCompile(`never (exported|emitted)`)
	definitions, found := Definitions(), 0
	for line := range strings.Lines(tables) {
		if !strings.HasPrefix(line, "| ") || never.MatchString(line) {
			continue
		}
		first, _, _ := strings.Cut(line[2:], "|")
		first = regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(first, "")
		for _, name := range regexp.MustCompile(`[a-z0-9]+(_[a-z0-9]+)+`).FindAllString(first, -1) {
			if strings.Contains(first, name+"_*") {
				continue // a family in short
			}
			if _, ok := Lookup(definitions, name); !ok {
				t.Errorf("%s is in the specification and not defined", name)
			}
			found++
		}
	}
	if found < 50 {
		t.Errorf("only %d names found in the tables", found)
	}
}

func TestThinkingEfficiencyIsReasoningForEachTokenOfTheAnswer(t *testing.T) {
	for _, c := range []struct {
		reasoning, output Count
		want              float64
		known             bool
	}{{6, 2, 3, true}, {0, 5, 0, true}, {6, 0, 0, false}, {NoCount, 5, 0, false}, {5, NoCount, 0, false}} {
		if got, ok := thinking(c.reasoning, c.output); got != c.want || ok != c.known {
			t.Errorf("%d reasoning, %d output: %v %v, want %v %v", c.reasoning, c.output, got, ok, c.want, c.known)
		}
	}
}
