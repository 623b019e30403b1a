package prep

import (
	"strings"
	"testing"

	"agentx/corpus"
	"agentx/corpus/bundle"
)

// What is printed of one thing is in the singular.
func TestNotesAgreeWithTheirNumbers(t *testing.T) {
	for n, want := range map[int]string{
		1: "1 trace holds several agents: 1 extra chain, 1 of them aux, 1 reduction, 1 in worker groups, 1 seam spliced|1 branch, 1 in the background|1 delay is over 60 s; the longest is 0 s|1 time the unknown field \"x{y\", ignored",
		2: "2 traces hold several agents: 2 extra chains, 2 of them aux, 2 reductions, 2 in worker groups, 2 seams spliced|2 branches, 2 in the background|2 delays are over 60 s; the longest is 0 s|2 times the unknown field \"x{y\", ignored",
	} {
		m := &bundle.Manifest{UnknownFields: map[string]int{"x{y": n}}
		m.Facts = corpus.Facts{TracesSplit: n, Branches: n, BranchesBackground: n, DelaysLong: n}
		m.Facts.Split.Chains, m.Facts.Split.Aux, m.Facts.Split.Reductions, m.Facts.Split.Group, m.Facts.Split.Seams = n, n, n, n, n
		if got := strings.Join(notes(m), "|"); got != want {
			t.Errorf("%d of everything:\n%s\nwant\n%s", n, got, want)
		}
	}
	if got := notes(&bundle.Manifest{}); len(got) > 0 {
		t.Errorf("nothing of note gives %q", got)
	}
}
