package fromrun

import (
	"fmt"
	"maps"
	"slices"

	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/promtext"
	"agentx/internal/view/swimlane"
)

// serverCurves are what the scraped metrics pages say of the server's queue and cache: requests running and
// waiting, summed over the pages, and the KV use of the fullest engine. A page that was not scraped, or
// does not say, keeps its last value; none where no page ever says.
func serverCurves(source measure.Source) ([]swimlane.Curve, error) {
	running := swimlane.Curve{Name: "running on the server", Unit: "requests", Panel: swimlane.PanelServer}
	waiting := swimlane.Curve{Name: "waiting on the server", Unit: "requests", Panel: swimlane.PanelServer}
	usage := swimlane.Curve{Name: "KV cache in use", Unit: "%", Panel: swimlane.PanelKV}
	pages := map[string]promtext.Facts{}
	for event, err := range source.Events(eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindServerSample}}) {
		if err != nil {
			return nil, err
		}
		sample, err := eventlog.Decode[eventlog.ServerSample](event)
		if err != nil {
			return nil, err
		}
		if sample.Error != "" || len(event.Data) == 0 {
			continue
		}
		text, err := promtext.Unpack(event.Data)
		if err != nil {
			return nil, fmt.Errorf("metrics page of event %d: %w", event.Seq, err)
		}
		page, _, _ := promtext.Parse(text) // lines that cannot be read say nothing
		pages[sample.URL] = page.Facts()
		step(&running, event.AtNs, pages, func(f promtext.Facts) *float64 { return f.Running }, plus)
		step(&waiting, event.AtNs, pages, func(f promtext.Facts) *float64 { return f.Waiting }, plus)
		step(&usage, event.AtNs, pages, func(f promtext.Facts) *float64 { return f.KVUsage }, func(a, b float64) float64 { return max(a, 100*b) })
	}
	var curves []swimlane.Curve
	for _, curve := range []swimlane.Curve{waiting, running, usage} {
		if len(curve.Steps) > 0 {
			curves = append(curves, curve)
		}
	}
	return curves, nil
}

func plus(a, b float64) float64 { return a + b }

// step adds the value over all pages at an instant, if any page says one, and it is another than before.
func step(curve *swimlane.Curve, at int64, pages map[string]promtext.Facts, of func(promtext.Facts) *float64, join func(a, b float64) float64) {
	total, said := 0.0, false
	for _, url := range slices.Sorted(maps.Keys(pages)) {
		if value := of(pages[url]); value != nil {
			total, said = join(total, *value), true
		}
	}
	if n := len(curve.Steps); said && (n == 0 || curve.Steps[n-1].Value != total) {
		curve.Steps = append(curve.Steps, swimlane.Step{At: at, Value: total})
	}
}
