package measure_test

import (
	"testing"

	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

func seriesNamed(t *testing.T, s *measure.ServerMetrics, name string) (*measure.ServerMetric, *measure.Series) {
	t.Helper()
	for _, m := range s.Metrics {
		if m.Name == name && len(m.Series) == 1 {
			return m, m.Series[0]
		}
	}
	t.Fatalf("no metric %s with one series", name)
	return nil, nil
}

// The first scrape, at 500 ms, is of the warmup: profiling runs from 1,000 ms on.
func TestServerMetricsCoverThePhaseOnly(t *testing.T) {
	a := analyzed(t, logtest.Mixed(), measure.Options{})
	phase := measure.Window{From: a.Phase(measure.PhaseProfiling).Start, To: a.Phase(measure.PhaseProfiling).Complete}
	m, s := seriesNamed(t, a.Server, "vllm:prompt_tokens")
	stats, ok := s.Over(m.Type, phase)
	if !ok || m.Type != "counter" || stats.Counter.Total != 2000 || stats.Counter.Rate() != 250 {
		t.Errorf("counter %s: %+v", m.Type, stats.Counter)
	}
	// The slice from 3 to 7 s has one scrape, at 6 s; the tokens since the one at 2 s belong to it.
	if slice, _ := s.Slice(m.Type, measure.Window{From: 3e9, To: 7e9}, phase); slice.Counter.Total != 1000 {
		t.Errorf("slice %+v", slice.Counter)
	}
	m, s = seriesNamed(t, a.Server, "vllm:num_requests_running")
	if stats, _ = s.Over(m.Type, phase); stats.Gauge.Avg != 3 || stats.Gauge.Max != 4 || stats.Samples != 3 {
		t.Errorf("gauge %+v", stats.Gauge)
	}
	m, s = seriesNamed(t, a.Server, "vllm:time_to_first_token_seconds")
	stats, _ = s.Over(m.Type, phase)
	h := stats.Parts
	if h.Count.Total != 8 || h.Sum.Total < 1.6-1e-9 || h.Sum.Total > 1.6+1e-9 || len(h.Buckets) != 3 || h.Buckets[1].Count != 6 {
		t.Errorf("histogram %+v", h)
	}
	// Of eight observations two were at most 0.1 s and six at most 0.5: the fourth lies half way between.
	if q, ok := h.Quantile(50); !ok || q < 0.3-1e-9 || q > 0.3+1e-9 {
		t.Errorf("median %v, want 0.3", q)
	}
	if q, ok := h.Quantile(99); !ok || q != 0.5 {
		t.Errorf("p99 %v, want the last finite bound", q)
	}
	if e := a.Server.Endpoints[0]; e.Fetches != 4 || len(e.Updates) != 4 {
		t.Errorf("endpoint %+v", e)
	}
}

func TestCounterThatBeganAgain(t *testing.T) {
	log := logtest.Mixed()
	for i, value := range []string{"100", "150", "20", "60"} {
		log.Scrape(int64(2+i)*1e9, "http://other/metrics", "# TYPE c counter\nc "+value+"\n")
	}
	a := analyzed(t, log, measure.Options{})
	m, s := seriesNamed(t, a.Server, "c")
	stats, _ := s.Over(m.Type, measure.Window{From: 0, To: 10e9})
	if stats.Counter.Total != 50+20+40 || stats.Counter.Seconds != 3 {
		t.Errorf("counter %+v", stats.Counter)
	}
}

func TestNoServerMetricsWithoutScrapes(t *testing.T) {
	a := analyzed(t, simulated(t, 3, 0), measure.Options{})
	if a.Server != nil {
		t.Errorf("server metrics %+v", a.Server)
	}
}
