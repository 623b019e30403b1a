package measure

import (
	"cmp"
	"regexp"
	"slices"
)

// ErrorGroup is a kind of failure with how often it occurred.
type ErrorGroup struct {
	Outcome Outcome
	Class   string
	Error   ErrorInfo // of the first one; its message as it was received
	Pattern string    // the message with ids, numbers and addresses replaced
	Count   int
	First   Stamp
	Last    Stamp
	Depths  map[int]int
	Traces  int // distinct traces
}

var volatileParts = []struct {
	find    *regexp.Regexp
	replace string
}{
	{regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`), "<uuid>"},
	{regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b`), "<address>"},
	{regexp.MustCompile(`\b(0x)?[0-9a-fA-F]*[0-9][0-9a-fA-F]{11,}\b`), "<hex>"},
	{regexp.MustCompile(`\d+(\.\d+)?`), "<n>"},
}

// NormalizeMessage replaces what differs between equal failures: ids, addresses, numbers. The peer
// groups by the raw message, so one id in it makes a group of every failure (spec exports 2).
func NormalizeMessage(message string) string {
	for _, part := range volatileParts {
		message = part.find.ReplaceAllString(message, part.replace)
	}
	return message
}

type errorKey struct {
	outcome     Outcome
	class, kind string
	code        int
	message     string
}

// groupErrors groups failed requests, and overflows, by class, type, code and normalised message;
// the most frequent first.
func groupErrors(records []*Record, basis *Basis) []ErrorGroup {
	return groupBy(records, func(r *Record) bool { return basis.IsError(r) || r.Outcome == OutcomeOverflow }, NormalizeMessage)
}

// PeerErrors groups as the peer does: by code, type and the message as received; skipped overflows
// are not in it.
func (a *Analysis) PeerErrors() []ErrorGroup {
	return groupBy(a.Selected, a.Basis.IsError, func(message string) string { return message })
}

func groupBy(records []*Record, counts func(*Record) bool, pattern func(string) string) []ErrorGroup {
	index := map[errorKey]int{}
	traces := map[int]map[string]bool{}
	var groups []ErrorGroup
	for _, r := range records {
		if !counts(r) {
			continue
		}
		info := ErrorInfo{Type: string(r.Outcome)}
		if r.Error != nil {
			info = *r.Error
		}
		key := errorKey{outcome: r.Outcome, class: r.Class, kind: info.Type, code: -1, message: pattern(info.Message)}
		if info.Code != nil {
			key.code = *info.Code
		}
		at, known := index[key]
		if !known {
			at = len(groups)
			index[key], traces[at] = at, map[string]bool{}
			groups = append(groups, ErrorGroup{Outcome: r.Outcome, Class: r.Class, Error: info, Pattern: key.message, First: r.Times.Start, Depths: map[int]int{}})
		}
		g := &groups[at]
		g.Count++
		g.First, g.Last = min(g.First, r.Times.Start), max(g.Last, r.Times.End)
		g.Depths[r.Place.Depth]++
		traces[at][r.Place.Trace] = true
		g.Traces = len(traces[at])
	}
	slices.SortStableFunc(groups, func(a, b ErrorGroup) int { return cmp.Compare(b.Count, a.Count) })
	return groups
}
