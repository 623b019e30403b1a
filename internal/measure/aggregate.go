package measure

import "slices"

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
}

// Aggregate computes every metric over records. Which records belong to the population is the
// caller's choice; cancelled and unsent ones in it add nothing but concurrency.
func Aggregate(records []*Record, how How) *Set {
	set := &Set{Window: how.Window, Totals: total(records, how.Basis, how.Window), Records: len(records)}
	var curves map[string]Stats
	if how.Curves {
		curves = sweep(sweepRequests(how.inCurves(records), how.Chunks), how.Chunks, how.Window)
	}
	for _, d := range Definitions() {
		if stats, ok := set.compute(d, records, how, curves); ok {
			set.Results = append(set.Results, Result{d, stats.scaled(d.divisor())})
		}
	}
	return set
}

func (s *Set) compute(d *Definition, records []*Record, how How, curves map[string]Stats) (Stats, bool) {
	switch d.Family {
	case FamilyRecord, FamilyError:
		return Distribute(valuesOf(d, records, how.Basis))
	case FamilyPooled:
		return Distribute(pooledGaps(records, how.Chunks))
	case FamilyCounter:
		values := valuesOf(d, records, how.Basis)
		return scalar(sum(values)), len(values) > 0
	case FamilyScalar:
		value, ok := d.scalar(s.Totals)
		return scalar(value), ok
	case FamilyRatio:
		value, ok := percent(float64(s.Totals.HitBlocks), float64(s.Totals.TotalBlocks))
		return Stats{Shape: ShapeRatio, Avg: value, Count: s.Totals.TotalBlocks, Sum: float64(s.Totals.HitBlocks)}, ok
	case FamilyAdjusted:
		return Adjust(valuesOf(d, records, how.Basis), s.Totals.Errors)
	default:
		stats, ok := curves[d.Tag]
		return stats, ok
	}
}

func valuesOf(d *Definition, records []*Record, basis *Basis) []float64 {
	values := make([]float64, 0, len(records))
	for _, r := range records {
		if value, ok := d.raw(r, basis); ok {
			values = append(values, value)
		}
	}
	return values
}

func pooledGaps(records []*Record, chunks bool) []float64 {
	if !chunks {
		return nil
	}
	count := 0
	for _, r := range records {
		if r.Valid() && r.Streams {
			count += max(r.Trail.Len()-1, 0)
		}
	}
	values := make([]float64, 0, count)
	for _, r := range records {
		if !r.Valid() || !r.Streams {
			continue
		}
		for gap := range r.Trail.Gaps() {
			values = append(values, float64(gap))
		}
	}
	return values
}

// inCurves are the records that the time-weighted metrics are made of.
func (how *How) inCurves(records []*Record) []*Record {
	if how.Everyone {
		return records
	}
	counted := make([]*Record, 0, len(records))
	for _, r := range records {
		if r.Valid() || how.Basis.IsError(r) {
			counted = append(counted, r)
		}
	}
	return counted
}
