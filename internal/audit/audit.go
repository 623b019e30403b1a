package audit

import (
	"fmt"

	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/internal/schedlog/invariants"
)

// Run audits a log in one pass: the machine, run again on the recorded inputs, must decide the same; its
// 31 invariants must hold, with every draw, start and marker computed again; the wire facts must agree
// with what the machine decided and was told; and, where bodies is given, every request body must come out
// of the bundle with its recorded digest. cut says that the log lacks the run's last events, so that its
// last facts may be missing. report is told of each finding.
func Run(log Log, bodies *Bodies, cut bool, report func(Finding)) (*Result, error) {
	header, err := readHeader(log)
	if err != nil {
		return nil, fmt.Errorf("auditing the log: %w", err)
	}
	a := &audit{header: header, result: &Result{report: report}, machine: schedlog.NewRerun(header.plans)}
	a.wire = newWireCheck(a.result)
	a.promises = invariants.New(header.plans, func(v invariants.Violation) {
		a.result.find(Finding{fmt.Sprintf("I%d", v.Invariant), v.Seqs, v.Text})
	})
	if header.config.Simulated {
		bodies = nil
	}
	a.bodies = bodies
	bodies.begin(header)
	err = a.rows(log)
	if bodyErr := bodies.end(a.result); err == nil {
		err = bodyErr
	}
	if err != nil {
		return nil, fmt.Errorf("auditing the log: %w", err)
	}
	a.conclude(cut)
	return a.result, nil
}

// audit is one pass.
type audit struct {
	header   *header
	result   *Result
	machine  *schedlog.Rerun
	promises *invariants.Check
	wire     *wireCheck
	bodies   *Bodies
}

func (a *audit) rows(log Log) error {
	for row, err := range log.Events(eventlog.Filter{NoData: true}) {
		if err != nil {
			return err
		}
		mismatch, err := a.machine.Row(row)
		if err != nil {
			return err
		}
		a.mismatch(mismatch)
		if err := a.promises.Row(row); err != nil {
			return err
		}
		if err := a.wire.row(row); err != nil {
			return err
		}
		if err := a.bodies.row(row); err != nil {
			return err
		}
	}
	return nil
}

func (a *audit) mismatch(mismatch *schedlog.Mismatch) {
	if mismatch != nil {
		a.result.add("machine", mismatch.Seq, "%s; what follows was not compared", mismatch.Text)
	}
}

// conclude looks for what is missing at the end, and says what was looked at.
func (a *audit) conclude(cut bool) {
	a.mismatch(a.machine.End(cut))
	a.promises.End(cut)
	a.wire.finish(cut)
	r := a.result
	r.Done = append(r.Done,
		fmt.Sprintf("machine: %d decisions made again and compared", a.machine.Compared()),
		"invariants: all 31, with draws, starts and markers computed again",
		fmt.Sprintf("wire: %d exchanges against what the machine decided and was told", a.wire.count),
	)
	switch {
	case a.header.config.Simulated:
		r.NotDone = append(r.NotDone, "body: the run was simulated, no request was sent")
	case a.bodies == nil:
		r.NotDone = append(r.NotDone, "body: request bodies need the bundle (--bundle FILE)")
	default:
		r.Done = append(r.Done, fmt.Sprintf("body: %d request bodies rebuilt from the bundle and compared", a.bodies.count))
		if a.bodies.without > 0 {
			r.NotDone = append(r.NotDone, fmt.Sprintf("body: %d exchanges have no digest, their requests were not written whole", a.bodies.without))
		}
	}
}
