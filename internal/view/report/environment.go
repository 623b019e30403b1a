package report

import (
	"agentx/internal/measure"
)

func client(a *measure.Analysis) object {
	c := &a.Client
	o := object{}
	o.set("samples", c.Samples)
	if c.Samples > 0 {
		o.set("cpu_seconds", c.CPUSeconds).set("cpu_share_max", c.CPUShareMax).set("machine_share_max", c.MachineShareMax).set("rss_bytes_max", c.RSSMax)
		o.set("gc_pause_ms", float64(c.GCPauseNs)/1e6).set("scheduler_latency_p99_ms_max", float64(c.SchedLatP99MaxNs)/1e6)
		o.set("log_queue_events_max", c.QueueEventsMax).set("log_queue_bytes_max", c.QueueBytesMax).set("count_queue_max", c.CountQueueMax)
		o.set("read_delay_p99_ms_max", float64(c.ReadDelayP99MaxNs)/1e6).set("read_delay_ms_max", float64(c.ReadDelayMaxNs)/1e6).set("in_flight_max", c.InFlightMax)
	}
	reasons := a.Bottleneck()
	o.set("bottleneck", len(reasons) > 0)
	if len(reasons) > 0 {
		o.set("bottleneck_reasons", reasons)
	}
	h := &a.Config.Host
	var host object
	host.set("name", h.Name).set("os", h.OS).set("arch", h.Arch).set("cpus", h.CPUs).set("go", h.Go)
	return *o.set("host", host)
}

func clock(a *measure.Analysis) object {
	o := object{}
	if a.Clock.Known() {
		o.set("start", utc(a.Clock.Time(0))).set("wall_ns_at_run_start", a.Clock.Wall(0)).set("anchors", a.Clock.Anchors)
		o.set("steps", a.Clock.Steps).set("wall_clock_moved_ms", float64(a.Clock.DriftNs)/1e6)
	}
	return o
}

// tokenCounts compares the server's prompt counts with the planned ones (decision 30).
func tokenCounts(a *measure.Analysis) object {
	var server, local int64
	pairs := 0
	for _, r := range a.Selected {
		if r.Valid() && r.Tokens.Usage.Prompt.Known() && r.Tokens.LocalInput.Known() {
			server += int64(r.Tokens.Usage.Prompt)
			local += int64(r.Tokens.LocalInput)
			pairs++
		}
	}
	o := object{}
	o.set("source", string(a.Basis.Source)).set("pairs", pairs)
	if local > 0 {
		o.set("token_count_agreement", float64(server)/float64(local))
	}
	return o
}

func servers(a *measure.Analysis) []object {
	list := []object{}
	for _, s := range a.Servers {
		var o object
		o.set("url", s.URL).text("server", s.Server).text("version", s.Version)
		if len(s.Models) > 0 {
			o.set("models", s.Models)
		}
		if s.MaxModelLen > 0 {
			o.set("max_model_len", s.MaxModelLen)
		}
		list = append(list, *o.text("error", s.Error))
	}
	return list
}
