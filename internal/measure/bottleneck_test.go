package measure

import (
	"slices"
	"testing"
)

// A client that took more than 85 % of the cores, or whose requests went out more than 50 ms late at the 99th
// percentile of the profiling, is the bottleneck; one at the limits is not, and a simulation has none.
func TestBottleneckRule(t *testing.T) {
	lateBy := func(ms int64, phase Phase) *Record {
		r := &Record{Phase: phase}
		r.Times.Due, r.Times.Ready = 0, 0
		r.Times.Issued, r.Times.SendStart = Stamp(ms*1e6), Stamp(ms*1e6)
		return r
	}
	for _, c := range []struct {
		name string
		run  Run
		want []string
	}{
		{"in time", Run{Client: ClientLoad{CPUShareMax: 0.85}, Records: []*Record{lateBy(50, PhaseProfiling)}}, nil},
		{"busy", Run{Client: ClientLoad{CPUShareMax: 0.86}}, []string{"it used up to 86 % of all cores"}},
		{"late", Run{Records: []*Record{lateBy(51, PhaseProfiling)}}, []string{"lateness p99 51 ms"}},
		{"late in the warmup", Run{Records: []*Record{lateBy(51, PhaseWarmup)}}, nil},
		{"both", Run{Client: ClientLoad{CPUShareMax: 1}, Records: []*Record{lateBy(900, PhaseProfiling)}}, []string{"it used up to 100 % of all cores", "lateness p99 900 ms"}},
	} {
		if got := c.run.Bottleneck(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		c.run.Config.Simulated = true
		if got := c.run.Bottleneck(); got != nil {
			t.Errorf("%s, simulated: %q", c.name, got)
		}
	}
}
