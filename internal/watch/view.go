package watch

import (
	"fmt"
	"slices"
	"strings"
)

// Screen says how large a view is and from which lane on lanes are shown.
type Screen struct {
	Width, Height int // Height 0: as many lines as there are
	Lane          int
	Marks         bool // set what matters off with bold and inverse letters
}

const (
	// lateLimitNs is the lateness, and the delay of reading, from which the client may shape the load, and
	// busyShare the share of all cores: measure's limits, at which agentx-run warns (a test ties them).
	lateLimitNs = 50e6
	busyShare   = 0.85
	// crowdedShare is the share of the machine, by all programs on it, from which the client may starve.
	crowdedShare = 0.95
	// quietNs is how long a live log may be without an event before the view says so.
	quietNs = 15e9
)

// View is the state as lines, now being the run's clock.
func (s *State) View(now int64, screen Screen) []string {
	if !s.begun {
		return []string{"waiting for the run to begin"}
	}
	lines := []string{s.title(screen), s.progress(now, screen)}
	lines = append(lines, s.warnings(now, screen)...)
	lines = append(lines, "")
	lines = append(lines, s.requests(now)...)
	lines = append(lines, s.rates(now)...)
	lines = append(lines, s.percentiles()...)
	lines = append(lines, s.cache()...)
	lines = append(lines, s.clientLines(screen)...)
	lines = append(lines, s.serverLines(now)...)
	lines = append(lines, s.errorLines(now)...)
	for _, notice := range s.notices {
		lines = append(lines, "notice    "+notice.Level+": "+notice.Text)
	}
	lines = append(lines, "")
	lines = append(lines, s.laneLines(now, screen, len(lines))...)
	for i := range lines {
		lines[i] = s.fit(lines[i], screen)
	}
	return lines
}

// fit cuts a line to the screen; marks were put in by us and take no room.
func (s *State) fit(line string, screen Screen) string {
	if strings.HasPrefix(line, markOn) {
		return markOn + plainCut(strings.TrimSuffix(strings.TrimPrefix(line, markOn), markOff), screen.Width) + markOff
	}
	return plainCut(line, screen.Width)
}

// plainCut is a line of at most so many characters, with nothing that acts on a terminal; unlike cut it
// keeps runs of blanks.
func plainCut(line string, width int) string {
	runes := []rune(visible(line))
	if width > 0 && len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return string(runes)
}

const (
	markOn  = "\x1b[1;7m"
	markOff = "\x1b[0m"
)

func mark(text string, screen Screen) string {
	if !screen.Marks {
		return text
	}
	return markOn + text + markOff
}

func (s *State) title(screen Screen) string {
	c := &s.config
	parts := []string{"agentx " + c.Version, strings.Join(c.Models, ", "), counted(int64(len(s.lanes)), "lane"), fmt.Sprintf("seed %d", c.Seed)}
	if c.Scenario != "" {
		parts = append(parts, c.Scenario)
	}
	if c.Simulated && !slices.Contains(parts, "simulated") { // the name of its model, where none was given
		parts = append(parts, "simulated")
	}
	return mark(visible(strings.Join(parts, " | ")), screen)
}

func (s *State) progress(now int64, screen Screen) string {
	p := &s.phase
	switch {
	case s.end != nil:
		why := s.end.Reason
		if s.end.Text != "" {
			why += ": " + s.end.Text
		}
		return fmt.Sprintf("%s over after %s, exit code %d (%s)", orRun(p.name), clock(s.lastNs), s.end.ExitCode, why)
	case s.died:
		return fmt.Sprintf("%s interrupted after %s: %s", orRun(p.name), clock(s.lastNs), diedText)
	case p.name == "":
		return "preparing for " + clock(now)
	case p.over:
		return p.name + " over, closing"
	}
	elapsed := now - p.startNs
	text := fmt.Sprintf("%-9s %s", p.name, clock(elapsed))
	if p.durationNs > 0 {
		done := float64(elapsed) / float64(p.durationNs)
		text = fmt.Sprintf("%-9s %s %3.0f %%  %s of %s", p.name, bar(done, min(max(screen.Width-50, 10), 40)), 100*min(done, 1), clock(elapsed), clock(p.durationNs))
	} else if p.target > 0 {
		text += fmt.Sprintf("  %s of %s requests", grouped(p.sent), grouped(p.target))
	}
	return text + ", " + s.left(now)
}

func orRun(name string) string {
	if name == "" {
		return "run"
	}
	return name
}

// left says how much longer the phase takes, or what it waits for.
func (s *State) left(now int64) string {
	p := &s.phase
	switch {
	case p.closing:
		return "waiting for " + counted(p.sent-p.returned, "answer")
	case p.durationNs > 0 && now < p.startNs+p.durationNs:
		return "left " + clock(p.startNs+p.durationNs-now)
	case p.target > 0 && p.sent < p.target && p.sent > 0 && now > p.startNs:
		return "left about " + clock(int64(float64(now-p.startNs)/float64(p.sent)*float64(p.target-p.sent)))
	}
	return "open end"
}

// warnings are what must not be overlooked.
func (s *State) warnings(now int64, screen Screen) []string {
	var lines []string
	if high := s.highLoad(); high != "" {
		lines = append(lines, mark("HIGH LOAD of the client: "+high+": the client, not the server, may shape the load", screen))
	}
	if !s.Ended() && now-s.lastNs > quietNs {
		lines = append(lines, mark(fmt.Sprintf("no event for %s, but its process is there: the run or its host may be stuck", span(now-s.lastNs)), screen))
	}
	return lines
}

// highLoad says what of the client's last sample is too much; empty: nothing.
func (s *State) highLoad() string {
	if s.client == nil {
		return ""
	}
	var parts []string
	if s.client.CPUShare > busyShare {
		parts = append(parts, fmt.Sprintf("CPU %.0f %%", 100*s.client.CPUShare))
	}
	if s.client.MachineShare > crowdedShare {
		parts = append(parts, fmt.Sprintf("its machine %.0f %%", 100*s.client.MachineShare))
	}
	if s.client.LateP99Ns > lateLimitNs {
		parts = append(parts, "lateness p99 "+brief(float64(s.client.LateP99Ns)/1e6)+" ms")
	}
	if s.client.ReadDelayP99Ns > lateLimitNs {
		parts = append(parts, "read delay p99 "+brief(float64(s.client.ReadDelayP99Ns)/1e6)+" ms")
	}
	return strings.Join(parts, ", ")
}

// Line is the state in one plain line.
func (s *State) Line(now int64) string {
	p := &s.phase
	if !s.begun || p.name == "" {
		if s.died {
			return "interrupted: " + diedText
		}
		return "preparing"
	}
	parts := []string{"phase " + p.name, "returned=" + grouped(p.returned), "sent=" + grouped(p.sent), fmt.Sprintf("in_flight=%d", len(s.flying)), "errors=" + grouped(p.errors)}
	if p.overflows > 0 {
		parts = append(parts, "overflows="+grouped(p.overflows))
	}
	parts = append(parts, fmt.Sprintf("elapsed=%.1fs", float64(orNow(p, now)-p.startNs)/1e9))
	if seconds := float64(orNow(p, now)-p.startNs) / 1e9; seconds > 0 && p.returned > 0 {
		parts = append(parts, fmt.Sprintf("in=%s tok/s out=%s tok/s", brief(float64(p.input)/seconds), brief(float64(p.output)/seconds)))
	}
	if value, ok := p.ttft.percentile(50); ok {
		high, _ := p.ttft.percentile(99)
		parts = append(parts, "ttft p50="+brief(value)+" ms p99="+brief(high)+" ms")
	}
	if p.withCached > 0 {
		parts = append(parts, "cached="+share(p.cached, p.prompt))
	}
	if high := s.highLoad(); high != "" {
		parts = append(parts, "HIGH LOAD "+high)
	}
	switch {
	case s.end != nil:
		parts = append(parts, fmt.Sprintf("over: %s, exit code %d", s.end.Reason, s.end.ExitCode))
	case s.died:
		parts = append(parts, "interrupted: "+diedText)
	case p.over:
		parts = append(parts, "closing")
	default:
		parts = append(parts, s.left(now))
	}
	return visible(strings.Join(parts, " | "))
}

func orNow(p *phase, now int64) int64 {
	if p.over {
		return p.endNs
	}
	return now
}

// diedText is what is known of a run whose process is gone.
const diedText = "the log has no closing event and nobody writes it (the run was killed, or this is a copy)"

// Now is the run's clock at a wall time; of a run that is over its last event.
func (s *State) Now(wallNs int64) int64 {
	if s.Ended() || s.anchors == 0 {
		return s.lastNs
	}
	return max(wallNs-s.wallNs, s.lastNs)
}
