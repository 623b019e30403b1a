package watch

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"agentx/internal/view/page"
)

// grouped is a count with a comma at each thousand.
func grouped(count int64) string {
	text := strconv.FormatInt(count, 10)
	from := 0
	if strings.HasPrefix(text, "-") {
		from = 1
	}
	for i := len(text) - 3; i > from; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// counted is a count with its noun.
func counted(count int64, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return grouped(count) + " " + noun + "s"
}

// brief is an amount with about three digits.
func brief(value float64) string {
	switch {
	case value >= 10_000:
		return grouped(int64(value))
	case value >= 100:
		return strconv.FormatFloat(value, 'f', 0, 64)
	case value >= 10:
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	return strconv.FormatFloat(value, 'f', 2, 64)
}

// clock is a span of time as h:mm:ss or m:ss.
func clock(ns int64) string {
	seconds := max(ns, 0) / 1e9
	if seconds >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// span is a span of time in words.
func span(ns int64) string {
	if ns < 10e9 {
		return fmt.Sprintf("%.1f s", float64(ns)/1e9)
	}
	return (time.Duration(ns).Round(time.Second)).String()
}

// share is a part in percent.
func share(part, whole int64) string {
	if whole <= 0 {
		return "n/a"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// cut is text on one line of so many characters, with nothing that acts on a terminal.
func cut(text string, width int) string {
	runes := []rune(page.Visible(strings.Join(strings.Fields(text), " ")))
	if len(runes) <= width {
		return string(runes)
	}
	if width < 1 {
		return ""
	}
	return string(runes[:width-1]) + "…"
}

// bar is a bar of so many characters.
func bar(done float64, width int) string {
	full := int(min(max(done, 0), 1) * float64(width))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// visible is text with nothing that acts on a terminal, blanks kept.
func visible(text string) string { return page.Visible(text) }
