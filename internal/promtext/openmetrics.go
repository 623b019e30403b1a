package promtext

import (
	"bytes"
	"fmt"
	"slices"
)

// plainLines turns a block of OpenMetrics text into Prometheus' text form, which the library reads:
// counters are declared without the _total of their samples, types have other names, and samples may
// carry an exemplar.
func plainLines(lines [][]byte) {
	counter := ""
	for i, line := range lines {
		words := bytes.Fields(line)
		switch {
		case !isComment(line):
			if at := bytes.LastIndex(line, []byte(" # {")); at >= 0 {
				lines[i] = append(slices.Clone(line[:at]), '\n')
			}
		case len(words) == 4 && string(words[1]) == "TYPE":
			name, kind := string(words[2]), string(words[3])
			switch kind {
			case typeCounter:
				if !bytes.HasSuffix(words[2], []byte("_total")) {
					counter = name
					name += "_total"
				}
			case "gauge", typeHistogram, typeSummary:
			default: // unknown, info, stateset, gaugehistogram
				kind = typeUntyped
			}
			lines[i] = fmt.Appendf(nil, "# TYPE %s %s\n", name, kind)
		}
	}
	if counter == "" {
		return
	}
	for i, line := range lines {
		if help, found := bytes.CutPrefix(line, []byte("# HELP "+counter+" ")); found {
			lines[i] = append([]byte("# HELP "+counter+"_total "), help...)
		}
	}
}
