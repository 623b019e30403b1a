package chat

// Unset is the value of a count that the server did not report.
const Unset int64 = -1

// Usage is what the server counted, Unset where it did not say.
type Usage struct {
	Prompt, Completion, Total, Reasoning, CacheRead, CacheWrite, CacheMiss int64
	// UncachedPrompt is the input count as sent, where the server counts cached input apart from it.
	UncachedPrompt                         int64
	AcceptedPrediction, RejectedPrediction int64
	// ToolUsePrompt is the part of the input that declares tools, where the server counts it apart.
	ToolUsePrompt int64
}

// slot is the place of one key of a usage object. Of each group the first one present wins.
type slot uint8

const (
	promptTokens slot = iota
	inputTokensSnake
	promptTokenCount
	inputTokensCamel
	inputTokenCount

	completionTokens
	outputTokensSnake
	candidatesTokenCount
	outputTokensCamel
	generatedTokenCount

	totalTokens
	totalTokenCount
	totalTokensCamel

	thoughtsTokenCount
	reasoningTokens

	cacheReadInputTokens
	promptCacheHitTokens
	cachedContentTokenCount
	cacheReadInputTokensCamel
	cachedTokens

	cacheCreationInputTokens
	cacheWriteInputTokensCamel
	promptCacheMissTokens
	toolUsePromptTokenCount

	detailsReasoning // of completion_tokens_details, else output_tokens_details
	detailsAccepted
	detailsRejected
	detailsCached // of prompt_tokens_details, else input_tokens_details
	slots
	noSlot
)

func slotOf(key []byte) slot {
	switch string(key) {
	case "prompt_tokens":
		return promptTokens
	case "input_tokens":
		return inputTokensSnake
	case "promptTokenCount":
		return promptTokenCount
	case "inputTokens":
		return inputTokensCamel
	case "input_token_count":
		return inputTokenCount
	case "completion_tokens":
		return completionTokens
	case "output_tokens":
		return outputTokensSnake
	case "candidatesTokenCount":
		return candidatesTokenCount
	case "outputTokens":
		return outputTokensCamel
	case "generated_token_count":
		return generatedTokenCount
	case "total_tokens":
		return totalTokens
	case "totalTokenCount":
		return totalTokenCount
	case "totalTokens":
		return totalTokensCamel
	case "thoughtsTokenCount":
		return thoughtsTokenCount
	case "reasoning_tokens":
		return reasoningTokens
	case "cache_read_input_tokens":
		return cacheReadInputTokens
	case "prompt_cache_hit_tokens":
		return promptCacheHitTokens
	case "cachedContentTokenCount":
		return cachedContentTokenCount
	case "cacheReadInputTokens":
		return cacheReadInputTokensCamel
	case "cached_tokens":
		return cachedTokens
	case "cache_creation_input_tokens":
		return cacheCreationInputTokens
	case "cacheWriteInputTokens":
		return cacheWriteInputTokensCamel
	case "prompt_cache_miss_tokens":
		return promptCacheMissTokens
	case "toolUsePromptTokenCount":
		return toolUsePromptTokenCount
	}
	return noSlot
}

// tally holds the values of a usage object by slot.
type tally struct {
	value   [slots]int64 // Unset: null, or no count
	present [slots]bool
	// primary says that the first-named details object was there, so that the other one does not count.
	primaryOutput, primaryInput bool
}

// set keeps a value; over tells whether it may replace one (envelopes may not).
func (t *tally) set(s slot, value int64, over bool) {
	if over || !t.present[s] {
		t.value[s], t.present[s] = value, true
	}
}

// first is the value of the first slot present from a to b; Unset where none is, or where it is null.
func (t *tally) first(a, b slot) (value int64, at slot) {
	for s := a; s <= b; s++ {
		if t.present[s] {
			return t.value[s], s
		}
	}
	return Unset, noSlot
}

// orFirst is the value of s where it is a number, else first.
func (t *tally) orFirst(s, a, b slot) int64 {
	if t.present[s] && t.value[s] != Unset {
		return t.value[s]
	}
	value, _ := t.first(a, b)
	return value
}

// usage reads a usage object. It gives false for anything else, and for an object that says nothing:
// empty, or all of its counts 0 or null, which servers send as a placeholder.
func (w *walker) usage() (Usage, bool) {
	if w.peek() != '{' {
		w.skip()
		return Usage{}, false
	}
	var t tally
	w.members(&t, true)
	says := false
	for s := range slots {
		says = says || t.present[s] && t.value[s] > 0
	}
	return t.usage(), says && !w.bad
}

// members reads the keys of a usage object or of an envelope in one.
func (w *walker) members(t *tally, over bool) {
	w.open('{')
	for first := true; w.more('}', &first); {
		key := w.key()
		if s := slotOf(key); s != noSlot {
			t.set(s, w.count(), over)
			continue
		}
		switch string(key) {
		case "completion_tokens_details":
			w.outputDetails(t, true)
		case "output_tokens_details":
			w.outputDetails(t, false)
		case "prompt_tokens_details":
			w.inputDetails(t, true)
		case "input_tokens_details":
			w.inputDetails(t, false)
		case "usageMetadata", "tokens":
			w.envelope(t, over)
		case "meta":
			w.meta(t, over)
		default:
			w.skip()
		}
	}
}

func (w *walker) count() int64 {
	if n, ok := w.integer(); ok {
		return n
	}
	return Unset
}

// envelope reads an object that holds the counts one level deeper; known says that it may do so.
func (w *walker) envelope(t *tally, known bool) {
	if !known || w.peek() != '{' {
		w.skip()
		return
	}
	w.members(t, false)
}

// meta reads meta.tokens and meta.cached_tokens.
func (w *walker) meta(t *tally, known bool) {
	if !known || w.peek() != '{' {
		w.skip()
		return
	}
	w.open('{')
	for first := true; w.more('}', &first); {
		switch string(w.key()) {
		case "tokens":
			w.envelope(t, true)
		case "cached_tokens":
			t.set(cachedTokens, w.count(), false)
		default:
			w.skip()
		}
	}
}

// outputDetails reads completion_tokens_details (primary) or output_tokens_details.
func (w *walker) outputDetails(t *tally, primary bool) {
	if w.isFalse() {
		return
	}
	if w.peek() != '{' || !primary && t.primaryOutput {
		w.skip()
		return
	}
	if primary {
		t.primaryOutput = true
		t.present[detailsReasoning], t.present[detailsAccepted], t.present[detailsRejected] = false, false, false
	}
	w.open('{')
	for first := true; w.more('}', &first); {
		switch string(w.key()) {
		case "reasoning_tokens":
			t.set(detailsReasoning, w.count(), true)
		case "accepted_prediction_tokens":
			t.set(detailsAccepted, w.count(), true)
		case "rejected_prediction_tokens":
			t.set(detailsRejected, w.count(), true)
		default:
			w.skip()
		}
	}
}

// inputDetails reads prompt_tokens_details (primary) or input_tokens_details.
func (w *walker) inputDetails(t *tally, primary bool) {
	if w.isFalse() {
		return
	}
	if w.peek() != '{' || !primary && t.primaryInput {
		w.skip()
		return
	}
	if primary {
		t.primaryInput = true
		t.present[detailsCached] = false
	}
	w.open('{')
	for first := true; w.more('}', &first); {
		if string(w.key()) == "cached_tokens" {
			t.set(detailsCached, w.count(), true)
		} else {
			w.skip()
		}
	}
}

// usage applies the rules to what was found.
func (t *tally) usage() Usage {
	u := Usage{UncachedPrompt: Unset}
	var at slot
	u.Prompt, at = t.first(promptTokens, inputTokenCount)
	if (at == inputTokensSnake || at == inputTokensCamel) && u.Prompt != Unset {
		if cached, apart := t.cachedApart(); apart {
			u.UncachedPrompt, u.Prompt = u.Prompt, u.Prompt+cached
		}
	}
	u.Completion, _ = t.first(completionTokens, generatedTokenCount)
	u.Total, _ = t.first(totalTokens, totalTokensCamel)
	u.Reasoning = t.orFirst(detailsReasoning, thoughtsTokenCount, reasoningTokens)
	u.CacheRead = t.orFirst(detailsCached, cacheReadInputTokens, cachedTokens)
	u.CacheWrite, _ = t.first(cacheCreationInputTokens, cacheWriteInputTokensCamel)
	u.CacheMiss, _ = t.first(promptCacheMissTokens, promptCacheMissTokens)
	u.ToolUsePrompt, _ = t.first(toolUsePromptTokenCount, toolUsePromptTokenCount)
	u.AcceptedPrediction, _ = t.first(detailsAccepted, detailsAccepted)
	u.RejectedPrediction, _ = t.first(detailsRejected, detailsRejected)
	return u
}

// cachedApart tells whether the server counts cached input apart from the input count, and the sum of it.
func (t *tally) cachedApart() (sum int64, apart bool) {
	for _, s := range [...]slot{cacheReadInputTokens, cacheCreationInputTokens, cacheReadInputTokensCamel, cacheWriteInputTokensCamel} {
		if !t.present[s] {
			continue
		}
		apart = true
		if t.value[s] != Unset {
			sum += t.value[s]
		}
	}
	return sum, apart
}
