package swimlane

import (
	"cmp"
	"math"
	"slices"
)

// Names of the panels, in the order they stand under the lanes.
const (
	PanelRequests = "requests"
	PanelTokens   = "tokens"
	PanelPrefill  = "prefill"
	PanelDecode   = "decode"
	PanelCache    = "cache"
	PanelServer   = "server"
	PanelKV       = "kv"
)

// scale is the range of a panel's axis for the values in view: from 0 to a round number. Cache hits lie
// close together and close to 100 %, so their axis ends there and begins at the ten below the (nearly) least
// value; what lies below it is drawn on its edge. The page's script has the same rule.
func scale(panel string, least, most float64) (low, high float64) {
	if panel != PanelCache {
		return 0, roundUp(most)
	}
	return math.Floor(min(max(least, 0), 99)/10) * 10, 100
}

// roundUp is the smallest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is at least value; 1 for 0.
func roundUp(value float64) float64 {
	if !(value > 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(value)))
	for _, factor := range []float64{1, 1.5, 2, 3, 4, 5, 6, 8} {
		if float64(factor*power) >= value*(1-1e-12) {
			return factor * power
		}
	}
	return 10 * power
}

// change is a step up or down of a curve.
type change struct {
	at    int64
	delta float64
}

// Fold computes the curves of a run from its requests (spec metrics 4, by the rules for requests without
// chunk times): S start, G first token, E end, I input, O output tokens.
//
//	in flight        +1 at S, −1 at E, every request that was sent
//	live trees       +1 when a play opens, −1 when it drains
//	tokens in flight +I at S, +O at G, −(I+O) at E, requests with a first token
//	prefill          I/(G−S) on [S,G)
//	decode           (O−1)/(E−G) on [G,E)
//	cache hit        Σ cached / Σ input of the requests whose first token came in the last cacheWindow
//
// A request whose end is not known counts to the end of the axis.
func Fold(run *Run) []Curve {
	_, end := span(run)
	var flight, trees, tokens, prefill, decode []change
	var hits hitCurves
	for i := range run.Plays {
		play := &run.Plays[i]
		trees = append(trees, change{play.Opened, 1}, change{endOr(play.Drained, end), -1})
		for s := range play.Streams {
			for r := range play.Streams[s].Requests {
				request := &play.Streams[s].Requests[r]
				if request.Start == None {
					continue
				}
				to := max(endOr(request.End, end), request.Start)
				flight = append(flight, change{request.Start, 1}, change{to, -1})
				if request.FirstToken == None || request.Input == None {
					continue
				}
				first := min(max(request.FirstToken, request.Start), to)
				prefill = append(prefill, rate(float64(request.Input), request.Start, first)...)
				tokens = append(tokens, change{request.Start, float64(request.Input)}, change{to, -float64(request.Input)})
				if output := outputOf(request); output > 0 {
					tokens = append(tokens, change{first, float64(output)}, change{to, -float64(output)})
					decode = append(decode, rate(float64(output-1), first, to)...)
				}
				hits.add(request)
			}
		}
	}
	curves := []Curve{
		{Name: "in flight", Unit: "requests", Panel: PanelRequests, Steps: accumulate(flight)},
		{Name: "live trees", Unit: "trees", Panel: PanelRequests, Steps: accumulate(trees)},
		{Name: NameTokens, Unit: "tokens", Panel: PanelTokens, Steps: accumulate(tokens)},
		{Name: NamePrefill, Unit: "input tokens/s", Panel: PanelPrefill, Mean: true, Steps: accumulate(prefill)},
		{Name: NameDecode, Unit: "output tokens/s", Panel: PanelDecode, Mean: true, Steps: accumulate(decode)},
	}
	return append(curves, hits.curves()...)
}

// Names of the curves that are replaced where an analysis has them chunk by chunk.
const (
	NameTokens  = "tokens in flight"
	NamePrefill = "prefill"
	NameDecode  = "decode"
)

// outputOf is the output and reasoning tokens of a request, 0 where nobody counted.
func outputOf(request *Request) int64 {
	total := int64(0)
	for _, count := range []int64{request.Output, request.Reasoning} {
		if count != None {
			total += count
		}
	}
	return total
}

// rate spreads an amount over a stretch, per second; nothing when it has no length.
func rate(amount float64, from, to int64) []change {
	if to <= from || amount <= 0 {
		return nil
	}
	perSecond := amount / (float64(to-from) / 1e9)
	return []change{{from, perSecond}, {to, -perSecond}}
}

// accumulate turns changes into steps: at one instant, what goes down goes first, so that neighbours
// never overlap (spec metrics 4), and values within rounding of zero are zero.
func accumulate(changes []change) []Step {
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.delta, b.delta))
	})
	var steps []Step
	value, greatest := 0.0, 0.0
	for i, c := range changes {
		value += c.delta
		greatest = max(greatest, value)
		if i+1 < len(changes) && changes[i+1].at == c.at {
			continue
		}
		shown := value
		if max(shown, -shown) < 1e-9*greatest {
			shown = 0
		}
		steps = append(steps, Step{c.at, shown})
	}
	return steps
}

// cacheWindow is the stretch over which the cache-hit curves look back, in ns.
const cacheWindow = int64(10e9)

// hitCurves collects what the cache did, by the time of the first token.
type hitCurves struct{ actual, theory, reach []hit }

type hit struct {
	at          int64
	part, whole int64 // tokens
}

func (h *hitCurves) add(request *Request) {
	note := func(list *[]hit, tokens int64) {
		if tokens != None && request.Input > 0 {
			*list = append(*list, hit{request.FirstToken, tokens, request.Input})
		}
	}
	note(&h.actual, request.Cached)
	note(&h.theory, request.TheoryHit)
	note(&h.reach, request.Reach)
}

func (h *hitCurves) curves() []Curve {
	var curves []Curve
	for _, c := range []struct {
		name string
		hits []hit
	}{{"cache hit, measured", h.actual}, {"reachable", h.reach}, {"theory", h.theory}} {
		if len(c.hits) > 0 {
			curves = append(curves, Curve{Name: c.name, Unit: "% of input tokens", Panel: PanelCache, Mean: true, Steps: trailing(c.hits)})
		}
	}
	return curves
}

// trailing is the share of the hits of the last cacheWindow, at each of them, in percent.
func trailing(hits []hit) []Step {
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.at, b.at) })
	steps := make([]Step, 0, len(hits))
	part, whole, oldest := int64(0), int64(0), 0
	for i, h := range hits {
		part, whole = part+h.part, whole+h.whole
		for hits[oldest].at <= h.at-cacheWindow {
			part, whole = part-hits[oldest].part, whole-hits[oldest].whole
			oldest++
		}
		if i+1 < len(hits) && hits[i+1].at == h.at {
			continue
		}
		steps = append(steps, Step{h.at, 100 * float64(part) / float64(whole)})
	}
	return steps
}
