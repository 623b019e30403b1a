package swimlane

import (
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// chartOption is the page's chart as go-echarts describes it: one grid for the lanes, one for each
// panel of curves, all on linked time axes, and sliders for time and lanes. Each grid holds a custom
// series of one item; the page's script gives it its renderItem, which draws what is in view.
//
// It is handed to the page as plain data, never as script: go-echarts does not escape text.
func chartOption(panels []string) map[string]any {
	chart := charts.NewCustom()
	chart.SetGlobalOptions(
		charts.WithInitializationOpts(opts.Initialization{ChartID: "chart", Width: "100%", Height: "100%"}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(false)}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithAnimation(false),
		charts.WithProgressiveThreshold(1e9), // never draw in pieces: a print would miss some
	)
	axes := make([]int, 0, len(panels)+1)
	for i := range len(panels) + 1 {
		axes = append(axes, i)
		x := opts.XAxis{Type: "value", GridIndex: i, Show: opts.Bool(true), AxisLabel: &opts.AxisLabel{Show: opts.Bool(i == len(panels)), HideOverlap: opts.Bool(true)}}
		y := opts.YAxis{Type: "value", GridIndex: i, Show: opts.Bool(false), Min: 0, Max: 1, AxisLabel: &opts.AxisLabel{}}
		if i == 0 {
			chart.XAxisList, chart.YAxisList = []opts.XAxis{x}, []opts.YAxis{y}
		} else {
			chart.ExtendXAxis(x)
			chart.ExtendYAxis(y)
		}
		chart.GridList = append(chart.GridList, opts.Grid{Left: "80px", Right: "36px"})
		name := "lanes"
		if i > 0 {
			name = panels[i-1]
		}
		chart.AddSeries(name, []opts.CustomData{{Name: name, Value: []int{0, 0}}},
			charts.WithCustomChartOpts(opts.CustomChart{XAxisIndex: i, YAxisIndex: i}))
	}
	chart.SetGlobalOptions(charts.WithDataZoomOpts(
		opts.DataZoom{Type: "slider", XAxisIndex: axes, Orient: "horizontal"},
		opts.DataZoom{Type: "slider", YAxisIndex: []int{0}, Orient: "vertical"},
	))
	return chart.JSON()
}
