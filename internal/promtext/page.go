// Package promtext reads metrics pages in Prometheus' text form, and in OpenMetrics text, and finds in
// them what inference servers tell of their queue, cache and tokens, whichever server it is.
//
// It is pure: bytes in, values out. It promises to trust nothing, since a page is input from outside: a
// line that cannot be read is skipped, counted and reported, and every other line keeps its value. The
// grammar of lines is that of Prometheus' own library.
package promtext

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Page is one scrape, families in order of name.
type Page []Family

// Family is all series of one metric.
type Family struct {
	Name   string // as on the page
	Help   string
	Type   string // counter, gauge, histogram, summary, untyped
	Series []Series
}

// Series is one set of labels. Value is set for counters, gauges and untyped metrics, the others for
// histograms and summaries.
type Series struct {
	Labels  []Label // by name
	Value   float64
	Count   float64 // observations; NaN where the page has no line for it
	Sum     float64 // of them; NaN likewise
	Buckets []Bucket
}

// Label is one label of a series.
type Label struct{ Name, Value string }

// Bucket counts the observations up to a bound (cumulative); of a summary, the value of a quantile.
type Bucket struct {
	Bound float64 // +Inf is the last of a histogram
	Count float64
}

// Label is the value of a label; empty where the series has none.
func (s *Series) Label(name string) string {
	at, found := slices.BinarySearchFunc(s.Labels, name, func(l Label, name string) int { return cmp.Compare(l.Name, name) })
	if !found {
		return ""
	}
	return s.Labels[at].Value
}

// Grouped reports whether the series of the family are histograms or summaries.
func (f *Family) Grouped() bool { return f.Type == typeHistogram || f.Type == typeSummary }

// Family finds a family by its name, nil where the page has none.
func (p Page) Family(name string) *Family {
	at, found := slices.BinarySearchFunc(p, name, func(f Family, name string) int { return strings.Compare(f.Name, name) })
	if !found {
		return nil
	}
	return &p[at]
}

// fold joins the values of all series of a family that carry the given labels; nil where there are none.
func (p Page) fold(name string, labels []string, join func(a, b float64) float64) *float64 {
	family := p.Family(name)
	if family == nil {
		return nil
	}
	var result *float64
	for _, series := range family.Series {
		matches := true
		for i := 0; i+1 < len(labels); i += 2 {
			matches = matches && series.Label(labels[i]) == labels[i+1]
		}
		value := series.Value
		if family.Grouped() {
			value = series.Sum
		}
		if !matches || math.IsNaN(value) {
			continue
		}
		if result != nil {
			value = join(*result, value)
		}
		result = &value
	}
	return result
}
