package measure

import (
	"maps"
	"slices"
	"sync"
)

// Result is one metric of a set of records, in display units.
type Result struct {
	*Definition
	Stats Stats
}

// Set is all metrics of one population over one window.
type Set struct {
	Window  Window
	Results []Result // in the order of Definitions; a metric without value is absent
	Totals  *Totals
	Records int // size of the population
}

// Get finds a result by tag.
func (s *Set) Get(tag string) (*Result, bool) {
	if s == nil {
		return nil, false
	}
	at := slices.IndexFunc(s.Results, func(r Result) bool { return r.Tag == tag })
	if at < 0 {
		return nil, false
	}
	return &s.Results[at], true
}

// Average is the avg of a metric; false where it has no value.
func (s *Set) Average(tag string) (float64, bool) {
	result, ok := s.Get(tag)
	if !ok {
		return 0, false
	}
	return result.Stats.Avg, true
}

// How says how a set of records is to be summed up.
type How struct {
	Basis  *Basis
	Window Window // denominator of throughputs and extent of the curves
	Chunks bool   // trails were read: chunk gaps and exact decode curves
	Curves bool   // compute the time-weighted metrics
	// Everyone lets the curves count every request that was sent; otherwise only those that the peer
	// counts: valid ones and errors.
	Everyone bool
	Shared   *Shared // computed before, for the same records; nil: computed here
}

// Aggregate computes every metric over records. Which records belong to the population is the
// caller's choice; cancelled and unsent ones in it add nothing but concurrency.
func Aggregate(records []*Record, how How) *Set {
	set := &Set{Window: how.Window, Totals: total(records, how.Basis, how.Window), Records: len(records)}
	shared := how.Shared
	if shared == nil {
		shared = Share(records, how)
	}
	curves := shared.curves[how.ask()]
	definitions := Definitions()
	shared.fill(definitions, records, how.Basis)
	for _, d := range definitions {
		if stats, ok := set.compute(d, shared, curves); ok {
			set.Results = append(set.Results, Result{d, stats.scaled(d.divisor())})
		}
	}
	return set
}

// compute is one metric, in internal units.
func (s *Set) compute(d *Definition, shared *Shared, curves map[string]Stats) (Stats, bool) {
	switch d.Family {
	case FamilyPooled:
		return shared.gaps, shared.gaps.Count > 0
	case FamilyScalar:
		value, ok := d.scalar(s.Totals)
		return scalar(value), ok
	case FamilyRatio:
		value, ok := percent(float64(s.Totals.HitBlocks), float64(s.Totals.TotalBlocks))
		return Stats{Shape: ShapeRatio, Avg: value, Count: s.Totals.TotalBlocks, Sum: float64(s.Totals.HitBlocks)}, ok
	case FamilyWeighted:
		stats, ok := curves[d.Tag]
		// Curves of what nobody could see are absent, not 0.
		return stats, ok && !(d.Streamed && s.Totals.Valid > 0 && s.Totals.Streamed == 0)
	default:
		stats, ok := shared.values[d.Tag]
		return stats, ok
	}
}

// fill computes the metrics that come from one value per record, unless they are there already.
func (shared *Shared) fill(definitions []*Definition, records []*Record, basis *Basis) {
	if shared.values != nil {
		return
	}
	shared.values = map[string]Stats{}
	errors := 0
	for _, r := range records {
		if basis.IsError(r) {
			errors++
		}
	}
	perRecord := slices.DeleteFunc(slices.Clone(definitions), func(d *Definition) bool { return d.value == nil || d.Family == FamilyScalar })
	groups := make(chan []*Definition, len(perRecord))
	for group := range slices.Chunk(perRecord, definitionsAtOnce) {
		groups <- group
	}
	close(groups)
	var computing sync.WaitGroup
	var filling sync.Mutex
	for range groupsAtOnce {
		computing.Go(func() {
			for group := range groups {
				computed := statsOf(group, records, basis, errors)
				filling.Lock()
				maps.Copy(shared.values, computed)
				filling.Unlock()
			}
		})
	}
	computing.Wait()
}

// statsOf are the statistics of definitions that have any, by tag; errors is how many of the records failed.
func statsOf(definitions []*Definition, records []*Record, basis *Basis, errors int) map[string]Stats {
	computed := map[string]Stats{}
	for i, values := range valuesOf(definitions, records, basis) {
		d := definitions[i]
		var stats Stats
		ok := false
		switch d.Family {
		case FamilyCounter:
			stats, ok = scalar(sum(values)), len(values) > 0
		case FamilyAdjusted:
			stats, ok = Adjust(values, errors)
		default:
			stats, ok = Distribute(values)
		}
		if ok {
			computed[d.Tag] = stats
		}
	}
	return computed
}

// definitionsAtOnce bounds the memory for values: so many lists of all records at a time, in each of so many
// groups.
const (
	definitionsAtOnce = 8
	groupsAtOnce      = 2
)

// valuesOf are the values of all records, by definition. It goes through the records once: they lie
// far apart in memory.
func valuesOf(definitions []*Definition, records []*Record, basis *Basis) [][]float64 {
	lists := make([][]float64, len(definitions))
	for i := range lists {
		lists[i] = make([]float64, 0, len(records))
	}
	for _, r := range records {
		for i, d := range definitions {
			if value, ok := d.value(r, basis); ok {
				lists[i] = append(lists[i], value)
			}
		}
	}
	return lists
}

// ask is what a set wants from a sweep.
func (how *How) ask() sweepAsk { return sweepAsk{how.Window, how.Everyone} }

// Shared is what several sets of the same records have in common and what is costly: the statistics of
// single values, the chunk gaps, and the curves, over all windows in one go.
type Shared struct {
	gaps   Stats
	values map[string]Stats // by tag; nil: not computed yet
	curves map[sweepAsk]map[string]Stats
}

// without is the same without the statistics of single values, for a set with another basis.
func (shared *Shared) without() *Shared { return &Shared{gaps: shared.gaps, curves: shared.curves} }

// Share computes what sets of the same records, one for each how, have in common. The curves take longest;
// the rest goes on beside them.
func Share(records []*Record, hows ...How) *Shared {
	shared := &Shared{}
	how := hows[0]
	var beside sync.WaitGroup
	beside.Go(func() {
		if how.Chunks {
			shared.gaps, _ = distributeStream(func(give func(float64)) { eachGap(records, give) })
		}
		shared.fill(Definitions(), records, how.Basis)
	})
	if how.Curves {
		shared.curves = curvesOf(records, hows)
	}
	beside.Wait()
	return shared
}

func curvesOf(records []*Record, hows []How) map[sweepAsk]map[string]Stats {
	asks := make([]sweepAsk, len(hows))
	for i := range hows {
		asks[i] = hows[i].ask()
	}
	byAsk := map[sweepAsk]map[string]Stats{}
	for i, curves := range sweepAll(sweepRequests(records, hows[0].Chunks, hows[0].Basis), hows[0].Chunks, asks) {
		byAsk[asks[i]] = curves
	}
	return byAsk
}

// eachGap gives the gaps between chunks of valid answers, in ns.
func eachGap(records []*Record, give func(float64)) {
	for _, r := range records {
		if !r.Valid() || !r.Streams {
			continue
		}
		walker := r.Trail.walk()
		walker.next()
		for walker.next() {
			give(float64(walker.gap))
		}
	}
}
