package swimlane

import "slices"

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

// addBoundaries places the phases, their ends and the jumps of the idle guards.
func (l *Layout) addBoundaries(run *Run) {
	marks := run.Marks
	if start := marks.ProfilingStart; start == None {
		l.Shades = append(l.Shades, Shade{"warmup", l.From, l.To})
	} else if start > l.From {
		l.Shades = append(l.Shades, Shade{"warmup", l.From, start})
	}
	if marks.DurationEnd != None && marks.DurationEnd < l.To {
		l.Shades = append(l.Shades, Shade{"grace", marks.DurationEnd, min(endOr(marks.GraceEnd, l.To), l.To)})
	}
	for _, mark := range []Mark{
		{"profiling start", marks.ProfilingStart},
		{"ramp done", marks.RampEnd},
		{"duration end", marks.DurationEnd},
		{"grace end", marks.GraceEnd},
	} {
		if mark.At >= l.From && mark.At <= l.To { // a run that drained early never came to its grace end
			l.Marks = append(l.Marks, mark)
		}
	}
	if marks.Interrupted {
		l.Marks = append(l.Marks, Mark{"log ends", l.To})
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
