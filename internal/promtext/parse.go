package promtext

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

const (
	typeCounter   = "counter"
	typeHistogram = "histogram"
	typeSummary   = "summary"
	typeUntyped   = "untyped"
)

// MaxPage bounds what is read of a page, in bytes; the largest seen are about 1 MB.
const MaxPage = 64 << 20

// maxRetries bounds how often a page is begun again behind a line that cannot be read: a page with more
// of them is no metrics page, and what is left of the block is skipped as a whole.
const maxRetries = 200

// Parse reads a page. skipped counts the lines that could not be read; first is what was wrong with the
// first of them, with its number.
func Parse(page []byte) (parsed Page, skipped int, first error) {
	r := reader{
		parser: expfmt.NewTextParser(model.UTF8Validation),
		open:   bytes.Contains(page, []byte("# EOF")),
		at:     map[string]int{},
	}
	page = bytes.ReplaceAll(page[:min(len(page), MaxPage)], []byte("\r\n"), []byte("\n"))
	lines := bytes.SplitAfter(page, []byte("\n"))
	for start := 0; start < len(lines); {
		end := blockEnd(lines, start)
		r.block(lines[start:end], start)
		start = end
	}
	slices.SortFunc(r.page, func(a, b Family) int { return cmp.Compare(a.Name, b.Name) })
	return r.page, r.skipped, r.first
}

// reader reads a page block by block, so that a line that cannot be read costs its block only. A block
// is a family as servers write it: comments and the samples behind them.
type reader struct {
	parser  expfmt.TextParser
	open    bool // OpenMetrics text
	page    Page
	at      map[string]int // place of a family in page
	retries int
	skipped int
	first   error
}

func isComment(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) }

// blockEnd is the first comment that stands behind a sample.
func blockEnd(lines [][]byte, start int) int {
	samples := false
	for i := start; i < len(lines); i++ {
		comment := isComment(lines[i])
		if comment && samples {
			return i
		}
		samples = samples || !comment && len(bytes.TrimSpace(lines[i])) > 0
	}
	return len(lines)
}

// block reads the lines of a block, whose first has the given index on the page.
func (r *reader) block(lines [][]byte, offset int) {
	lines = slices.Clone(lines)
	if r.open {
		plainLines(lines)
	}
	if last := len(lines) - 1; !bytes.HasSuffix(lines[last], []byte("\n")) {
		lines[last] = append(slices.Clone(lines[last]), '\n')
	}
	for {
		families, err := r.parser.TextToMetricFamilies(bytes.NewReader(bytes.Join(lines, nil)))
		if err == nil {
			r.add(families)
			return
		}
		bad := expfmt.ParseError{}
		if !errors.As(err, &bad) || bad.Line < 1 || bad.Line > len(lines) || r.retries == maxRetries {
			r.skip(countLines(lines), offset, err)
			return
		}
		r.retries++
		r.skip(1, offset+bad.Line-1, errors.New(bad.Msg))
		lines[bad.Line-1] = []byte("\n")
	}
}

func (r *reader) skip(count, index int, err error) {
	r.skipped += count
	if r.first == nil {
		r.first = fmt.Errorf("metrics page, line %d: %w", index+1, err)
	}
}

func countLines(lines [][]byte) (count int) {
	for _, line := range lines {
		if len(bytes.TrimSpace(line)) > 0 {
			count++
		}
	}
	return count
}

// add takes the families of a block, joining those that came before.
func (r *reader) add(families map[string]*dto.MetricFamily) {
	for _, name := range slices.Sorted(maps.Keys(families)) {
		read := families[name]
		at, known := r.at[name]
		if !known {
			at = len(r.page)
			r.at[name] = at
			r.page = append(r.page, Family{Name: name, Help: read.GetHelp(), Type: strings.ToLower(read.GetType().String())})
		}
		for _, metric := range read.GetMetric() {
			r.page[at].Series = append(r.page[at].Series, seriesOf(metric))
		}
	}
}

func seriesOf(metric *dto.Metric) Series {
	s := Series{}
	for _, label := range metric.GetLabel() {
		s.Labels = append(s.Labels, Label{label.GetName(), label.GetValue()})
	}
	slices.SortStableFunc(s.Labels, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	switch {
	case metric.Counter != nil:
		s.Value = metric.Counter.GetValue()
	case metric.Gauge != nil:
		s.Value = metric.Gauge.GetValue()
	case metric.Untyped != nil:
		s.Value = metric.Untyped.GetValue()
	case metric.Histogram != nil:
		h := metric.Histogram
		s.Count, s.Sum = wholeOrFloat(h.SampleCount, h.SampleCountFloat), orNaN(h.SampleSum)
		for _, bucket := range h.GetBucket() {
			s.Buckets = append(s.Buckets, Bucket{bucket.GetUpperBound(), wholeOrFloat(bucket.CumulativeCount, bucket.CumulativeCountFloat)})
		}
	case metric.Summary != nil:
		s.Count, s.Sum = wholeOrFloat(metric.Summary.SampleCount, nil), orNaN(metric.Summary.SampleSum)
		for _, quantile := range metric.Summary.GetQuantile() {
			s.Buckets = append(s.Buckets, Bucket{quantile.GetQuantile(), quantile.GetValue()})
		}
	}
	return s
}

func orNaN(value *float64) float64 {
	if value == nil {
		return math.NaN()
	}
	return *value
}

func wholeOrFloat(whole *uint64, float *float64) float64 {
	if whole == nil {
		return orNaN(float)
	}
	return float64(*whole)
}
