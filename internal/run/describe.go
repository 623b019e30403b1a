package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"agentx/eventlog"
	"agentx/internal/buildinfo"
	"agentx/wire"
)

// runConfig is the run's first event: everything needed to repeat it. Each run of several has it in a file
// of its own too, without the bundle's manifest.
func (s *session) runConfig() (eventlog.RunConfig, error) {
	config, err := s.describe()
	if err != nil || s.trials == 1 {
		return config, err
	}
	brief := config
	brief.Bundle.Manifest, brief.Bundle.Traces = nil, nil
	text, err := json.MarshalIndent(brief, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, configName), append(text, '\n'), 0o644)
	}
	if err != nil {
		err = fmt.Errorf("writing the run's configuration: %w", err)
	}
	return config, err
}

func (s *session) describe() (eventlog.RunConfig, error) {
	o := s.options
	manifest, err := s.recording.manifest()
	if err != nil {
		return eventlog.RunConfig{}, err
	}
	urls := make([]string, len(o.Server.URLs))
	for i, url := range o.Server.URLs {
		urls[i] = wire.RedactURL(url)
	}
	host, _ := os.Hostname() // a host without a name is recorded as such
	return eventlog.RunConfig{
		Schema:      eventlog.SchemaVersion,
		Program:     "agentx-run",
		Version:     buildinfo.Version(),
		Commit:      buildinfo.Commit(),
		RunID:       o.RunID,
		BenchmarkID: o.BenchmarkID,
		Scenario:    o.Scenario,
		Args:        o.Args,
		Settings:    maps.Clone(o.Settings),
		Explicit:    o.Explicit,
		Env:         o.Env,
		Seed:        s.seed,
		SeedFresh:   o.Seed < 0,
		URLs:        urls,
		Models:      o.Server.Models,
		Labels:      labels(o.Labels),
		Bundle: eventlog.BundleInfo{
			Path:          s.recording.bundle.Path(),
			Key:           s.recording.bundle.Manifest().Key.String(),
			ContentDigest: s.recording.bundle.ContentDigest().String(),
			Traces:        s.recording.traces(),
			Manifest:      manifest,
		},
		Host: eventlog.HostInfo{
			Name: host, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
			Go: runtime.Version(), PID: os.Getpid(),
		},
		Trial:  s.number,
		Trials: s.trials,
	}, nil
}

func labels(pairs []string) map[string]string {
	if len(pairs) == 0 {
		return nil
	}
	named := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		named[name] = value
	}
	return named
}
