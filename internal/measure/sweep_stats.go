package measure

// The time-weighted metrics: each is a value of the curves at a moment, and a condition under which
// the moment counts at all (spec metrics 4).
type sweepMetric struct {
	tag   string
	value func(*curves) float64
	while func(*curves) bool // nil: always
}

func sweepMetrics() []sweepMetric {
	at := func(curve int) func(*curves) float64 { return func(v *curves) float64 { return v[curve] } }
	busy := func(curve int) func(*curves) bool { return func(v *curves) bool { return v[curve] > 0 } }
	per := func(curve, by int) func(*curves) float64 {
		return func(v *curves) float64 {
			if v[by] <= 0 {
				return 0
			}
			return v[curve] / v[by]
		}
	}
	decodePerUser := per(curveDecode, curveDecodeConcurrency)
	prefillPerUser := per(curvePrefill, curvePrefillConcurrency)
	return []sweepMetric{
		{"effective_concurrency", at(curveConcurrency), nil},
		{"effective_decode_throughput", at(curveDecode), nil},
		{"effective_prefill_throughput", at(curvePrefill), nil},
		{"effective_decode_concurrency", at(curveDecodeConcurrency), nil},
		{"effective_prefill_concurrency", at(curvePrefillConcurrency), nil},
		{"effective_total_throughput", at(curveTotal), nil},
		{"effective_decode_throughput_per_user", decodePerUser, nil},
		{"effective_prefill_throughput_per_user", prefillPerUser, nil},
		{"tokens_in_flight", at(curveTokens), nil},
		{"active_decode_throughput", at(curveDecode), busy(curveDecodeConcurrency)},
		{"active_prefill_throughput", at(curvePrefill), busy(curvePrefillConcurrency)},
		{"active_decode_throughput_per_user", decodePerUser, busy(curveDecodeConcurrency)},
		{"active_prefill_throughput_per_user", prefillPerUser, busy(curvePrefillConcurrency)},
		{"active_total_throughput", at(curveTotal), busy(curveConcurrency)},
	}
}

// Window is a stretch of time [From, To) in ns since run start.
type Window struct{ From, To Stamp }

// Known reports whether both ends are known and in order.
func (w Window) Known() bool { return w.From.Known() && w.To.Known() && w.To > w.From }

// Seconds is the window's length.
func (w Window) Seconds() float64 { return float64(w.To-w.From) / nsPerSec }

// NoWindow is the window that is not known.
func NoWindow() Window { return Window{NoStamp, NoStamp} }

// adder is one pass over a curve.
type adder interface{ add(value float64, ns int64) }

// follower feeds the value of one metric to a pass, joining neighbouring segments of equal value.
type follower struct {
	metric sweepMetric
	pass   adder
	value  float64
	ns     int64
}

func (f *follower) segment(ns int64, values *curves) {
	if f.metric.while != nil && !f.metric.while(values) {
		return
	}
	value := f.metric.value(values)
	if value != f.value {
		f.flush()
		f.value = value
	}
	f.ns += ns
}

func (f *follower) flush() {
	if f.ns > 0 {
		f.pass.add(f.value, f.ns)
	}
	f.ns = 0
}

// windowed clips the segments of a walk to a window, and fills the parts of the window before the
// first and after the last event with zeros.
type windowed struct {
	window    Window
	at        int64
	followers []*follower
}

func newWindowed(window Window, followers []*follower) *windowed {
	return &windowed{window: window, at: int64(window.From), followers: followers}
}

func (w *windowed) segment(from, to int64, values *curves) {
	from, to = max(from, int64(w.window.From)), min(to, int64(w.window.To))
	if to <= from {
		return
	}
	w.idle(from)
	w.feed(to-from, values)
	w.at = to
}

func (w *windowed) idle(until int64) {
	if until > w.at {
		w.feed(until-w.at, &curves{})
		w.at = until
	}
}

func (w *windowed) feed(ns int64, values *curves) {
	for _, f := range w.followers {
		f.segment(ns, values)
	}
}

func (w *windowed) close() {
	w.idle(int64(w.window.To))
	for _, f := range w.followers {
		f.flush()
	}
}

// sweep computes the time-weighted metrics of requests over a window, by tag.
func sweep(requests []sweepRequest, chunks bool, window Window) map[string]Stats {
	if !window.Known() {
		window = span0(requests)
	}
	if !window.Known() {
		return nil
	}
	metrics := sweepMetrics()
	first := make([]*weightedPass1, len(metrics))
	second := make([]*weightedPass2, len(metrics))
	pass(requests, chunks, window, metrics, func(i int) adder { first[i] = &weightedPass1{}; return first[i] })
	pass(requests, chunks, window, metrics, func(i int) adder { second[i] = newWeightedPass2(first[i]); return second[i] })
	result := make(map[string]Stats, len(metrics))
	for i, metric := range metrics {
		result[metric.tag] = second[i].stats()
	}
	return result
}

func pass(requests []sweepRequest, chunks bool, window Window, metrics []sweepMetric, adderOf func(int) adder) {
	followers := make([]*follower, len(metrics))
	for i, metric := range metrics {
		followers[i] = &follower{metric: metric, pass: adderOf(i)}
	}
	clip := newWindowed(window, followers)
	newSweeper(requests, chunks).walk(clip.segment)
	clip.close()
}

// span0 is from the first to the last event of the requests.
func span0(requests []sweepRequest) Window {
	window := NoWindow()
	for i := range requests {
		if !window.From.Known() || Stamp(requests[i].start) < window.From {
			window.From = Stamp(requests[i].start)
		}
		if !window.To.Known() || Stamp(requests[i].end) > window.To {
			window.To = Stamp(requests[i].end)
		}
	}
	return window
}
