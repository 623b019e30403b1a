package report

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"

	"agentx/internal/measure"
	"agentx/internal/promtext"
)

// serverFile is server_metrics_export.json (spec exports 11): what the servers' own metrics pages say of
// the profiling phase.
func serverFile(a *measure.Analysis) object {
	var file object
	file.set("schema_version", "1.1").set("agentx_version", a.Config.Version).set("compat", compatLevel).text("benchmark_id", a.Config.BenchmarkID)
	file.set("summary", serverSummary(a)).set("metrics_phase", "profiling")
	metrics := object{}
	window := serverWindow(a)
	for _, m := range a.Server.Metrics {
		list := []object{}
		for _, s := range m.Series {
			if o, ok := seriesObject(a, m, s, window); ok {
				list = append(list, o)
			}
		}
		if len(list) > 0 {
			var o object
			metrics.set(m.Name, *o.set("type", m.Type).text("description", m.Help).set("series", list))
		}
	}
	return *file.set("metrics", metrics).set("input_config", inputConfig(a))
}

// serverWindow is the profiling phase as far as it went.
func serverWindow(a *measure.Analysis) measure.Window {
	p := a.Phase(measure.PhaseProfiling)
	if p == nil {
		return measure.NoWindow()
	}
	return measure.Window{From: p.Start, To: phaseEnd(a, p)}
}

func serverSummary(a *measure.Analysis) object {
	configured, successful := []string{}, []string{}
	info := object{}
	first, last := measure.NoStamp, measure.NoStamp
	for _, e := range a.Server.Endpoints {
		configured = append(configured, e.URL)
		if !e.First.Known() {
			continue
		}
		successful = append(successful, e.URL)
		if !first.Known() || e.First < first {
			first = e.First
		}
		last = max(last, e.Last)
		info.set(e.URL, endpoint(a, e))
	}
	var o object
	o.set("endpoints_configured", configured).set("endpoints_successful", successful)
	if first.Known() && a.Clock.Known() {
		o.set("start_time", utc(a.Clock.Time(first))).set("end_time", utc(a.Clock.Time(last)))
	}
	ranges := object{}
	for _, phase := range []measure.Phase{measure.PhaseWarmup, measure.PhaseProfiling} {
		if p := a.Phase(phase); p != nil && p.Start.Known() {
			var r object
			ranges.set(string(phase), *r.set("start_ns", a.Clock.Wall(p.Start)).set("end_ns", a.Clock.Wall(phaseEnd(a, p))))
		}
	}
	return *o.set("endpoint_info", info).set("phase_time_ranges", ranges).set("lines_not_read", a.Server.Skipped)
}

func endpoint(a *measure.Analysis, e *measure.Endpoint) object {
	good := e.Fetches - e.Failed
	var o object
	o.set("total_fetches", e.Fetches).set("failed_fetches", e.Failed).set("first_fetch_ns", a.Clock.Wall(e.First)).set("last_fetch_ns", a.Clock.Wall(e.Last))
	o.set("avg_fetch_latency_ms", float64(e.FetchNs)/1e6/float64(max(good, 1))).set("unique_updates", len(e.Updates))
	if n := len(e.Updates); n > 0 {
		o.set("first_update_ns", a.Clock.Wall(e.Updates[0])).set("last_update_ns", a.Clock.Wall(e.Updates[n-1]))
		o.set("duration_seconds", float64(e.Last-e.First)/1e9)
		gaps := make([]float64, 0, n)
		for i := 1; i < n; i++ {
			gaps = append(gaps, float64(e.Updates[i]-e.Updates[i-1])/1e6)
		}
		if stats, ok := measure.Distribute(gaps); ok {
			o.set("avg_update_interval_ms", stats.Avg).set("median_update_interval_ms", stats.Percentile(50))
		}
	}
	return o
}

// seriesObject is a series with its statistics over the phase, and over its time slices.
func seriesObject(a *measure.Analysis, m *measure.ServerMetric, s *measure.Series, window measure.Window) (object, bool) {
	stats, ok := s.Over(m.Type, window)
	if !ok {
		return nil, false
	}
	labels := object{}
	for _, l := range s.Labels {
		labels.set(l.Name, l.Value)
	}
	var o object
	o.set("endpoint_url", s.URL).set("labels", labels).set("stats", serverStats(&stats))
	if stats.Parts != nil && len(stats.Parts.Buckets) > 0 {
		buckets := object{}
		for _, b := range stats.Parts.Buckets {
			buckets.set(b.Text, b.Count)
		}
		o.set("buckets", buckets)
	}
	if ns := a.SliceNs(); ns > 0 {
		list := []object{}
		for from := window.From; from < window.To; from += measure.Stamp(ns) {
			slice := measure.Window{From: from, To: min(from+measure.Stamp(ns), window.To)}
			if part, ok := s.Slice(m.Type, slice, window); ok {
				var entry object
				entry.set("start_ns", a.Clock.Wall(slice.From)).set("end_ns", a.Clock.Wall(slice.To))
				list = append(list, append(entry, sliceStats(&part)...))
			}
		}
		o.set("timeslices", list)
	}
	return o, true
}

func serverStats(s *measure.SeriesStats) object {
	o := object{}
	switch {
	case s.Counter != nil:
		o.set("total", s.Counter.Total).set("rate", s.Counter.Rate())
	case s.Parts != nil:
		h := s.Parts
		o.set("count", h.Count.Total).set("sum", h.Sum.Total)
		o.number("avg", h.Sum.Total/h.Count.Total, h.Count.Total > 0)
		o.set("count_rate", h.Count.Rate()).set("sum_rate", h.Sum.Rate())
		for i, q := range measure.Quantiles() {
			value, ok := h.Quantile(q)
			o.number(measure.PercentileNames()[i]+"_estimate", value, ok)
		}
	default:
		g := s.Gauge
		o.set("avg", g.Avg).set("min", g.Min).set("max", g.Max).set("std", g.Std)
		for i, name := range measure.PercentileNames() {
			o.set(name, g.Percentiles[i])
		}
	}
	return o
}

// sliceStats are the few figures of one time slice.
func sliceStats(s *measure.SeriesStats) object {
	o := object{}
	switch {
	case s.Counter != nil:
		o.set("total", s.Counter.Total).set("rate", s.Counter.Rate())
	case s.Parts != nil:
		o.set("count", s.Parts.Count.Total).set("sum", s.Parts.Sum.Total)
		o.number("avg", s.Parts.Sum.Total/s.Parts.Count.Total, s.Parts.Count.Total > 0)
	default:
		o.set("avg", s.Gauge.Avg).set("min", s.Gauge.Min).set("max", s.Gauge.Max)
	}
	return o
}

// serverCSV is the same in long form, without slices and buckets.
func serverCSV(to io.Writer, a *measure.Analysis) error {
	rows := [][]string{{"Metric", "Type", "Endpoint", "Labels", "Stat", "Value"}}
	window := serverWindow(a)
	for _, m := range a.Server.Metrics {
		for _, s := range m.Series {
			stats, ok := s.Over(m.Type, window)
			if !ok {
				continue
			}
			labels := ""
			for i, l := range s.Labels {
				if i > 0 {
					labels += ";"
				}
				labels += l.Name + "=" + l.Value
			}
			for _, member := range serverStats(&stats) {
				if value, ok := member.value.(float64); ok && !math.IsNaN(value) {
					rows = append(rows, []string{m.Name, m.Type, s.URL, labels, member.key, strconv.FormatFloat(value, 'g', -1, 64)})
				}
			}
		}
	}
	return csv.NewWriter(to).WriteAll(rows)
}

// serverHighlights are the servers' figures that readers ask for first, in report.json.
func serverHighlights(a *measure.Analysis) []object {
	wanted := promtext.FactNames()
	list := []object{}
	window := serverWindow(a)
	for _, m := range a.Server.Metrics {
		if !slices.Contains(wanted, m.Name) {
			continue
		}
		for _, s := range m.Series {
			if stats, ok := s.Over(m.Type, window); ok {
				var o object
				o.set("metric", m.Name).set("endpoint_url", s.URL)
				list = append(list, append(o, sliceStats(&stats)...))
			}
		}
	}
	return list
}
