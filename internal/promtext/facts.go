package promtext

import (
	"math"
	"slices"
	"strings"
)

// Facts are what a page tells of the server, in one vocabulary for all servers. nil means that the page
// does not say, which is not 0. Counts are since the server's start, over all its engines and models.
type Facts struct {
	Kind string // vllm, sglang, llamacpp, dynamo; empty where none of them was recognised

	CacheQueries *float64 // prompt tokens looked up in the prefix cache
	CacheHits    *float64 // of them, found
	PromptTokens *float64 // of all requests, cached ones included
	OutputTokens *float64
	Preemptions  *float64

	Running *float64 // requests being computed now
	Waiting *float64 // requests in the queue now
	KVUsage *float64 // 0..1, of the fullest engine
	HitRate *float64 // 0..1, a recent value as the server computes it; only where it counts no tokens
}

// Facts recognises the server by the names of its metrics. A worker behind a Dynamo frontend shows
// metrics of both kinds; the engine's own counters win.
func (p Page) Facts() Facts {
	for _, read := range servers() {
		if facts := read(lookup{page: p}); facts.any() {
			return facts
		}
	}
	return Facts{}
}

// servers read the facts of one kind of server each.
func servers() []func(lookup) Facts { return []func(lookup) Facts{vllm, sglang, llamaCpp, dynamo} }

// FactNames are the metrics that Facts looks at, in its order, without the ending _total of counters: what
// is worth showing of a server, in one list for all who show it.
func FactNames() []string {
	var names []string
	for _, read := range servers() {
		read(lookup{asked: &names})
	}
	var list []string
	for _, name := range names {
		if name = strings.TrimSuffix(name, "_total"); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// lookup asks a page for values; it notes the names where it is to.
type lookup struct {
	page  Page
	asked *[]string
}

// total is the sum over all series (engines, models, replicas) that carry the given labels.
func (l lookup) total(name string, labels ...string) *float64 {
	l.note(name)
	return l.page.fold(name, labels, func(a, b float64) float64 { return a + b })
}

// highest is the largest over all series.
func (l lookup) highest(name string) *float64 {
	l.note(name)
	return l.page.fold(name, nil, math.Max)
}

func (l lookup) note(name string) {
	if l.asked != nil {
		*l.asked = append(*l.asked, name)
	}
}

func (f Facts) any() bool {
	for _, value := range []*float64{f.CacheQueries, f.CacheHits, f.PromptTokens, f.OutputTokens, f.Preemptions, f.Running, f.Waiting, f.KVUsage, f.HitRate} {
		if value != nil {
			return true
		}
	}
	return false
}

// first is the first value that is there: names change between versions of a server.
func first(values ...*float64) *float64 {
	for _, value := range values {
		if value != nil {
			return value
		}
	}
	return nil
}

func plus(a, b *float64) *float64 {
	if a == nil || b == nil {
		return first(a, b)
	}
	sum := *a + *b
	return &sum
}

func vllm(p lookup) Facts {
	return Facts{
		Kind:         "vllm",
		CacheQueries: first(p.total("vllm:prefix_cache_queries_total"), p.total("vllm:gpu_prefix_cache_queries_total")),
		CacheHits:    first(p.total("vllm:prefix_cache_hits_total"), p.total("vllm:gpu_prefix_cache_hits_total")),
		PromptTokens: p.total("vllm:prompt_tokens_total"),
		OutputTokens: p.total("vllm:generation_tokens_total"),
		Preemptions:  p.total("vllm:num_preemptions_total"),
		Running:      p.total("vllm:num_requests_running"),
		Waiting:      p.total("vllm:num_requests_waiting"),
		KVUsage:      first(p.highest("vllm:kv_cache_usage_perc"), p.highest("vllm:gpu_cache_usage_perc")),
	}
}

// sglang counts the tokens of its prefills by where they came from: input was computed, the rest found.
// Older versions have two plain counters.
func sglang(p lookup) Facts {
	const prefill = "sglang:prefill_effective_tokens_total"
	queries, computed := p.total(prefill), p.total(prefill, "mode", "input")
	hits := p.total("sglang:cached_tokens_total")
	if queries != nil && computed != nil {
		found := *queries - *computed
		hits = &found
	}
	return Facts{
		Kind:         "sglang",
		CacheQueries: first(queries, p.total("sglang:prompt_tokens_total")),
		CacheHits:    hits,
		PromptTokens: p.total("sglang:prompt_tokens_total"),
		OutputTokens: p.total("sglang:generation_tokens_total"),
		Running:      p.total("sglang:num_running_reqs"),
		Waiting:      p.total("sglang:num_queue_reqs"),
		KVUsage:      p.highest("sglang:token_usage"),
		HitRate:      p.highest("sglang:cache_hit_rate"),
	}
}

// llamaCpp counts computed and cached prompt tokens apart.
func llamaCpp(p lookup) Facts {
	computed, cached := p.total("llamacpp:prompt_tokens_total"), p.total("llamacpp:prompt_tokens_cached_total")
	facts := Facts{
		Kind:         "llamacpp",
		CacheHits:    cached,
		OutputTokens: p.total("llamacpp:tokens_predicted_total"),
		Running:      p.total("llamacpp:requests_processing"),
		Waiting:      p.total("llamacpp:requests_deferred"),
		KVUsage:      p.highest("llamacpp:kv_cache_usage_ratio"),
	}
	if cached != nil {
		facts.CacheQueries, facts.PromptTokens = plus(computed, cached), plus(computed, cached)
	}
	return facts
}

func dynamo(p lookup) Facts {
	return Facts{
		Kind:         "dynamo",
		PromptTokens: p.total("dynamo_frontend_input_sequence_tokens"),
		OutputTokens: first(p.total("dynamo_frontend_output_tokens_total"), p.total("dynamo_frontend_output_sequence_tokens")),
		Running:      first(p.total("dynamo_frontend_inflight_requests"), p.total("dynamo_component_inflight_requests")),
		Waiting:      p.total("dynamo_frontend_queued_requests"),
		KVUsage:      p.highest("dynamo_component_kvstats_gpu_cache_usage_percent"),
		HitRate:      p.highest("dynamo_component_kvstats_gpu_prefix_cache_hit_rate"),
	}
}
