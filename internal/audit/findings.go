// Package audit holds a log against what it must agree with: the replay machine run again on the
// recorded inputs, the facts from the wire, and the request bodies that the bundle gives. Every
// disagreement is a finding that names the events concerned; what could not be looked at is said.
package audit

import (
	"fmt"

	"agentx/eventlog"
)

// Finding is one disagreement.
type Finding struct {
	Check string       // machine, wire, body, or an invariant's name
	Seq   eventlog.Seq // the event where it was seen, 0 where none is meant
	Text  string
}

// String is the finding in one line.
func (f Finding) String() string {
	if f.Seq == 0 {
		return f.Check + ": " + f.Text
	}
	return fmt.Sprintf("%s: event %d: %s", f.Check, f.Seq, f.Text)
}

// maxFindings bounds what one audit keeps; the rest is counted.
const maxFindings = 200

// Result is what an audit found.
type Result struct {
	Findings []Finding
	More     int      // findings beyond the first 200
	Done     []string // what was checked, with counts
	NotDone  []string // what could not be checked, and why
}

// Clean tells that nothing disagreed.
func (r *Result) Clean() bool { return len(r.Findings) == 0 }

func (r *Result) add(check string, seq eventlog.Seq, format string, arguments ...any) {
	if len(r.Findings) >= maxFindings {
		r.More++
		return
	}
	r.Findings = append(r.Findings, Finding{check, seq, fmt.Sprintf(format, arguments...)})
}
