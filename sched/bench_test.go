package sched_test

import (
	"path/filepath"
	"testing"

	"agentx/corpus"
	"agentx/sched"
	"agentx/sched/schedtest"
	"agentx/sched/virtual"
)

// BenchmarkStep measures one step of the machine at 256 lanes of real traces over ten minutes of
// virtual time (the bound is 20 µs on average). The clock and the replies around it are part of it.
func BenchmarkStep(b *testing.B) {
	dir := sharedDir(b)
	names, err := filepath.Glob(filepath.Join(dir, "golden", "trace_*.json"))
	if err != nil || len(names) == 0 {
		b.Fatal("no reference traces", err)
	}
	var plans []*corpus.Plan
	for _, name := range names {
		plan, err := schedtest.LoadGolden(name)
		if err != nil {
			b.Fatal(err)
		}
		plans = append(plans, plan)
	}
	config := sched.DefaultConfig()
	config.Concurrency, config.AllowWrap, config.StartMinRatio, config.StartMaxRatio = 256, true, 0, 1
	config.CacheBust = sched.CacheBustFirstTurnPrefix
	duration, limit := int64(600_000_000_000), int64(10_000_000_000)
	config.DurationNs, config.SystemIdleCapNs, config.TraceIdleCapNs = &duration, &limit, &limit
	steps := 0
	for b.Loop() {
		machine, err := sched.New(config, plans)
		if err != nil {
			b.Fatal(err)
		}
		err = virtual.Run(machine, recordedWorld(plans), func(int64, sched.Input, []sched.Event) error {
			steps++
			return nil
		}, 100_000_000)
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
	b.ReportMetric(0, "ns/op")
}
