package run

import (
	"slices"
	"testing"

	"agentx/eventlog"
)

func TestClientWarnsOnceForEachReason(t *testing.T) {
	var codes []string
	h := honesty{warn: func(code string, _ map[string]any, _ string, _ ...any) { codes = append(codes, code) }}
	calm := eventlog.ClientSample{CPUShare: 0.85, LateP99Ns: int64(lateLimit)}
	busy := eventlog.ClientSample{CPUShare: 0.86}
	late := eventlog.ClientSample{LateP99Ns: int64(lateLimit) + 1}
	h.look(&calm, 100)
	h.look(&late, fewestSends-1)
	if len(codes) != 0 {
		t.Fatalf("warned of %v at the limits", codes)
	}
	for range 2 {
		h.look(&busy, 100)
		h.look(&late, fewestSends)
	}
	if !slices.Equal(codes, []string{"client_busy", "client_late"}) {
		t.Errorf("warned of %v, want each reason once", codes)
	}
}
