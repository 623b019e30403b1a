package swimlane

import (
	"bytes"
	"fmt"
	"math"
	"testing"
)

// Golden data of the hand-made run's curves, each value checked by hand against the formulas of Fold.
func TestCurvesOfTheHandmadeRun(t *testing.T) {
	var out bytes.Buffer
	for _, curve := range Fold(handmade()) {
		fmt.Fprintf(&out, "%s (%s) %s mean %v\n", curve.Name, curve.Unit, curve.Panel, curve.Mean)
		for _, step := range curve.Steps {
			fmt.Fprintf(&out, "  %g %.6g\n", float64(step.At)/1e9, step.Value)
		}
	}
	golden(t, "curves.txt", out.Bytes())
}

// A curve whose requests all ended is back at exactly zero, whatever the rounding of rates was.
func TestCurvesEndAtZero(t *testing.T) {
	var changes []change
	for i := range 1000 {
		from := int64(i) * 7_000_001
		changes = append(changes, rate(float64(i)+0.1, from, from+123_456_789)...)
	}
	steps := accumulate(changes)
	if last := steps[len(steps)-1]; last.Value != 0 {
		t.Errorf("the curve ends at %g", last.Value)
	}
}

// The mean of a rate over pixels keeps its integral; the extreme of a count keeps its peak.
func TestSamplingKeepsAreaAndPeak(t *testing.T) {
	const pixels = 1480
	end := at(15.5)
	burst := []Step{{at(4), 1000}, {at(4.001), 0}}
	width := 15.5 / pixels
	area, peak := 0.0, 0.0
	for _, value := range sample(&Curve{Mean: true, Steps: burst}, 0, end, pixels) {
		if !math.IsNaN(value) { // there is none before the first step
			area += value * width
		}
	}
	for _, value := range sample(&Curve{Steps: burst}, 0, end, pixels) {
		if !math.IsNaN(value) {
			peak = max(peak, value)
		}
	}
	if area < 0.999 || area > 1.001 {
		t.Errorf("1000/s over 1 ms has area %g after sampling, expected 1", area)
	}
	if peak != 1000 {
		t.Errorf("peak is %g after sampling, expected 1000", peak)
	}
}

// Values that come one by one make the same curve at the page's grain as the whole curve sampled there:
// means keep the integral, counts keep their peak.
func TestBinnedKeepsAreaAndPeak(t *testing.T) {
	from, to := at(2), at(102)
	for _, mean := range []bool{true, false} {
		binned := NewBinned(from, to, mean)
		area, before, value := 0.0, from, 0.0
		for i := range 100_000 {
			moment := from + int64(i)*at(100)/100_000
			area += value * float64(moment-before) / 1e9
			before, value = moment, float64(i*i%97)
			binned.Add(moment, value)
		}
		area += value * float64(to-before) / 1e9
		steps := binned.Steps()
		if len(steps) > curveLimit || len(steps) < curveLimit/2 {
			t.Fatalf("%d steps of 100,000 values", len(steps))
		}
		sum, peak := 0.0, 0.0
		for i, step := range steps {
			end := to
			if i+1 < len(steps) {
				end = steps[i+1].At
			}
			sum += step.Value * float64(end-step.At) / 1e9
			peak = max(peak, step.Value)
		}
		if mean && math.Abs(sum-area) > 1e-6*area {
			t.Errorf("area %g, expected %g", sum, area)
		}
		if !mean && peak != 96 {
			t.Errorf("peak %g, expected 96", peak)
		}
	}
}

// Axes end at round numbers; cache hits begin at the ten below nearly the least.
func TestScalesEndAtRoundNumbers(t *testing.T) {
	for _, c := range []struct {
		panel       string
		least, most float64
		low, high   float64
	}{
		{PanelRequests, 3, 7, 0, 8}, {PanelRequests, 0, 0, 0, 1}, {PanelTokens, 0, 106_000, 0, 150_000}, {PanelDecode, 0, 1000, 0, 1000}, {PanelDecode, 0, 0.3, 0, 0.3},
		{PanelCache, 78.4, 94, 70, 100}, {PanelCache, 0, 94, 0, 100}, {PanelCache, 100, 100, 90, 100}, {PanelKV, 12, 55, 0, 60},
	} {
		if low, high := scale(c.panel, c.least, c.most); low != c.low || math.Abs(high-c.high) > 1e-9*c.high {
			t.Errorf("%s %g..%g has the axis %g..%g, expected %g..%g", c.panel, c.least, c.most, low, high, c.low, c.high)
		}
	}
}

// The axis has round ends, counted from its zero, and leaves little empty.
func TestAxisEndsAtRoundNumbers(t *testing.T) {
	for _, c := range []struct{ begin, end, zero, from, to float64 }{
		{0.05, 106.15, 6, 0, 108}, {0, 15.5, 3, 0, 15.6}, {2, 2.000000001, 2, 2, 2.000000001}, {0, 1816.2, 6, -14, 1826},
	} {
		from, to := roundAxis(at(c.begin), at(c.end), at(c.zero))
		if from != at(c.from) || to != at(c.to) {
			t.Errorf("%g..%g around %g is widened to %g..%g, expected %g..%g", c.begin, c.end, c.zero, float64(from)/1e9, float64(to)/1e9, c.from, c.to)
		}
	}
}
