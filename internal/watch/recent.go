package watch

// recentSeconds is the stretch over which rates "now" are taken.
const recentSeconds = 30

// amounts are what came in a second.
type amounts struct {
	requests, input, output float64
}

// recent keeps the amounts of the last seconds.
type recent struct {
	seconds [recentSeconds + 1]amounts
	last    int64 // the latest second
}

func (r *recent) at(ns int64) *amounts {
	second := ns / 1e9
	for r.last < second {
		r.last++
		if second-r.last > recentSeconds {
			r.last = second - recentSeconds // all of them are over
		}
		r.seconds[r.last%(recentSeconds+1)] = amounts{}
	}
	if r.last-second > recentSeconds {
		return &amounts{} // too long ago to count
	}
	return &r.seconds[second%(recentSeconds+1)]
}

// rates are per second over the whole seconds before now, at most 30 and at most since start.
func (r *recent) rates(now, start int64) (rates amounts, seconds float64) {
	r.at(now)
	this := now / 1e9
	for second := max(this-recentSeconds, (start+999_999_999)/1e9, 0); second < this; second++ {
		a := r.seconds[second%(recentSeconds+1)]
		rates.requests, rates.input, rates.output = rates.requests+a.requests, rates.input+a.input, rates.output+a.output
		seconds++
	}
	if seconds > 0 {
		rates.requests, rates.input, rates.output = rates.requests/seconds, rates.input/seconds, rates.output/seconds
	}
	return rates, seconds
}
