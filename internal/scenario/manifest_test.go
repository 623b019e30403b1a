package scenario

import (
	"encoding/json"
	"testing"
)

func content(t *testing.T, text string) Content {
	t.Helper()
	var manifest map[string]any
	if err := json.Unmarshal([]byte(text), &manifest); err != nil {
		t.Fatal(err)
	}
	return ContentOf(manifest)
}

func TestContentOfManifest(t *testing.T) {
	if got := content(t, `{}`); got.Loader != "" {
		t.Errorf("no recipe gives %+v", got)
	}
	if got := content(t, `{"recipe":{"source":{"evidence":"local"},"options":{}}}`); got.Loader != LoaderLocal || got.Pinned {
		t.Errorf("local files give %+v", got)
	}
	pinned := content(t, `{"recipe":{"source":{"alias":"`+ExampleAlias+`","repository":"`+PinnedRepository+`","revision":"abc","evidence":"hub"},
		"options":{"ignore_trace_delays":true,"max_isl":100,"inter_turn_delay_cap_seconds":0}}}`)
	if pinned.Loader != ExampleAlias || !pinned.Pinned || !pinned.IgnoreTraceDelays || *pinned.MaxISL != 100 || *pinned.InterTurnCapSeconds != 0 {
		t.Errorf("an alias gives %+v", pinned)
	}
	if got := content(t, `{"recipe":{"source":{"repository":"x/y","evidence":"hub"},"options":{"max_isl":0,"inter_turn_delay_cap_seconds":null}}}`); got.Loader != LoaderHub || got.MaxISL != nil || got.InterTurnCapSeconds != nil {
		t.Errorf("a repository gives %+v", got)
	}
}
