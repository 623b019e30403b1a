package audit

import (
	"fmt"

	"agentx/eventlog"
	"agentx/internal/schedlog"
)

// Run audits a log in one pass: the machine, run again on the recorded inputs, must decide the same; the
// wire facts must agree with what the machine decided and was told; and, where bodies is given, every
// request body must come out of the bundle with its recorded digest. interrupted says that the log has
// no closing event, so that its last facts may be missing.
func Run(log Log, bodies *Bodies, interrupted bool) (*Result, error) {
	header, err := readHeader(log)
	if err != nil {
		return nil, fmt.Errorf("auditing the log: %w", err)
	}
	result := &Result{}
	machine := schedlog.NewRerun(header.plans)
	wire := newWireCheck(result)
	for row, err := range log.Events(eventlog.Filter{NoData: true}) {
		if err != nil {
			return nil, fmt.Errorf("auditing the log: %w", err)
		}
		mismatch, err := machine.Row(row)
		if err != nil {
			return nil, fmt.Errorf("auditing the log: %w", err)
		}
		result.machine(mismatch)
		if err := wire.row(row); err != nil {
			return nil, fmt.Errorf("auditing the log: %w", err)
		}
		if err := bodies.row(row, header, result); err != nil {
			return nil, fmt.Errorf("auditing the log: %w", err)
		}
	}
	result.machine(machine.End(interrupted))
	result.Done = append(result.Done, fmt.Sprintf("machine: %d decisions made again and compared", machine.Compared()))
	wire.finish(interrupted)
	bodies.finish(result)
	return result, nil
}

func (r *Result) machine(mismatch *schedlog.Mismatch) {
	if mismatch != nil {
		r.add("machine", mismatch.Seq, "%s; what follows was not compared", mismatch.Text)
	}
}
