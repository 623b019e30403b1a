// Package audit holds a log against what it must agree with: the replay machine run again on the
// recorded inputs, the invariants of its schedule, the facts from the wire, and the request bodies that
// the bundle gives. Every disagreement is a finding that names the events concerned, told as it is found;
// what could not be looked at is said.
package audit

import (
	"fmt"
	"strings"

	"agentx/eventlog"
)

// Finding is one disagreement.
type Finding struct {
	Check string         // machine, wire, body, or an invariant: I1 … I31
	Seqs  []eventlog.Seq // the events where it was seen
	Text  string
}

// String is the finding in one line.
func (f Finding) String() string {
	switch len(f.Seqs) {
	case 0:
		return f.Check + ": " + f.Text
	case 1:
		return fmt.Sprintf("%s: event %d: %s", f.Check, f.Seqs[0], f.Text)
	}
	numbers := strings.Trim(fmt.Sprint(f.Seqs), "[]")
	return fmt.Sprintf("%s: events %s: %s", f.Check, strings.ReplaceAll(numbers, " ", ", "), f.Text)
}

// Result is what an audit found. The findings themselves went to its report.
type Result struct {
	Findings int
	Done     []string // what was checked, with counts
	NotDone  []string // what could not be checked, and why

	report func(Finding)
}

func (r *Result) find(finding Finding) {
	r.Findings++
	r.report(finding)
}

func (r *Result) add(check string, seq eventlog.Seq, format string, arguments ...any) {
	r.find(Finding{check, []eventlog.Seq{seq}, fmt.Sprintf(format, arguments...)})
}
