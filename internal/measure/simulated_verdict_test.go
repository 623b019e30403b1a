package measure_test

import (
	"strings"
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

// A scenario sets a cap of idle time and asks for full outputs; without one neither is there by default, so that the note
// names no such default, and a cap of the scenario's length is noted.
func TestNotesNameTheDefaultsOfTheScenarioOnlyUnderIt(t *testing.T) {
	notes := func(scenario string, cap float64) string {
		log := logtest.New()
		settings := map[string]any{"system-idle-gap-cap-seconds": cap, "extra-inputs": []any{"ignore_eos:true", "top_k:5"}}
		log.Row(eventlog.KindRunConfig, 0, logtest.Nowhere(), logtest.Config(scenario, settings))
		log.Row(eventlog.KindRunEnd, 1, logtest.Nowhere(), eventlog.RunEnd{Reason: "done"})
		var lines []string
		for _, note := range analyzed(t, log, measure.Options{}).Verdict.Notes {
			if !note.Observed {
				lines = append(lines, note.Text())
			}
		}
		return strings.Join(lines, "\n")
	}
	const cut, fields = "time in which the whole system is idle is cut", "request bodies carry more fields"
	free := notes("", 10)
	for _, line := range []string{"system-idle-gap-cap-seconds = 10: " + cut, "extra-inputs = top_k:5: " + fields} {
		if !strings.Contains(free, line) {
			t.Errorf("without a scenario %q is missing:\n%s", line, free)
		}
	}
	if bound := notes("agentx", 10); strings.Contains(bound, cut) || !strings.Contains(bound, "extra-inputs = top_k:5 (default ignore_eos:true): "+fields) {
		t.Errorf("under a scenario:\n%s", bound)
	}
	if bound := notes("agentx", 2); !strings.Contains(bound, "system-idle-gap-cap-seconds = 2 (default 10): "+cut) {
		t.Errorf("under a scenario with another cap:\n%s", bound)
	}
}
