package main

import (
	"errors"
	"fmt"

	"agentx/internal/view/assets"
)

// charts adds the licence of the chart script that the programs carry. This program embeds the same folder
// as they do, so what it has is what they have.
func (t tree) charts(bare bool) error {
	_, embedded := assets.ECharts()
	if !embedded {
		if bare {
			return nil
		}
		return errors.New("the chart script is not embedded, pages would have no interactive charts: run `make assets` on a machine with npm, or `make assets ECHARTS=FILE`; `make dist WITHOUT_CHARTS=1` goes without")
	}
	name := "licences/" + assets.PackageName + "@" + assets.PackageVersion
	if err := t.add(name+"/LICENSE", "internal/view/assets/"+assets.LicenceName, 0o644); err != nil {
		return fmt.Errorf("the licence of the chart script: %w; delete %s and run `make assets`, or put package/LICENSE of the npm package there", err, assets.ScriptName)
	}
	return nil
}
