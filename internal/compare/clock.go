package compare

import (
	"agentx/internal/measure"
)

// mostStretches and fewestStretches bound the number of stretches into which a run's window is cut.
const (
	mostStretches   = 60
	fewestStretches = 10
	// latenciesPerStretch is how many mean request latencies a stretch should last: what requests do to
	// each other should be over in it.
	latenciesPerStretch = 20
)

// stretched is the window of a run, cut into stretches of equal length. Stretches with one number belong
// together: runs of the same place in their groups have the same numbers on both sides.
type stretched struct {
	window measure.Window
	first  int
	count  int
}

// cutTime cuts the windows of all runs, those of the same place in their groups into as many stretches.
func (u *units) cutTime(sides [2]Side) {
	for side := range sides {
		u.clocks[side] = make([]stretched, len(sides[side].Runs))
	}
	for run := range max(len(sides[sideA].Runs), len(sides[sideB].Runs)) {
		count := mostStretches
		for side := range sides {
			if run < len(sides[side].Runs) {
				count = min(count, stretchesOf(sides[side].Runs[run]))
			}
		}
		for side := range sides {
			if run < len(sides[side].Runs) {
				u.clocks[side][run] = stretched{sides[side].Runs[run].Own.Window, u.stretches, count}
			}
		}
		u.stretches += count
	}
}

// stretchesOf is into how many stretches a run's window may be cut.
func stretchesOf(a *measure.Analysis) int {
	latency, ok := a.Own.Average("request_latency")
	if !ok || latency <= 0 || !a.Own.Window.Known() {
		return fewestStretches
	}
	return max(fewestStretches, min(mostStretches, int(WindowSeconds(a)*1000/(latenciesPerStretch*latency))))
}

// at is the stretch of a moment; before and after the window the first and the last.
func (s *stretched) at(moment measure.Stamp) int {
	length := int64(s.window.To - s.window.From)
	if !moment.Known() || length <= 0 {
		return s.first
	}
	return s.first + int(min(max(int64(moment-s.window.From)*int64(s.count)/length, 0), int64(s.count-1)))
}

// pieces gives the seconds of a part of the window by stretch.
func (s *stretched) pieces(part measure.Window, give func(time int, seconds float64)) {
	length := int64(s.window.To - s.window.From)
	for time := s.at(part.From); time <= s.at(part.To); time++ {
		i := int64(time - s.first)
		from := max(part.From, s.window.From+measure.Stamp(length*i/int64(s.count)))
		to := min(part.To, s.window.From+measure.Stamp(length*(i+1)/int64(s.count)))
		if to > from {
			give(time, float64(to-from)/1e9)
		}
	}
}

// timeOf is the stretch in which a request began.
func (u *units) timeOf(side, run int, r *measure.Record) int {
	return u.clocks[side][run].at(r.Times.Start)
}
