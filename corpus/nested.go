package corpus

import "math"

// timeSlack is the tolerance, in seconds, of every comparison of recorded times.
const timeSlack = 1e-6

// The recorded duration of a subagent ends 1 … 7 s past its last inner request in real traces. A
// reading of its times is plausible when the duration ends at most gapEarly before and gapLate after
// that request, and close when it does so within gapClose (spec decision 6).
const (
	gapEarly = 1.0
	gapLate  = 10.0
	gapClose = 1.0
)

// evidence tells on which basis the times of a subagent's requests are, from the subagent itself;
// BasisAuto when it does not tell. lastTopEnd is the end of the trace's last top-level request.
func (s *Subagent) evidence(lastTopEnd float64) TimeBasis {
	if len(s.Requests) == 0 || s.T == 0 {
		return BasisAuto
	}
	lastEnd := math.Inf(-1)
	for i := range s.Requests {
		if s.Requests[i].T+timeSlack < s.T {
			return BasisRelative
		}
		lastEnd = max(lastEnd, s.Requests[i].end())
	}
	if s.DurationMs.Present() {
		duration := float64(s.DurationMs) / 1000
		absolute, relative := duration-(lastEnd-s.T), duration-lastEnd
		if basis := onlyOne(plausible(relative), plausible(absolute)); basis != BasisAuto {
			return basis
		}
		if plausible(relative) {
			basis := onlyOne(math.Abs(relative) <= gapClose, math.Abs(absolute) <= gapClose)
			if basis != BasisAuto {
				return basis
			}
		}
	}
	if lastEnd <= lastTopEnd && s.T+lastEnd > lastTopEnd {
		return BasisAbsolute
	}
	return BasisAuto
}

// plausible reports whether a duration that ends late seconds after the last inner request fits.
func plausible(late float64) bool { return -gapEarly <= late && late <= gapLate }

// onlyOne gives the basis for which alone the test holds.
func onlyOne(relative, absolute bool) TimeBasis {
	switch {
	case relative && !absolute:
		return BasisRelative
	case absolute && !relative:
		return BasisAbsolute
	}
	return BasisAuto
}

// lastTopEnd is the latest end of a top-level request, −∞ when there is none.
func (t *Trace) lastTopEnd() float64 {
	last := math.Inf(-1)
	for i := range t.Rows {
		if t.Rows[i].Subagent == nil {
			last = max(last, t.Rows[i].Request.end())
		}
	}
	return last
}

// evidences gives the evidence of every row, BasisAuto for rows that are no subagent, and how many
// rows are certain of each basis.
func (t *Trace) evidences() (bases []TimeBasis, relative, absolute int) {
	bases = make([]TimeBasis, len(t.Rows))
	end := t.lastTopEnd()
	for i := range t.Rows {
		bases[i] = BasisAuto
		if agent := t.Rows[i].Subagent; agent != nil {
			bases[i] = agent.evidence(end)
		}
		switch bases[i] {
		case BasisRelative:
			relative++
		case BasisAbsolute:
			absolute++
		}
	}
	return bases, relative, absolute
}

// nestedBases decides the time basis of every subagent of the trace (spec decision 6).
func (b *builder) nestedBases() []TimeBasis {
	bases, relative, absolute := b.trace.evidences()
	fallback := b.trace.NestedFallback
	switch {
	case relative > 0 && absolute == 0:
		fallback = BasisRelative
	case absolute > 0 && relative == 0:
		fallback = BasisAbsolute
	}
	for i, row := range b.trace.Rows {
		if row.Subagent == nil || len(row.Subagent.Requests) == 0 {
			continue
		}
		bases[i] = b.nestedBasis(row.Subagent, bases[i], fallback)
		if bases[i] == BasisRelative {
			b.facts.NestedRelative++
		} else {
			b.facts.NestedAbsolute++
		}
	}
	return bases
}

func (b *builder) nestedBasis(agent *Subagent, own, fallback TimeBasis) TimeBasis {
	if b.options.NestedTimestamps != BasisAuto {
		return b.options.NestedTimestamps
	}
	if own != BasisAuto {
		return own
	}
	if fallback == BasisRelative || fallback == BasisAbsolute {
		return fallback
	}
	if agent.T != 0 { // at 0 both bases are the same
		b.facts.NestedGuessed = append(b.facts.NestedGuessed, NestedNote{b.trace.ID, agent.Agent})
	}
	return BasisAbsolute
}
