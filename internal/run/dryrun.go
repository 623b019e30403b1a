package run

import (
	"encoding/json"
	"fmt"
	"io"

	"agentx/internal/scenario"
)

// dryRun is what --dry-run prints: everything as it is resolved, and the runs that would be made.
type dryRun struct {
	Bundle   string            `json:"bundle"`
	Key      string            `json:"bundle_key"`
	Dataset  dryDataset        `json:"dataset"`
	Scenario string            `json:"scenario,omitempty"`
	Settings map[string]any    `json:"settings"`
	Explicit []string          `json:"explicit"`
	Env      map[string]string `json:"env,omitempty"`
	Notes    []Note            `json:"notes"`
	Runs     []dryTrial        `json:"runs"`
}

// dryDataset is what scenarios judge of the bundle.
type dryDataset struct {
	Loader     string `json:"loader"`
	Repository string `json:"repository,omitempty"`
	Revision   string `json:"revision,omitempty"`
	Pinned     bool   `json:"pinned"` // the files are proved to be those of the repository
}

// dryTrial is one run that would be made, with the settings in which it differs.
type dryTrial struct {
	Dir         string         `json:"dir"`
	Concurrency int            `json:"concurrency"`
	Trial       int            `json:"trial"`
	Differs     map[string]any `json:"differs"`
}

// show prints the series as JSON in place of making it.
func (s *series) show(out io.Writer, recording *recording) error {
	o := s.options
	manifest, err := recording.manifest()
	if err != nil {
		return err
	}
	content := scenario.ContentOf(manifest)
	dry := dryRun{
		Bundle: o.Bundle, Key: recording.bundle.Manifest().Key.String(), Scenario: o.Scenario,
		Dataset:  dryDataset{content.Loader, content.Repository, content.Revision, content.Pinned},
		Settings: o.Settings, Explicit: o.Explicit, Env: o.Env, Notes: append([]Note{}, o.Notes...),
	}
	for i := range s.trials {
		t := &s.trials[i]
		differs := map[string]any{}
		for name, value := range t.options.Settings {
			if fmt.Sprint(value) != fmt.Sprint(o.Settings[name]) {
				differs[name] = value
			}
		}
		dry.Runs = append(dry.Runs, dryTrial{t.dir, t.options.Load.Concurrency, t.number, differs})
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(dry); err != nil {
		return fmt.Errorf("--dry-run: %w", err)
	}
	return nil
}
