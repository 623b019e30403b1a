package diffview

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"agentx/internal/compare"
)

// value is a figure: five significant digits, thousands apart, never an exponent.
func value(v float64) string {
	switch {
	case math.IsNaN(v):
		return "n/a"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	decimals := 0
	if size := math.Abs(v); size > 0 {
		decimals = min(max(4-int(math.Floor(math.Log10(size))), 0), 6)
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return grouped(text)
}

// grouped puts a comma at each thousand.
func grouped(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	whole, rest, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		rest = "." + rest
	}
	return sign + whole + rest
}

func signed(v float64) string {
	text := value(v)
	if v > 0 && text != "0" {
		return "+" + text
	}
	return text
}

// percent is a share of change, with a sign.
func percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return "n/a"
	}
	text := fmt.Sprintf("%+.2f %%", 100*share)
	if text == "-0.00 %" || text == "+0.00 %" {
		return "0.00 %"
	}
	return text
}

// change is B against A in percent.
func change(e *compare.Estimate) string {
	ratio := e.Ratio()
	if e.A == 0 && e.B == 0 {
		return "0.00 %"
	}
	if math.IsNaN(ratio) {
		return "n/a"
	}
	return percent(ratio - 1)
}

// interval is the interval of the change; of a difference it has the unit.
func interval(e *compare.Estimate, unit string) string {
	if math.IsNaN(e.Low) || math.IsNaN(e.High) {
		return "–"
	}
	if e.Scale == compare.ScaleDifference {
		return signed(e.Low) + " … " + signed(e.High) + " " + unit
	}
	return percent(e.Low-1) + " … " + percent(e.High-1)
}

// probability is a p value.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < 0.001:
		return "<0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// bare is a ratio.
func bare(ratio float64) string {
	if math.IsNaN(ratio) {
		return "–"
	}
	return strconv.FormatFloat(ratio, 'f', 4, 64)
}
