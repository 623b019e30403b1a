package swimlane

import (
	"math"
	"slices"
)

// span is the stretch of the axis: from the first thing drawn (the run's start if anything happened
// before the profiling phase) to the last event of the log.
func span(run *Run) (from, to int64) {
	from, to = None, run.Marks.End
	for i := range run.Plays {
		play := &run.Plays[i]
		from = earliest(from, play.Opened)
		to = latest(to, play.Drained)
		for s := range play.Streams {
			first, last := streamSpan(&play.Streams[s], to)
			from, to = earliest(from, first), latest(to, last)
		}
	}
	from = earliest(from, run.Marks.ProfilingStart)
	if from == None {
		from = 0
	}
	return from, max(to, from+1)
}

// roundAxis widens a stretch to round numbers as counted from origin, by at most a fiftieth of its length at
// each end, so that every rendering of a run has the same axis with readable ends.
func roundAxis(begin, end, origin int64) (from, to int64) {
	step := tickStep(float64(end-begin)/1e9, 100)
	at := func(at int64, round func(float64) float64) int64 {
		steps := round(float64(at-origin) / 1e9 / step)
		return origin + int64(math.Round(float64(roundTo(float64(steps*step), step)*1e9)))
	}
	return min(at(begin, math.Floor), begin), max(at(end, math.Ceil), end)
}

// addBoundaries places the phases, their ends and the jumps of the idle guards.
func (l *Layout) addBoundaries(run *Run) {
	marks := run.Marks
	if start := marks.ProfilingStart; start == None {
		l.Shades = append(l.Shades, Shade{"warmup", l.Begin, l.End})
	} else if start > l.Begin {
		l.Shades = append(l.Shades, Shade{"warmup", l.Begin, start})
	}
	if marks.DurationEnd != None && marks.DurationEnd < l.End {
		l.Shades = append(l.Shades, Shade{"grace", marks.DurationEnd, min(endOr(marks.GraceEnd, l.End), l.End)})
	}
	for _, mark := range []Mark{
		{"profiling start", marks.ProfilingStart},
		{"ramp done", marks.RampEnd},
		{"duration end", marks.DurationEnd},
		{"grace end", marks.GraceEnd},
	} {
		if mark.At >= l.Begin && mark.At <= l.End { // a run that drained early never came to its grace end
			l.Marks = append(l.Marks, mark)
		}
	}
	if marks.Interrupted {
		l.Marks = append(l.Marks, Mark{"log ends", l.End})
	}
	for _, shift := range run.Shifts {
		mark := ShiftMark{At: shift.At, Skipped: shift.Skipped, Rows: l.Rows, Lane: shift.Lane}
		if shift.Lane >= 0 && shift.Lane < len(l.Lanes) {
			mark.Row, mark.Rows = l.Lanes[shift.Lane].First, l.Lanes[shift.Lane].Rows
		}
		l.Shifts = append(l.Shifts, mark)
	}
	slices.SortStableFunc(l.Marks, func(a, b Mark) int { return int(min(max(a.At-b.At, -1), 1)) })
}
