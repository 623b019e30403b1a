package run

import (
	"fmt"
	"strings"
	"testing"

	"agentx/eventlog"
)

// Each oddity is told once, and names what to set.
func TestOdditiesAreToldOnce(t *testing.T) {
	tokens := func(n int64) *eventlog.Usage { return &eventlog.Usage{Completion: &n} }
	var told []string
	o := oddities{limit: "max_completion_tokens", warn: func(code string, _ map[string]any, format string, arguments ...any) {
		told = append(told, code+": "+fmt.Sprintf(format, arguments...))
	}}
	for _, end := range []eventlog.ExchangeEnd{
		{Outcome: eventlog.OutcomeOK, MaxTokens: 1, Usage: tokens(1)},
		{Outcome: eventlog.OutcomeOK, Usage: tokens(50)}, // no limit was sent
		{Outcome: eventlog.OutcomeOK, MaxTokens: 1},
		{Outcome: eventlog.OutcomeOverflow, OverflowLike: true},
	} {
		o.look(&end)
	}
	if len(told) != 0 {
		t.Errorf("told %q", told)
	}
	for range 2 {
		o.look(&eventlog.ExchangeEnd{Outcome: eventlog.OutcomeOK, MaxTokens: 1, Usage: tokens(7)})
		o.look(&eventlog.ExchangeEnd{Outcome: eventlog.OutcomeError, OverflowLike: true, ErrorMessage: strings.Repeat("too big ", 100)})
	}
	if len(told) != 2 || !strings.Contains(told[0], "7 tokens where max_completion_tokens was 1") || !strings.Contains(told[0], "--use-legacy-max-tokens") ||
		!strings.Contains(told[1], "AGENTX_CONTEXT_OVERFLOW_SUBSTRINGS") || len(told[1]) > 700 {
		t.Errorf("told %q", told)
	}
}
