package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentx/corpus"
)

// Check requires that the entries of a latency file name things that exist, so that a slip of the pen is
// not silently without effect. The error names the entry and what is expected.
func (l *Latencies) Check(plans []*corpus.Plan) error {
	turns := map[corpus.ConversationID]int{}
	for _, plan := range plans {
		if plan == nil {
			continue
		}
		for c := range plan.Conversations {
			turns[plan.Conversations[c].ID] = len(plan.Conversations[c].Turns)
		}
	}
	for _, id := range sortedKeys(l.Turns) {
		if count, known := turns[id]; !known {
			return fmt.Errorf("latency file: turns: no conversation %q in the bundle", id)
		} else if len(l.Turns[id]) > count {
			return fmt.Errorf("latency file: turns: %q has %d entries, but the conversation has %d turns", id, len(l.Turns[id]), count)
		}
	}
	for _, name := range sortedKeys(l.Requests) {
		if err := checkName(name, turns); err != nil {
			return fmt.Errorf("latency file: requests: %q: %w (expected phase/lane/pass/conversation/turn)", name, err)
		}
	}
	return nil
}

func sortedKeys[K ~string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// checkName checks the name of a request.
func checkName(name string, turns map[corpus.ConversationID]int) error {
	parts := strings.Split(name, "/")
	if len(parts) < 5 {
		return fmt.Errorf("%d parts", len(parts))
	}
	last := len(parts) - 1
	if parts[0] != "warmup" && parts[0] != "profiling" {
		return fmt.Errorf("no phase %q: warmup or profiling", parts[0])
	}
	for _, part := range []string{parts[1], parts[2], parts[last]} {
		if n, err := strconv.Atoi(part); err != nil || n < 0 {
			return fmt.Errorf("%q is no number", part)
		}
	}
	id := corpus.ConversationID(strings.Join(parts[3:last], "/"))
	count, known := turns[id]
	if !known {
		return fmt.Errorf("no conversation %q in the bundle", id)
	}
	if turn, _ := strconv.Atoi(parts[last]); turn >= count {
		return fmt.Errorf("the conversation has %d turns", count)
	}
	return nil
}
