package report

import (
	"encoding/json"
	"reflect"
	"testing"

	"agentx/internal/measure/logtest"
)

// TestTheConfigurationIsWherePeersReadersLookForIt: phases and limits of the run, the point of a sweep, what of a hub's
// data set was asked for.
func TestTheConfigurationIsWherePeersReadersLookForIt(t *testing.T) {
	a := analyzed(t, logtest.Mixed())
	a.Settings["sweep"] = true
	a.Config.Bundle.Manifest = map[string]any{"recipe": map[string]any{
		"source":  map[string]any{"alias": "semianalysis_cc_traces_weka_062126", "repository": "semianalysisai/cc-traces-weka-062126", "subset": "s1", "evidence": "hub"},
		"options": map[string]any{"num_dataset_entries": 40.0},
	}}
	text, err := json.Marshal(mustDecode(t, profile(a)))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Metadata struct {
			Dataset map[string]any `json:"dataset"`
		} `json:"metadata"`
		RunInfo struct {
			Label  string             `json:"variation_label"`
			Values map[string]float64 `json:"variation_values"`
		} `json:"run_info"`
		Input struct {
			Phases   []map[string]any `json:"phases"`
			Endpoint map[string]any   `json:"endpoint"`
		} `json:"input_config"`
		Telemetry map[string]any `json:"telemetry_data"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if d := file.Metadata.Dataset; d["num_dataset_entries"] != 40.0 || d["hf_subset"] != "s1" || d["hf_split"] != "train" || d["loader"] != "semianalysis_cc_traces_weka_062126" {
		t.Errorf("data set %v", d)
	}
	if file.RunInfo.Label != "concurrency=2" || !reflect.DeepEqual(file.RunInfo.Values, map[string]float64{"concurrency": 2}) {
		t.Errorf("run %+v", file.RunInfo)
	}
	if len(file.Input.Phases) != 1 || file.Input.Phases[0]["concurrency"] != 2.0 || file.Input.Phases[0]["timing_mode"] != "agentic_replay" || file.Input.Phases[0]["duration"] != 10.0 {
		t.Errorf("phases %v", file.Input.Phases)
	}
	if file.Input.Endpoint["type"] != "chat" || file.Telemetry["endpoints"] == nil {
		t.Errorf("endpoint %v, telemetry %v", file.Input.Endpoint, file.Telemetry)
	}
}

func mustDecode(t *testing.T, o object) any {
	t.Helper()
	text, err := encode(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
