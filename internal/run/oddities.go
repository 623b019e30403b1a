package run

import (
	"agentx/eventlog"
)

// oddities tells, once each, of answers that show a setting to be wrong for this server (spec decision 30).
type oddities struct {
	warn func(code string, facts map[string]any, format string, arguments ...any)
	// limit is the name by which requests carry their output limit.
	limit             string
	passed, likeOther bool
}

// look takes one answer.
func (o *oddities) look(end *eventlog.ExchangeEnd) {
	o.lookAtLimit(end)
	if end.OverflowLike && end.Outcome == eventlog.OutcomeError && !o.likeOther {
		o.likeOther = true
		text := end.ErrorMessage
		if len(text) > messageLimit {
			text = text[:messageLimit] + "…"
		}
		o.warn("overflow_like", map[string]any{"status": end.Status, "message": text},
			"an error looks like a full context window, but has none of the phrases that tell one, so it counts as an error: %s; "+
				"where it is one, give a phrase of it by AGENTX_CONTEXT_OVERFLOW_SUBSTRINGS='[\"…\"]'", text)
	}
}

// lookAtLimit finds servers that give more output than was asked for, by their own count. The primers, which
// ask for one token, show it before anything is measured.
func (o *oddities) lookAtLimit(end *eventlog.ExchangeEnd) {
	if o.passed || end.MaxTokens == 0 || end.Usage == nil || end.Usage.Completion == nil || *end.Usage.Completion <= end.MaxTokens {
		return
	}
	o.passed = true
	advice := "--use-legacy-max-tokens sends max_tokens"
	if o.limit == "max_tokens" {
		advice = "without --use-legacy-max-tokens it is max_completion_tokens"
	}
	o.warn("limit_not_honoured", map[string]any{"limit": o.limit, "asked": end.MaxTokens, "got": *end.Usage.Completion},
		"an answer has %d tokens where %s was %d: the server does not keep to it, so outputs are not as recorded; %s (agentx-run probe shows which one the server knows)",
		*end.Usage.Completion, o.limit, end.MaxTokens, advice)
}
