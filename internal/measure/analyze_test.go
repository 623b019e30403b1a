package measure_test

import (
	"testing"

	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

func analyzed(t *testing.T, log *logtest.Log, options measure.Options) *measure.Analysis {
	t.Helper()
	a, err := measure.Analyze(log, options)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestNothingDisappears(t *testing.T) {
	a := analyzed(t, logtest.Mixed(), measure.Options{})
	want := map[measure.Outcome]int{
		measure.OutcomeOK: 6, measure.OutcomeNoVisibleOutput: 1, measure.OutcomeHTTPError: 1, measure.OutcomeOverflow: 1,
		measure.OutcomeCancelledGrace: 1, measure.OutcomeNeverSent: 1,
	}
	for _, outcome := range measure.Outcomes() {
		if got := a.Population.Outcomes[outcome]; got != want[outcome] {
			t.Errorf("%s: %d, want %d", outcome, got, want[outcome])
		}
	}
	p := a.Population
	if p.Total != 11 || p.Sent != 10 || p.Valid != 6 || p.InFlightAtEnd != 2 || p.CompletedInGrace != 1 || p.CancelledAtGrace != 1 || p.Unsent != 1 {
		t.Errorf("population %+v", p)
	}
	if p.Refused["duration"] != 1 {
		t.Errorf("refused %v", p.Refused)
	}
}
