package measure

import "slices"

// Definition is what one metric means. The table of all definitions is the only place where a metric
// is described; docs/metrics.md is generated from it.
type Definition struct {
	Tag      string
	Header   string
	Unit     string  // display unit
	Divisor  float64 // internal value / Divisor = displayed value; 0 means 1
	Better   Better
	Order    int // position in its console table
	Table    Table
	Family   Family
	Streamed bool   // only streamed answers have it
	Own      bool   // not a metric of the peer: only in report.json and records.jsonl
	Formula  string // in the words of docs/metrics.md
	Absent   string // when there is no value; empty: always there
	Source   string // whose rule the formula is

	value  func(*Record, *Basis) (float64, bool) // per request families and counters
	scalar func(*Totals) (float64, bool)         // FamilyScalar
}

// Better says which direction is an improvement.
type Better int

// The directions.
const (
	Neither Better = iota
	Lower
	Higher
)

// String is lower, higher or –.
func (b Better) String() string {
	switch b {
	case Lower:
		return "lower"
	case Higher:
		return "higher"
	default:
		return "–"
	}
}

// Table is the console table in which a metric is printed.
type Table string

// The console tables.
const (
	TableNone      Table = ""
	TableHTTP      Table = "HTTP Trace Timing"
	TableEffective Table = "LLM Metrics: Effective"
	TableActive    Table = "LLM Metrics: Active"
	TableUsage     Table = "LLM Metrics: Usage"
	TableMain      Table = "LLM Metrics"
)

// Family says how a metric comes from the records.
type Family int

// The families.
const (
	FamilyRecord   Family = iota // one value per valid request, exported as a distribution
	FamilyError                  // one value per failed request, exported as a distribution
	FamilyPooled                 // many values per valid request, pooled
	FamilyCounter                // 0 or 1 per request, exported as the sum
	FamilyScalar                 // one number per run
	FamilyRatio                  // weighted ratio: percentage, denominator, numerator
	FamilyWeighted               // curve over time, time-weighted
	FamilyAdjusted               // a distribution where failures count as infinite
)

// String is the family's word in docs/metrics.md.
func (f Family) String() string {
	return [...]string{"per request", "per failed request", "pooled", "count", "run", "ratio", "over time", "per request, failures infinite"}[f]
}

// divisor is Divisor with its default.
func (d *Definition) divisor() float64 {
	if d.Divisor == 0 {
		return 1
	}
	return d.Divisor
}

// Value is the metric's value for one record, in display units; false when it has none. Only per
// request families and counters have values for a record.
func (d *Definition) Value(r *Record, basis *Basis) (float64, bool) {
	raw, ok := d.raw(r, basis)
	return raw / d.divisor(), ok
}

// raw is Value in internal units.
func (d *Definition) raw(r *Record, basis *Basis) (float64, bool) {
	if d.value == nil {
		return 0, false
	}
	return d.value(r, basis)
}

// Definitions lists all metrics, in the order in which files show them.
func Definitions() []*Definition {
	return slices.Concat(
		latencyDefinitions(), tokenDefinitions(), usageDefinitions(), effectiveDefinitions(), adjustedDefinitions(),
		scalarDefinitions(), sweepDefinitions(), httpDefinitions(), ownDefinitions(),
	)
}

// Lookup finds a definition by tag among definitions.
func Lookup(definitions []*Definition, tag string) (*Definition, bool) {
	at := slices.IndexFunc(definitions, func(d *Definition) bool { return d.Tag == tag })
	if at < 0 {
		return nil, false
	}
	return definitions[at], true
}

const (
	nsPerMs  = 1e6
	nsPerSec = 1e9
	perKB    = 1024
)
