package swimlane

import (
	"bytes"
	"fmt"
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
		area += value * width
	}
	for _, value := range sample(&Curve{Steps: burst}, 0, end, pixels) {
		peak = max(peak, value)
	}
	if area < 0.999 || area > 1.001 {
		t.Errorf("1000/s over 1 ms has area %g after sampling, expected 1", area)
	}
	if peak != 1000 {
		t.Errorf("peak is %g after sampling, expected 1000", peak)
	}
}
