package run

import (
	"testing"

	"agentx/internal/scenario"
)

// TestEveryInjectionOfEveryScenarioIsFollowed: what a scenario fills in must reach options and settings.
func TestEveryInjectionOfEveryScenarioIsFollowed(t *testing.T) {
	for _, name := range scenario.Names() {
		outcome, err := scenario.Judge(scenario.Input{Name: name, Trials: 2, Content: scenario.Content{Loader: scenario.ExampleAlias, Pinned: true}})
		if err != nil {
			t.Fatal(err)
		}
		o := &Options{Scenario: name}
		if err := o.inject(outcome.Injections); err != nil {
			t.Error(err)
		}
		for _, injection := range outcome.Injections {
			if _, recorded := o.Settings[injection.Setting]; !recorded && !injection.Fresh {
				t.Errorf("%s: %s is filled in, but not recorded", name, injection.Setting)
			}
		}
		if !o.Server.Streaming || o.Load.CacheBust != scenario.CacheBustTarget || o.Load.SystemIdleCap != scenario.SystemIdleGapCap || o.Seed != 42 || o.Load.Grace != 30 {
			t.Errorf("%s: options %+v", name, o.Load)
		}
		if name == scenario.AgentX && (o.Load.WarmupPerLane != 10 || o.Load.FailedThreshold != 0.1 || !o.Results.UseServerTokens) {
			t.Errorf("%s: options %+v", name, o.Load)
		}
	}
}

func TestUnknownInjectionIsAnError(t *testing.T) {
	if err := (&Options{}).inject([]scenario.Injection{{Setting: "speed", Value: 1.0}}); err == nil {
		t.Error("accepted")
	}
}
