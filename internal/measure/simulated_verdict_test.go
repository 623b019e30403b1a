package measure_test

import (
	"testing"

	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

// A simulated run is judged like any other, and says what it is.
func TestSimulatedRunSaysSo(t *testing.T) {
	for _, simulated := range []bool{false, true} {
		log := logtest.New()
		config := logtest.Config("inferencex-agentx-mvp", nil)
		config.Simulated = simulated
		log.Row(eventlog.KindRunConfig, 0, logtest.Nowhere(), config)
		log.Row(eventlog.KindRunEnd, 1, logtest.Nowhere(), eventlog.RunEnd{Reason: "done"})
		found := false
		for _, note := range analyzed(t, log, measure.Options{}).Verdict.Notes {
			found = found || note.Setting == "simulate"
		}
		if found != simulated {
			t.Errorf("simulated %v: noted %v", simulated, found)
		}
	}
}
