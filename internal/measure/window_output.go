package measure

import "math"

// WindowOutput is what a window saw, by when it happened and not by which request it belongs to
// (spec metrics 10.1).
type WindowOutput struct {
	Window Window
	// Completed requests have their last content in the window; whole requests, tokens included.
	Completed, CompletedISL, CompletedOSL int64
	// OutputTokens came in the window, chunk by chunk: running counts of the server where there are any,
	// else the request's OSL shared over its content chunks by their text bytes; of requests that were cut
	// short too, as far as their tokens are known. InputTokens are of prompts whose first token came in it, or the
	// whole answer where it was not streamed.
	OutputTokens, InputTokens       float64
	ByRunningCounts                 int     // requests whose output was placed by running counts
	ByTextBytes                     int     // … by text bytes
	Evenly                          int     // … evenly between first and last content: chunks were not read
	Whole                           int     // … at the last byte: the answer came in one piece
	Unplaced                        int     // had content, but nobody counted its tokens
	PeakOutput1s, PeakOutput10s     float64 // greatest tokens/s over fixed windows; NaN where there was none
	PeakRequests1s, PeakRequests10s float64 // greatest requests/s, by start
}

// Seconds is the window's length; 0 when it is not known.
func (w *WindowOutput) Seconds() float64 {
	if !w.Window.Known() {
		return 0
	}
	return w.Window.Seconds()
}

// OutputIn computes what a window saw of records.
func OutputIn(records []*Record, window Window) WindowOutput {
	w := WindowOutput{Window: window}
	if !window.Known() {
		return w
	}
	seconds := int(math.Ceil(window.Seconds()))
	output, starts := make([]float64, seconds), make([]float64, seconds)
	bin := func(at Stamp) int { return min(int(int64(at-window.From)/nsPerSec), seconds-1) }
	inside := func(at Stamp) bool { return at.Known() && at >= window.From && at <= window.To }
	for _, r := range records {
		if r.OverBy(window.From) {
			continue
		}
		if inside(r.Times.Start) {
			starts[bin(r.Times.Start)]++
		}
		if r.Valid() && inside(r.Times.Last) {
			w.Completed++
			w.CompletedISL += r.Tokens.Input.Or(0)
			w.CompletedOSL += r.OSL().Or(0)
		}
		if inside(firstSeen(r)) {
			w.InputTokens += float64(r.Tokens.Input.Or(0))
		}
		w.place(r, func(at Stamp, tokens float64) {
			if inside(at) {
				w.OutputTokens += tokens
				output[bin(at)] += tokens
			}
		})
	}
	whole := int(window.Seconds())
	output, starts = output[:whole], starts[:whole]
	w.PeakOutput1s, w.PeakOutput10s = peak(output, 1), peak(output, 10)
	w.PeakRequests1s, w.PeakRequests10s = peak(starts, 1), peak(starts, 10)
	return w
}

// OverBy tells whether the record's last content came by an instant before which it began: it is no part
// of a window that starts there. Under a virtual clock the last warmup request ends at the very instant at
// which profiling starts.
func (r *Record) OverBy(at Stamp) bool {
	return r.Times.Start < at && r.Times.Last.Known() && r.Times.Last <= at
}

// peak is the greatest mean of span whole seconds from the window's start on; a rest that is shorter
// than span does not count. NaN where the window is shorter than span.
func peak(perSecond []float64, span int) float64 {
	if len(perSecond) < span {
		return math.NaN()
	}
	greatest := 0.0
	for i := 0; i+span <= len(perSecond); i += span {
		greatest = max(greatest, sum(perSecond[i:i+span])/float64(span))
	}
	return greatest
}

// firstSeen is when the first output of a request came: its first token, or of an answer in one piece all of it.
func firstSeen(r *Record) Stamp {
	if r.Valid() && !r.Streams {
		return r.Times.Last
	}
	return r.Times.First
}

// place gives out the output tokens of a request at their times.
func (w *WindowOutput) place(r *Record, give func(Stamp, float64)) {
	osl := r.OSL()
	switch {
	case r.Valid() && !r.Streams && osl.Known():
		w.Whole++
		give(r.Times.Last, float64(osl))
		return
	case r.Valid() && !r.Streams:
		w.Unplaced++
		return
	case !r.Times.First.Known():
		return
	}
	if r.Trail.Len() == 0 {
		w.evenly(r, osl, give)
		return
	}
	running, text := runningTotal(r.Trail)
	switch {
	case running > 0:
		w.ByRunningCounts++
		before := Count(0)
		for piece := range r.Trail.All() {
			if piece.Tokens.Known() && piece.Tokens > before {
				give(r.Times.Start+Stamp(piece.Offset), float64(piece.Tokens-before))
				before = piece.Tokens
			}
		}
	case !osl.Known():
		w.Unplaced++
	default:
		w.ByTextBytes++
		for piece := range r.Trail.All() {
			share := 1 / float64(r.Trail.Len())
			if text > 0 {
				share = float64(piece.TextBytes) / float64(text)
			}
			give(r.Times.Start+Stamp(piece.Offset), float64(osl)*share)
		}
	}
}

// evenly spreads tokens over the seconds between first and last content.
func (w *WindowOutput) evenly(r *Record, osl Count, give func(Stamp, float64)) {
	if !osl.Known() {
		w.Unplaced++
		return
	}
	w.Evenly++
	first, last := r.Times.First, r.Times.Last
	steps := min(max(int64(last-first)/(nsPerSec/10), 0), 100_000) + 1
	for i := range steps {
		at := first
		if steps > 1 {
			at += Stamp(int64(last-first) / (steps - 1) * i)
		}
		give(at, float64(osl)/float64(steps))
	}
}

func runningTotal(trail Trail) (running Count, text int64) {
	running = NoCount
	for piece := range trail.All() {
		running = max(running, piece.Tokens)
		text += piece.TextBytes
	}
	return running, text
}
