// Package promtext reads metrics pages in Prometheus' text form and finds in them what inference servers
// tell of their queue, cache and tokens, whichever server it is.
//
// It is pure: bytes in, values out. A page that is damaged gives an error, never a part of its values.
package promtext

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
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
	Labels  map[string]string
	Value   float64
	Count   float64 // observations
	Sum     float64 // of them
	Buckets []Bucket
}

// Bucket counts the observations up to a bound (cumulative); of a summary, the value of a quantile.
type Bucket struct {
	Bound float64 // +Inf is the last of a histogram
	Count float64
}

// Parse reads a page.
func Parse(page []byte) (Page, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	if err != nil {
		return nil, fmt.Errorf("metrics page: %w", err)
	}
	parsed := make(Page, 0, len(families))
	for _, name := range slices.Sorted(maps.Keys(families)) {
		family := families[name]
		kind := strings.ToLower(family.GetType().String())
		entry := Family{Name: name, Help: family.GetHelp(), Type: kind}
		for _, metric := range family.GetMetric() {
			entry.Series = append(entry.Series, seriesOf(metric))
		}
		parsed = append(parsed, entry)
	}
	return parsed, nil
}

func seriesOf(metric *dto.Metric) Series {
	s := Series{Labels: map[string]string{}}
	for _, label := range metric.GetLabel() {
		s.Labels[label.GetName()] = label.GetValue()
	}
	switch {
	case metric.Counter != nil:
		s.Value = metric.Counter.GetValue()
	case metric.Gauge != nil:
		s.Value = metric.Gauge.GetValue()
	case metric.Untyped != nil:
		s.Value = metric.Untyped.GetValue()
	case metric.Histogram != nil:
		s.Count, s.Sum = float64(metric.Histogram.GetSampleCount()), metric.Histogram.GetSampleSum()
		for _, bucket := range metric.Histogram.GetBucket() {
			s.Buckets = append(s.Buckets, Bucket{bucket.GetUpperBound(), float64(bucket.GetCumulativeCount())})
		}
	case metric.Summary != nil:
		s.Count, s.Sum = float64(metric.Summary.GetSampleCount()), metric.Summary.GetSampleSum()
		for _, quantile := range metric.Summary.GetQuantile() {
			s.Buckets = append(s.Buckets, Bucket{quantile.GetQuantile(), quantile.GetValue()})
		}
	}
	return s
}

// Family finds a family by its name, nil where the page has none.
func (p Page) Family(name string) *Family {
	at, found := slices.BinarySearchFunc(p, name, func(f Family, name string) int { return strings.Compare(f.Name, name) })
	if !found {
		return nil
	}
	return &p[at]
}

// total is the sum over all series (engines, models, replicas) that carry the given labels.
func (p Page) total(name string, labels ...string) *float64 {
	return p.fold(name, labels, func(a, b float64) float64 { return a + b })
}

// highest is the largest over all series.
func (p Page) highest(name string) *float64 { return p.fold(name, nil, math.Max) }

func (p Page) fold(name string, labels []string, join func(a, b float64) float64) *float64 {
	family := p.Family(name)
	if family == nil {
		return nil
	}
	var result *float64
	for _, series := range family.Series {
		matches := true
		for i := 0; i+1 < len(labels); i += 2 {
			matches = matches && series.Labels[labels[i]] == labels[i+1]
		}
		value := series.Value
		if family.Type == "histogram" || family.Type == "summary" {
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
