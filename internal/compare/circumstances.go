package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"agentx/internal/measure"
)

// windowShare is how far window lengths may be apart without a word.
const windowShare = 0.01

func (f *finder) window() {
	seconds := func(side Side) float64 {
		total := 0.0
		for _, a := range side.Runs {
			total += WindowSeconds(a)
		}
		return total / float64(len(side.Runs))
	}
	a, b := seconds(f.sides[sideA]), seconds(f.sides[sideB])
	if a != b && math.Abs(a-b) > windowShare*max(a, b) {
		f.list = append(f.list, Difference{"window", "window", fmt.Sprintf("%.1f s", a), fmt.Sprintf("%.1f s", b),
			"caches are warmer and sessions further on in the longer one", Explains})
	}
}

func (f *finder) server() {
	for _, fact := range []struct {
		name string
		of   func(*measure.Analysis) string
	}{
		{"server version", func(a *measure.Analysis) string { return servers(a, "version") }},
		{"served models", func(a *measure.Analysis) string { return servers(a, "models") }},
		{"longest context of the server", func(a *measure.Analysis) string { return servers(a, "window") }},
		{"labels", func(a *measure.Analysis) string { return labelText(a.Config.Labels) }},
	} {
		f.hold(Explains, "server", fact.name, "another server, or another set-up of it", fact.of)
	}
}

func servers(a *measure.Analysis, what string) string {
	var list []string
	for _, s := range a.Servers {
		switch what {
		case "version":
			name := strings.TrimSpace(s.Server + " " + s.Version)
			if strings.HasPrefix(s.Version, s.Server) {
				name = s.Version // it says both
			}
			list = append(list, name)
		case "models":
			list = append(list, strings.Join(s.Models, " "))
		default:
			list = append(list, fmt.Sprint(s.MaxModelLen))
		}
	}
	slices.Sort(list)
	return orNone(strings.Join(slices.Compact(list), ", "))
}

func labelText(labels map[string]string) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, key+"="+labels[key])
	}
	return orNone(strings.Join(list, " "))
}

func (f *finder) client() {
	f.hold(Note, "client", "client version", "the client itself changed: see its changelog", func(a *measure.Analysis) string {
		return strings.TrimSpace(a.Config.Program + " " + a.Config.Version + " " + a.Config.Commit)
	})
	f.hold(Note, "client", "client host", "another machine made the load", func(a *measure.Analysis) string {
		h := a.Config.Host
		return fmt.Sprintf("%s %s/%s, %d CPUs, %s", h.Name, h.OS, h.Arch, h.CPUs, h.Go)
	})
	for side, name := range [2]string{"A", "B"} {
		if c := clientOf(f.sides[side]); c.Limited != "" {
			d := Difference{Topic: "client", Name: "client of " + name, A: "in time", B: "in time", Weight: Explains,
				Effect: "the client, not the server, shaped the load"}
			if side == sideA {
				d.A = c.Limited
			} else {
				d.B = c.Limited
			}
			f.list = append(f.list, d)
		}
	}
}

func (f *finder) results() {
	f.hold(Explains, "result", "complete", "a run that was cut short shows its beginning only", func(a *measure.Analysis) string {
		return yesNo(a.Verdict.Complete)
	})
	f.hold(Explains, "result", "cancelled", "a run that was cut short shows its beginning only", func(a *measure.Analysis) string {
		return yesNo(a.Verdict.Cancelled)
	})
	f.hold(Note, "result", "valid submission", "see the verdicts", func(a *measure.Analysis) string {
		if a.Verdict.Scenario == "" {
			return "not judged"
		}
		return yesNo(a.Verdict.Valid)
	})
	f.hold(Note, "measuring", "log format", "an older program wrote one of the logs", func(a *measure.Analysis) string { return fmt.Sprint(a.Config.Schema) })
	failed := [2]string{survivors(f.sides[sideA]), survivors(f.sides[sideB])}
	if failed[sideA] != "" || failed[sideB] != "" {
		f.list = append(f.list, Difference{"result", "failed requests", orNone(failed[sideA]), orNone(failed[sideB]),
			"latencies are of the requests that succeeded: failures can make a server look fast", Explains})
	}
}

// failedShare is the share of failed requests above which latencies are those of survivors.
const failedShare = 0.01

// survivors says how many requests of a side failed, if it is more than a few.
func survivors(side Side) string {
	lost, all := 0, 0
	for _, a := range side.Runs {
		t := a.Own.Totals
		lost += t.Errors + t.Skipped
		all += t.Valid + t.Errors + t.Skipped
	}
	if float64(lost) <= failedShare*float64(all) {
		return ""
	}
	return fmt.Sprintf("%d of %d", lost, all)
}

// Client is how honest the client of a side was: what it says of its own load. Of several runs the worst.
type Client struct {
	LatenessP50Ms, LatenessP99Ms, LatenessMaxMs float64 // NaN where not known
	ReadDelayP99Ms                              float64
	CPUShareMax, MachineShareMax                float64
	QueueEventsMax                              int64
	Samples                                     int
	Limited                                     string // why the client may have shaped the load, by measure's limits; empty: it did not
}

func clientOf(side Side) Client {
	c := Client{LatenessP50Ms: math.NaN(), LatenessP99Ms: math.NaN(), LatenessMaxMs: math.NaN()}
	for _, a := range side.Runs {
		if late, ok := a.Own.Get("lateness"); ok {
			c.LatenessP50Ms = most(c.LatenessP50Ms, late.Stats.Percentile(50))
			c.LatenessP99Ms = most(c.LatenessP99Ms, late.Stats.Percentile(99))
			c.LatenessMaxMs = most(c.LatenessMaxMs, late.Stats.Max)
		}
		c.ReadDelayP99Ms = max(c.ReadDelayP99Ms, float64(a.Client.ReadDelayP99MaxNs)/1e6)
		c.CPUShareMax, c.MachineShareMax = max(c.CPUShareMax, a.Client.CPUShareMax), max(c.MachineShareMax, a.Client.MachineShareMax)
		c.QueueEventsMax = max(c.QueueEventsMax, a.Client.QueueEventsMax)
		c.Samples += a.Client.Samples
		if reasons := strings.Join(a.Bottleneck(), ", "); c.Limited == "" {
			c.Limited = reasons
		}
	}
	return c
}

// most is the greater one, where NaN is less than everything.
func most(a, b float64) float64 {
	if math.IsNaN(a) {
		return b
	}
	return max(a, b)
}
