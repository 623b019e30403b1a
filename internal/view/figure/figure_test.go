package figure

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

const hostile = "a</text><script>x</script>\" onload=\"x \x1b\u202e"

func pictures() map[string]string {
	curve := []Series{{Name: hostile, Points: []Point{{0, 0}, {1, 5}, {2, math.NaN()}}, Values: []float64{1, 2, 1000}}, {Name: "b", Points: []Point{{0, 1}, {2, 3}}, Values: []float64{5, 5, 5}}}
	return map[string]string{
		"lines":         Lines(curve, hostile, hostile),
		"distributions": Distributions(curve, hostile),
		"intervals":     Intervals([]Interval{{Label: hostile, Low: -1, Mid: 2, High: 5, Tone: 2}, {Label: "none", Low: math.NaN(), Mid: 500, High: math.NaN()}}),
		"boxes":         Boxes([]Group{{Label: hostile, Boxes: []Box{{1, 2, 3, 4, 5, 9}, {}}}, {Label: "b", Boxes: []Box{{1, 1, 1, 1, 400, 2}, {2, 3, 4, 5, 6, 7}}}}, []string{hostile, "b"}, hostile, "y"),
		"scatter":       Scatter([]Spot{{Point{1, 2}, hostile, true}, {Point{3, 1}, "b", true}, {Point{math.NaN(), 1}, "c", false}}, "x", hostile),
		"no lines":      Lines(nil, "x", "y"),
		"no values":     Distributions([]Series{{Name: "a"}}, "x"),
		"no rows":       Intervals(nil),
		"no boxes":      Boxes(nil, nil, "x", "y"),
		"no spots":      Scatter(nil, "x", "y"),
	}
}

// Pictures are well-formed, hold no code, no style, no link, no NaN, and text of any kind as text.
func TestPicturesAreSafeAndWellFormed(t *testing.T) {
	for name, svg := range pictures() {
		if strings.Contains(svg, "NaN") || strings.ContainsAny(svg, "\x1b\u202e") {
			t.Errorf("%s: %s", name, svg)
		}
		decoder := xml.NewDecoder(strings.NewReader(svg))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			element, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			switch element.Name.Local {
			case "svg", "g", "rect", "line", "path", "circle", "text", "title":
			default:
				t.Errorf("%s holds a %s", name, element.Name.Local)
			}
			for _, attribute := range element.Attr {
				if strings.HasPrefix(attribute.Name.Local, "on") || attribute.Name.Local == "style" || attribute.Name.Local == "href" {
					t.Errorf("%s has an attribute %s", name, attribute.Name.Local)
				}
			}
		}
	}
}

// Ticks are round, inside the axis, and a handful.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis axis
		want []float64
	}{
		{axis{low: 0, high: 10}, []float64{0, 2, 4, 6, 8, 10}},
		{axis{low: 0, high: 0.7}, []float64{0, 0.2, 0.4, 0.6}},
		{axis{low: 3, high: 3}, []float64{3}},
		{axis{low: 1, high: 30, log: true}, []float64{1, 2, 5, 10, 20}},
		{axis{low: 0.5, high: 90000, log: true}, []float64{1, 10, 100, 1000, 10000}},
	} {
		got := c.axis.ticks(5)
		if len(got) != len(c.want) {
			t.Errorf("%+v: %v, expected %v", c.axis, got, c.want)
			continue
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("%+v: %v, expected %v", c.axis, got, c.want)
			}
		}
	}
}

// Values lie where the axis says.
func TestAxisPlaces(t *testing.T) {
	linear := axis{low: 0, high: 10, from: 100, to: 200}
	log := axis{low: 1, high: 100, from: 0, to: 200, log: true}
	for _, c := range []struct{ got, want float64 }{{linear.at(0), 100}, {linear.at(5), 150}, {linear.at(10), 200}, {log.at(1), 0}, {log.at(10), 100}, {log.at(100), 200}, {log.at(0), 0}} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%g, expected %g", c.got, c.want)
		}
	}
}

// A distribution goes from 0 at the least value to 100 % at the greatest.
func TestDistributionSteps(t *testing.T) {
	x, y := &axis{low: 0, high: 10, from: 0, to: 100}, &axis{low: 0, high: 100, from: 100, to: 0}
	got := steps([]float64{0, 1, 1, 10}, x, y)
	want := []Point{{0, 100}, {0, 75}, {10, 50}, {10, 25}, {100, 0}}
	if len(got) != len(want) {
		t.Fatalf("%v, expected %v", got, want)
	}
	for i := range got {
		if math.Abs(got[i].X-want[i].X) > 1e-9 || math.Abs(got[i].Y-want[i].Y) > 1e-9 {
			t.Errorf("%v, expected %v", got, want)
		}
	}
}
