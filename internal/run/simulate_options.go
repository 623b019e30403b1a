package run

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"agentx/corpus"
	"agentx/internal/exit"
	"agentx/internal/servermodel"
	"agentx/internal/simulate"
)

// SimulateOptions say whether a run is simulated, and against what.
type SimulateOptions struct {
	On        bool
	Latencies string // recorded, or the path of a latency file; empty: the modelled server

	// Model is the modelled server; the three times below are its nanoseconds as the user gives them.
	Model      servermodel.Config
	TokenMs    float64
	OverheadMs float64
	RefusalMs  float64
}

// SimulatePrefix begins the names of the flags that shape the modelled server.
const SimulatePrefix = "sim-"

// simulatedName stands for the server and the model that a simulated run need not be told.
const simulatedName = "simulated"

// fillIn gives what a simulated run needs no answer to a name: server and model.
func (s *SimulateOptions) fillIn(o *Options) {
	if len(o.Server.Models) == 0 {
		o.Server.Models = []string{simulatedName}
	}
	if !slices.Contains(o.Explicit, "url") {
		o.Server.URLs = []string{simulatedName}
	}
}

// check refuses settings that contradict each other.
func (s *SimulateOptions) check(explicit []string) error {
	var problems []error
	shaping := slices.IndexFunc(explicit, func(name string) bool { return strings.HasPrefix(name, SimulatePrefix) })
	switch {
	case !s.On && s.Latencies != "":
		problems = append(problems, errors.New("--simulate-latencies is of use only with --simulate"))
	case !s.On && shaping >= 0:
		problems = append(problems, fmt.Errorf("--%s is of use only with --simulate", explicit[shaping]))
	case s.Latencies != "" && shaping >= 0:
		problems = append(problems, fmt.Errorf("--%s shapes the modelled server, which --simulate-latencies replaces: give one of the two", explicit[shaping]))
	}
	if s.On && s.Latencies == "" {
		if err := s.config().Validate(); err != nil {
			problems = append(problems, fmt.Errorf("the modelled server: %w", err))
		}
	}
	return errors.Join(problems...)
}

// shapes names what decides how simulated requests end.
func (s *SimulateOptions) shapes() string {
	if s.Latencies != "" {
		return "--simulate-latencies " + s.Latencies
	}
	return "--sim-window-tokens, --sim-error-rate and --sim-abort-rate"
}

// config is the modelled server's configuration with its times in ns.
func (s *SimulateOptions) config() servermodel.Config {
	config := s.Model
	config.TokenNs = int64(math.Round(s.TokenMs * 1e6))
	config.OverheadNs = int64(math.Round(s.OverheadMs * 1e6))
	config.RefusalNs = int64(math.Round(s.RefusalMs * 1e6))
	return config
}

// server makes what answers a simulated run, and says how large the units of its prefix cache are (0: it
// has none).
func (s *SimulateOptions) server(plans []*corpus.Plan, urls int) (server simulate.Server, unitTokens int, err error) {
	switch s.Latencies {
	case "":
		config := s.config()
		if server, err = simulate.NewModel(config, urls); err != nil {
			return nil, 0, exit.With(exit.Usage, err)
		}
		if unitTokens = config.UnitTokens; unitTokens == 0 {
			unitTokens = servermodel.DefaultUnitTokens
		}
		return server, unitTokens, nil
	case "recorded":
		return simulate.NewLatencies(simulate.Recorded()), 0, nil
	}
	text, err := os.ReadFile(s.Latencies)
	if err != nil {
		return nil, 0, exit.With(exit.Input, fmt.Errorf("reading --simulate-latencies: %w (expected recorded, or a JSON file)", err))
	}
	latencies, err := simulate.ReadLatencies(text)
	if err == nil {
		err = latencies.Check(plans)
	}
	if err != nil {
		return nil, 0, exit.With(exit.Input, fmt.Errorf("%s: %w", s.Latencies, err))
	}
	return simulate.NewLatencies(latencies), 0, nil
}
