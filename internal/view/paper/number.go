package paper

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Number is a figure: five significant digits, thousands apart, never an exponent.
func Number(v float64) string {
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

// Signed is a figure with its sign.
func Signed(v float64) string {
	text := Number(v)
	if v > 0 && text != "0" {
		return "+" + text
	}
	return text
}

// Percent is a share of change, with a sign.
func Percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return "n/a"
	}
	text := fmt.Sprintf("%+.2f %%", 100*share)
	if text == "-0.00 %" || text == "+0.00 %" {
		return "0.00 %"
	}
	return text
}
