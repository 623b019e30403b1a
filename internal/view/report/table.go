package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table is a table with a title. Texts stand to the left, numbers to the right.
type table struct {
	title  string
	header []string
	rows   [][]string
	texts  int  // leading columns that are texts; at least one
	last   bool // the last column is a text too
}

func (t *table) isText(column int) bool {
	return column < max(t.texts, 1) || t.last && column == len(t.header)-1
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write prints the table; a cell may have several lines.
func (t *table) write(w io.Writer) error {
	if len(t.rows) == 0 {
		return nil
	}
	widths := t.widths()
	var out strings.Builder
	if t.title != "" {
		fmt.Fprintf(&out, "%s\n", t.title)
	}
	t.row(&out, t.header, widths)
	total := 0
	for _, w := range widths {
		total += w + 2
	}
	out.WriteString(strings.Repeat("-", total-2) + "\n")
	for _, cells := range t.rows {
		t.row(&out, cells, widths)
	}
	out.WriteByte('\n')
	_, err := io.WriteString(w, out.String())
	return err
}

func (t *table) widths() []int {
	widths := make([]int, len(t.header))
	for _, cells := range append([][]string{t.header}, t.rows...) {
		for i, cell := range cells {
			for _, text := range strings.Split(cell, "\n") {
				widths[i] = max(widths[i], utf8.RuneCountInString(text))
			}
		}
	}
	return widths
}

func (t *table) row(out *strings.Builder, cells []string, widths []int) {
	lines := 1
	split := make([][]string, len(cells))
	for i, cell := range cells {
		split[i] = strings.Split(cell, "\n")
		lines = max(lines, len(split[i]))
	}
	for n := range lines {
		var text strings.Builder
		for i := range cells {
			part := ""
			if n < len(split[i]) {
				part = split[i][n]
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(part))
			if i > 0 {
				text.WriteString("  ")
			}
			if t.isText(i) {
				text.WriteString(part + pad)
			} else {
				text.WriteString(pad + part)
			}
		}
		out.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
}
