package measure_test

import (
	"testing"

	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

// Whatever else it does right, a simulated run is no submission.
func TestSimulatedRunIsNoSubmission(t *testing.T) {
	for _, simulated := range []bool{false, true} {
		log := logtest.New()
		config := logtest.Config("inferencex-agentx-mvp", nil)
		config.Simulated = simulated
		log.Row(eventlog.KindRunConfig, 0, logtest.Nowhere(), config)
		log.Row(eventlog.KindRunEnd, 1, logtest.Nowhere(), eventlog.RunEnd{Reason: "done"})
		verdict := analyzed(t, log, measure.Options{}).Verdict
		found := false
		for _, reason := range verdict.Reasons {
			found = found || reason == measure.ReasonSimulated
		}
		if found != simulated || verdict.Valid {
			t.Errorf("simulated %v: valid %v, reasons %v", simulated, verdict.Valid, verdict.Reasons)
		}
	}
}
