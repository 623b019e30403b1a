package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentx/internal/measure"
)

// Weight says what a difference in the circumstances means for a comparison.
type Weight string

// The weights.
const (
	Refuse   Weight = "refuse"   // the numbers are of different things
	Explains Weight = "explains" // may be the reason of what is found
	Note     Weight = "note"     // to be known
)

// Difference is one circumstance in which the sides differ.
type Difference struct {
	Topic  string // corpus, scenario, load, seed, window, server, client, measuring, simulation, result
	Name   string
	A, B   string
	Effect string
	Weight Weight
}

// NotComparable says that two sides may not be compared, and why.
type NotComparable struct {
	A, B        string
	Differences []Difference
}

func (n *NotComparable) Error() string {
	var reasons []string
	for _, d := range n.Differences {
		reasons = append(reasons, fmt.Sprintf("%s differs (%s, %s): %s", d.Name, d.A, d.B, d.Effect))
	}
	return fmt.Sprintf("%s and %s are not comparable: %s; --force compares them all the same", n.A, n.B, strings.Join(reasons, "; "))
}

func (c *Comparison) refusals() []Difference {
	return slices.DeleteFunc(slices.Clone(c.Differing), func(d Difference) bool { return d.Weight != Refuse })
}

// finder gathers differences between two sides.
type finder struct {
	sides [2]Side
	list  []Difference
}

// Differing lists everything in which the sides differ that could matter, the weightiest first.
func Differing(a, b Side) []Difference {
	sides := [2]Side{a, b}
	f := &finder{sides: sides}
	f.corpus()
	f.repeats()
	f.hold(Refuse, "scenario", "scenario", "results of different scenarios are never comparable", func(a *measure.Analysis) string {
		return orNone(a.Config.Scenario)
	})
	f.hold(Explains, "scenario", "simulated", "one of them had no server", func(a *measure.Analysis) string { return yesNo(a.Config.Simulated) })
	f.settings()
	f.hold(Note, "seed", "random-seed", "other sessions and other starting points: fewer turns are the same", func(a *measure.Analysis) string {
		return fmt.Sprint(a.Config.Seed)
	})
	f.window()
	f.server()
	f.client()
	f.results()
	slices.SortStableFunc(f.list, func(a, b Difference) int { return a.Weight.rank() - b.Weight.rank() })
	return f.list
}

// repeats finds runs that a side counts more than once: the same log given twice, or simulations of one seed,
// which are the same run to the last digit.
func (f *finder) repeats() {
	most := [2]string{"each once", "each once"}
	for i, side := range f.sides {
		seen := map[string]int{}
		for _, run := range side.Runs {
			if id := run.Config.RunID; id != "" {
				seen[id]++
			}
		}
		for _, id := range slices.Sorted(maps.Keys(seen)) {
			if seen[id] > 1 {
				most[i] = fmt.Sprintf("run %s %d times", short(id), seen[id])
				break
			}
		}
	}
	f.onBothSides()
	if most[sideA] == "each once" && most[sideB] == "each once" {
		return
	}
	f.list = append(f.list, Difference{"result", "counting of runs", most[sideA], most[sideB], "a run that is counted twice makes chance look smaller than it is", Refuse})
}

// onBothSides finds a run that stands on both sides: what it is compared with there is itself. Simulations of one
// seed share an id, so the instant of the start belongs to it.
func (f *finder) onBothSides() {
	type start struct {
		id     string
		wallNs int64
	}
	of := map[start]bool{}
	for _, run := range f.sides[sideA].Runs {
		of[start{run.Config.RunID, run.Clock.WallNs}] = run.Config.RunID != "" && run.Clock.Known()
	}
	for _, run := range f.sides[sideB].Runs {
		if id := run.Config.RunID; of[start{id, run.Clock.WallNs}] {
			f.list = append(f.list, Difference{"result", "same run", "run " + short(id), "run " + short(id),
				"it stands on both sides and is compared with itself: that nothing differs there says nothing; give another run", Explains})
			return
		}
	}
}

func (w Weight) rank() int { return slices.Index([]Weight{Refuse, Explains, Note}, w) }

// hold compares one fact of all runs: a side with several values names them all.
func (f *finder) hold(weight Weight, topic, name, effect string, fact func(*measure.Analysis) string) {
	a, b := facts(f.sides[sideA], fact), facts(f.sides[sideB], fact)
	if a == b {
		return
	}
	f.list = append(f.list, Difference{topic, name, a, b, effect, weight})
}

// facts are the distinct values of a fact, ascending.
func facts(side Side, fact func(*measure.Analysis) string) string {
	seen := map[string]bool{}
	for _, a := range side.Runs {
		seen[fact(a)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), ", ")
}

func (f *finder) corpus() {
	digest := func(a *measure.Analysis) string { return a.Config.Bundle.ContentDigest }
	shown := func(side Side) string {
		return facts(side, func(a *measure.Analysis) string { return short(a.Config.Bundle.ContentDigest) })
	}
	if a, b := f.sides[sideA], f.sides[sideB]; facts(a, digest) != facts(b, digest) {
		f.list = append(f.list, Difference{"corpus", "corpus", shown(a), shown(b), "other sessions, or other texts: their requests are not the same work", Refuse})
	}
	for side, name := range [2]string{"A", "B"} {
		if strings.Contains(facts(f.sides[side], digest), ", ") {
			digests := shown(f.sides[side])
			f.list = append(f.list, Difference{"corpus", "corpus within " + name, digests, digests, "the runs of a group are of one corpus", Refuse})
		}
	}
	if len(f.list) == 0 {
		return
	}
	names := map[string]bool{}
	for _, side := range f.sides {
		for _, a := range side.Runs {
			maps.Insert(names, maps.All(recipe(a)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		f.hold(Note, "corpus", "bundle: "+name, "part of why the corpora differ", func(a *measure.Analysis) string {
			return orNone(recipeText(a, name))
		})
	}
}

// short is the beginning of a digest, enough to tell two apart.
func short(digest string) string {
	if len(digest) > 12 {
		return digest[:12]
	}
	return orNone(digest)
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// recipe are the names of everything that a bundle was made of.
func recipe(a *measure.Analysis) map[string]bool {
	names := map[string]bool{}
	eachRecipe(a, func(name, _ string) { names[name] = true })
	return names
}

func recipeText(a *measure.Analysis, wanted string) string {
	found := ""
	eachRecipe(a, func(name, text string) {
		if name == wanted {
			found = text
		}
	})
	return found
}

// eachRecipe gives the values of the recipe: its own, and those of its source, options and tokenizer.
func eachRecipe(a *measure.Analysis, give func(name, text string)) {
	whole, _ := a.Config.Bundle.Manifest["recipe"].(map[string]any)
	for name, value := range whole {
		inner, nested := value.(map[string]any)
		if !nested {
			give(name, fmt.Sprint(value))
			continue
		}
		for key, value := range inner {
			if _, deeper := value.(map[string]any); !deeper {
				give(name+"."+key, fmt.Sprint(value))
			}
		}
	}
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// settings compares every flag that can matter.
func (f *finder) settings() {
	names := map[string]bool{}
	for _, side := range f.sides {
		for _, a := range side.Runs {
			for name := range a.Settings {
				names[name] = true
			}
			for name := range a.Config.Env {
				names["variable "+name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if cosmetic(name) {
			continue
		}
		topic, effect := topicOf(name)
		f.hold(Explains, topic, name, effect, func(a *measure.Analysis) string {
			if variable, is := strings.CutPrefix(name, "variable "); is {
				return orNone(a.Config.Env[variable])
			}
			return orNone(settingText(a, name))
		})
	}
}

// settingText is a setting as shown; unset numbers are none.
func settingText(a *measure.Analysis, name string) string {
	text := a.Settings.Text(name)
	switch text {
	case "-1", "NaN", "[]":
		return ""
	}
	return text
}

// cosmetic settings say where results go and how a run is named, or are compared elsewhere.
func cosmetic(name string) bool {
	switch name {
	case "api-key", "api-key-file", "artifact-dir", "benchmark-id", "bundle", "config-file", "help", "label", "log-dir",
		"overwrite", "quiet", "random-seed", "run-id", "stats-interval", "ui", "version", "num-profile-runs":
		return true
	}
	return strings.HasPrefix(name, "profile-export") || strings.HasPrefix(name, "export-")
}

// topicOf sorts a setting.
func topicOf(name string) (topic, effect string) {
	switch name {
	case "url", "model", "endpoint", "header", "extra-inputs", "use-legacy-max-tokens", "session-header", "tree-affinity-header",
		"http-version", "connection-reuse-strategy", "url-scope", "per-chunk-usage", "streaming", "no-streaming":
		return "server", "the server gets other requests, or is another one"
	case "goodput", "slice-duration", "use-server-token-count", "server-metrics", "network-latency-mean":
		return "measuring", "figures are taken differently"
	case "simulate", "simulate-latencies":
		return "simulation", "the modelled server is another one"
	}
	if strings.HasPrefix(name, "sim-") {
		return "simulation", "the modelled server is another one"
	}
	return "load", "the load is another one"
}
