package report

import (
	"encoding/json"
	"testing"

	"agentx/internal/measure/logtest"
)

// TestErrorRatesAreByClassDepthAndPhase: what fails adds up to the same number each way (spec metrics 10.4).
func TestErrorRatesAreByClassDepthAndPhase(t *testing.T) {
	a := analyzed(t, logtest.Mixed())
	text, err := encode(nil, errorRates(a))
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Class, Phase string
		Failed, Sent int
		Rate         float64
	}
	var rates struct {
		Failed, Sent int
		Class        []row `json:"by_class"`
		Depth        []row `json:"by_depth"`
		Phase        []row `json:"by_phase"`
	}
	if err := json.Unmarshal(text, &rates); err != nil {
		t.Fatal(err)
	}
	failed, sent := map[string]int{}, map[string]int{}
	for name, rows := range map[string][]row{"class": rates.Class, "depth": rates.Depth} {
		for _, r := range rows {
			failed[name] += r.Failed
			sent[name] += r.Sent
		}
	}
	phases := map[string]row{}
	for _, r := range rates.Phase {
		phases[r.Phase] = r
	}
	if rates.Failed == 0 || failed["class"] != rates.Failed || failed["depth"] != rates.Failed || sent["depth"] != rates.Sent || phases["profiling"].Failed != rates.Failed || phases["profiling"].Sent != rates.Sent {
		t.Errorf("the rows do not add up: %s", text)
	}
	if phases["warmup"].Sent != 2 || phases["warmup"].Failed != 0 {
		t.Errorf("warmup %+v, want 2 sent and none failed", phases["warmup"])
	}
	if len(rates.Class) == 0 || rates.Class[0].Rate != float64(rates.Class[0].Failed)/float64(rates.Sent) {
		t.Errorf("classes %+v of %d sent", rates.Class, rates.Sent)
	}
}
