// Package assets holds the files that are embedded into pages: the chart script, where the build
// fetched it, and nothing else. It promises that the program builds and runs without them, and that
// what it hands out is exactly the pinned script, never a damaged or different one.
package assets

import "embed"

// folder embeds README.md and, where `make assets` put it there, echarts.min.js. A pattern that names
// the script itself would not build without it; this one matches whatever of the two exists.
//
//go:embed [Re]*.m*
var folder embed.FS

// ECharts is the chart script, and whether the build embedded it.
func ECharts() (script []byte, embedded bool) {
	script, err := folder.ReadFile(ScriptName)
	if err != nil || Verify(script) != nil {
		return nil, false
	}
	return script, true
}
