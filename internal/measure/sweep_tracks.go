package measure

// track is one value over time, made of curves. Where it has a condition, it is 0 while that does not
// hold; time in which it holds is the active time.
type track struct {
	value     func(*curves) float64
	condition int // curve that must be above 0; -1: none
	deps      uint32
}

// The tracks.
const (
	trackConcurrency = iota
	trackEveryone
	trackDecode
	trackPrefill
	trackDecodeConcurrency
	trackPrefillConcurrency
	trackTotal
	trackDecodePerUser
	trackPrefillPerUser
	trackTokens
	trackCount
)

func tracks() [trackCount]track {
	at := func(curve, condition int) track {
		t := track{value: func(v *curves) float64 { return v[curve] }, condition: condition, deps: 1 << curve}
		if condition >= 0 {
			t.deps |= 1 << condition
		}
		return t
	}
	per := func(curve, by int) track {
		return track{value: func(v *curves) float64 { return v[curve] / v[by] }, condition: by, deps: 1<<curve | 1<<by}
	}
	return [trackCount]track{
		trackConcurrency:        at(curveConcurrency, -1),
		trackEveryone:           at(curveEveryone, -1),
		trackDecode:             at(curveDecode, curveDecodeConcurrency),
		trackPrefill:            at(curvePrefill, curvePrefillConcurrency),
		trackDecodeConcurrency:  at(curveDecodeConcurrency, -1),
		trackPrefillConcurrency: at(curvePrefillConcurrency, -1),
		trackTotal:              at(curveTotal, curveConcurrency),
		trackDecodePerUser:      per(curveDecode, curveDecodeConcurrency),
		trackPrefillPerUser:     per(curvePrefill, curvePrefillConcurrency),
		trackTokens:             at(curveTokens, -1),
	}
}

// sweepMetric is a time-weighted metric: a track, over all time or over its active time.
type sweepMetric struct {
	tag    string
	track  int
	active bool
}

func sweepMetrics(everyone bool) []sweepMetric {
	concurrency := trackConcurrency
	if everyone {
		concurrency = trackEveryone
	}
	return []sweepMetric{
		{"effective_concurrency", concurrency, false},
		{"effective_decode_throughput", trackDecode, false},
		{"effective_prefill_throughput", trackPrefill, false},
		{"effective_decode_concurrency", trackDecodeConcurrency, false},
		{"effective_prefill_concurrency", trackPrefillConcurrency, false},
		{"effective_total_throughput", trackTotal, false},
		{"effective_decode_throughput_per_user", trackDecodePerUser, false},
		{"effective_prefill_throughput_per_user", trackPrefillPerUser, false},
		{"tokens_in_flight", trackTokens, false},
		{"active_decode_throughput", trackDecode, true},
		{"active_prefill_throughput", trackPrefill, true},
		{"active_decode_throughput_per_user", trackDecodePerUser, true},
		{"active_prefill_throughput_per_user", trackPrefillPerUser, true},
		{"active_total_throughput", trackTotal, true},
	}
}

// adder takes how long a track had a value.
type adder interface{ add(value float64, ns int64) }

// tracker follows all tracks through one stretch of time, and hands each value to the track's adder
// when it changes. Time in which a track's condition does not hold is not handed out.
type tracker struct {
	tracks [trackCount]track
	adders [trackCount]adder
	values [trackCount]float64
	on     [trackCount]bool
	since  [trackCount]int64
	window Window
}

// newTracker starts with nothing in flight.
func newTracker(window Window, adderOf func(int) adder) *tracker {
	t := &tracker{tracks: tracks(), window: window}
	for i := range t.tracks {
		t.adders[i], t.since[i], t.on[i] = adderOf(i), int64(window.From), t.tracks[i].condition < 0
	}
	return t
}

// change says that the curves have new values from a moment on; dirty are those that differ.
func (t *tracker) change(at int64, values *curves, dirty uint32) {
	for i := range t.tracks {
		track := &t.tracks[i]
		if track.deps&dirty == 0 {
			continue
		}
		on, value := true, 0.0
		if track.condition >= 0 {
			on = values[track.condition] > 0
		}
		if on {
			value = track.value(values)
		}
		if on == t.on[i] && value == t.values[i] {
			continue
		}
		t.flush(i, at)
		t.on[i], t.values[i] = on, value
	}
}

func (t *tracker) flush(i int, at int64) {
	at = min(at, int64(t.window.To))
	if at <= t.since[i] {
		return
	}
	if t.on[i] {
		t.adders[i].add(t.values[i], at-t.since[i])
	}
	t.since[i] = at
}

// close hands out what lasts to the end of the stretch.
func (t *tracker) close() {
	for i := range t.tracks {
		t.flush(i, int64(t.window.To))
	}
}
