package watch

import (
	"fmt"
	"slices"
	"strings"
)

func (s *State) requests(now int64) []string {
	p := &s.phase
	decoding, oldest := 0, int64(0)
	for _, f := range s.flying {
		if f.decodes {
			decoding++
		}
		oldest = max(oldest, now-f.sentNs)
	}
	line := fmt.Sprintf("requests  sent %s, returned %s, ok %s, errors %s", grouped(p.sent), grouped(p.returned), grouped(p.ok), grouped(p.errors))
	for _, more := range []struct {
		n    int64
		name string
	}{{p.overflows, "overflows"}, {p.cancelled, "cancelled"}, {p.silent, "without visible output"}} {
		if more.n > 0 {
			line += fmt.Sprintf(", %s %s", more.name, grouped(more.n))
		}
	}
	lines := []string{line}
	if s.Ended() {
		if s.died {
			lines = append(lines, fmt.Sprintf("          in flight at the end of the log: %d", len(s.flying)))
		}
		return lines
	}
	flying := fmt.Sprintf("in flight %d: waiting for the first token %d, decoding %d", len(s.flying), len(s.flying)-decoding, decoding)
	if len(s.flying) > 0 {
		flying += "; the oldest for " + span(oldest)
	}
	if p.returned > 0 {
		flying += "; last answer " + span(max(now-p.lastAnswerNs, 0)) + " ago"
	}
	return append(lines, "          "+flying)
}

func (s *State) rates(now int64) []string {
	p := &s.phase
	until := now
	if p.over {
		until = p.endNs
	}
	seconds := float64(until-p.startNs) / 1e9
	if p.name == "" || seconds <= 0 {
		return nil
	}
	line := func(name string, a amounts) string {
		return fmt.Sprintf("%-9s %s requests/s, %s in tokens/s, %s out tokens/s", name, brief(a.requests), brief(a.input), brief(a.output))
	}
	answers := float64(p.ok - p.silent)
	lines := []string{line("rates", amounts{answers / seconds, float64(p.input) / seconds, float64(p.output) / seconds}) + " over the " + p.name}
	if recent, over := p.recent.rates(now, p.startNs); over >= 1 && !p.over && !s.Ended() {
		lines = append(lines, line("", recent)+fmt.Sprintf(" over the last %.0f s", over))
	}
	return lines
}

func (s *State) percentiles() []string {
	p := &s.phase
	if p.latency.count == 0 {
		return nil
	}
	heading := fmt.Sprintf("so far    %-22s %10s %10s %10s %10s", "", "p50", "p90", "p99", "values")
	if !p.latency.exact() {
		heading += "   within 1 %"
	}
	lines := []string{heading}
	for _, row := range []struct {
		name string
		of   *histogram
	}{{"time to first token", &p.ttft}, {"inter token latency", &p.perToken}, {"request latency", &p.latency}} {
		if row.of.count == 0 {
			continue
		}
		cells := make([]string, 0, 3)
		for _, rank := range []float64{50, 90, 99} {
			value, _ := row.of.percentile(rank)
			cells = append(cells, brief(value)+" ms")
		}
		lines = append(lines, fmt.Sprintf("          %-22s %10s %10s %10s %10s", row.name, cells[0], cells[1], cells[2], grouped(row.of.count)))
	}
	return lines
}

func (s *State) cache() []string {
	p := &s.phase
	if p.ok == 0 {
		return nil
	}
	if p.withCached == 0 {
		return []string{"cache     the server reports no cached tokens"}
	}
	line := fmt.Sprintf("cache     reported %s of prompt tokens, reachable %s, captured %s", share(p.cached, p.prompt), share(p.reach, p.planned), share(p.cached, p.reach))
	if answers := p.ok - p.silent; p.withCached < answers {
		line += fmt.Sprintf(" (%s of %s answers report it)", grouped(p.withCached), grouped(answers))
	}
	return []string{line}
}

func (s *State) clientLines(screen Screen) []string {
	if s.client == nil {
		return nil
	}
	c, h := s.client, &s.highest
	line := fmt.Sprintf("client    CPU %.0f %% (most %.0f %%), machine %.0f %%, lateness p99 %s ms (most %s), read delay p99 %s ms",
		100*c.CPUShare, 100*h.cpu, 100*c.MachineShare, brief(float64(c.LateP99Ns)/1e6), brief(float64(h.lateP99Ns)/1e6), brief(float64(c.ReadDelayP99Ns)/1e6))
	queues := fmt.Sprintf("          queues: log %d (most %d), counting %d (most %d)", c.QueueEvents, h.queueEvents, c.CountQueue, h.counting)
	if s.highLoad() != "" {
		line = mark(line+"  HIGH", screen)
	}
	return []string{line, queues}
}

func (s *State) errorLines(now int64) []string {
	var lines []string
	sorted := slices.Clone(s.errors)
	slices.SortStableFunc(sorted, func(a, b *failures) int { return b.count - a.count })
	for i, f := range sorted {
		if i == 5 {
			lines = append(lines, fmt.Sprintf("          and %d more kinds", len(sorted)-i))
			break
		}
		name := f.outcome
		if f.class != "" {
			name += " " + f.class
		}
		if f.status != 0 {
			name += fmt.Sprintf(" %d", f.status)
		}
		lines = append(lines, fmt.Sprintf("%-9s %d × %s, last %s ago: %s", "errors", f.count, name, span(max(now-f.lastNs, 0)), cut(f.message, 200)))
	}
	if s.lost > 0 {
		lines = append(lines, fmt.Sprintf("          %d failures of further kinds", s.lost))
	}
	return lines
}

func (s *State) serverLines(now int64) []string {
	var lines []string
	for _, url := range s.urls {
		known := s.servers[url]
		facts := known.read()
		var parts []string
		for _, fact := range []struct {
			name  string
			value *float64
			share bool
		}{{"running", facts.Running, false}, {"waiting", facts.Waiting, false}, {"KV cache", facts.KVUsage, true}, {"hit rate", facts.HitRate, true}, {"preemptions", facts.Preemptions, false}} {
			switch {
			case fact.value == nil:
			case fact.share:
				parts = append(parts, fact.name+" "+brief(*fact.value*100)+" %")
			default:
				parts = append(parts, fact.name+" "+grouped(int64(*fact.value)))
			}
		}
		if len(parts) == 0 {
			parts = append(parts, fmt.Sprintf("%d pages read, none with known metrics", known.fetches-known.failed))
		}
		if known.err != "" {
			parts = append(parts, known.err)
		}
		if known.atNs > 0 && !s.Ended() && now-known.atNs > quietNs {
			parts = append(parts, "page of "+span(now-known.atNs)+" ago")
		}
		lines = append(lines, "server    "+cut(url, 60)+": "+strings.Join(parts, ", "))
	}
	return lines
}

// laneLines are the lanes, as many as fit.
func (s *State) laneLines(now int64, screen Screen, above int) []string {
	if len(s.lanes) == 0 {
		return nil
	}
	numbers := make([]int64, 0, len(s.lanes))
	alive := 0
	for number, l := range s.lanes {
		numbers = append(numbers, number)
		if !l.idle {
			alive++
		}
	}
	slices.Sort(numbers)
	lines := []string{fmt.Sprintf("lanes     %d, with a live tree %d, trees recycled %d", len(numbers), alive, s.recycled)}
	from := min(max(screen.Lane, 0), max(len(numbers)-1, 0))
	room := len(numbers)
	if screen.Height > 0 {
		room = max(screen.Height-above-2, 1)
	}
	for i, number := range numbers[from:] {
		if i == room-1 && len(numbers)-from > room {
			lines = append(lines, fmt.Sprintf("          %d more lanes (arrow keys)", len(numbers)-from-i))
			break
		}
		lines = append(lines, s.laneLine(now, number))
	}
	return lines
}

func (s *State) laneLine(now, number int64) string {
	l := s.lanes[number]
	if l.idle {
		return fmt.Sprintf("  %4d    no tree", number)
	}
	roots, depth := "", 0
	for _, id := range sortedStreams(l.streams) {
		stream := l.streams[id]
		if stream.depth == 0 {
			roots = fmt.Sprintf("turn %d of %d", max(stream.turn+1, 0), stream.turns)
		} else {
			depth++
		}
	}
	if roots == "" {
		roots = "root over"
	}
	return fmt.Sprintf("  %4d    %-32s %-16s %2d subagents, %2d in flight, alive for %s", number, cut(l.trace, 32), roots, depth, l.flying, clock(now-l.openNs))
}

func sortedStreams(streams map[int64]*stream) []int64 {
	ids := make([]int64, 0, len(streams))
	for id := range streams {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
