package paper

import (
	"io"
	"strings"
	"unicode/utf8"

	"agentx/internal/view/page"
)

// Text writes the document for a terminal or a file of lines.
func (d *Document) Text(w io.Writer) error {
	var out strings.Builder
	out.WriteString(page.Visible(d.Title) + "\n")
	for _, block := range d.Blocks {
		switch b := block.(type) {
		case Heading:
			out.WriteString("\n" + page.Visible(b.Text) + "\n" + strings.Repeat("-", utf8.RuneCountInString(page.Visible(b.Text))) + "\n")
		case Paragraph:
			out.WriteString(page.Visible(b.Text) + "\n")
		case *Table:
			b.text(&out)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (t *Table) text(out *strings.Builder) {
	widths := make([]int, len(t.Header))
	lines := [][]string{make([]string, len(t.Header))}
	for column, name := range t.Header {
		lines[0][column] = page.Visible(name)
	}
	for _, row := range t.Rows {
		line := make([]string, len(t.Header))
		for column := range line {
			if column < len(row) {
				line[column] = page.Visible(row[column].Text)
			}
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		for column, text := range line {
			widths[column] = max(widths[column], utf8.RuneCountInString(text))
		}
	}
	for _, line := range lines {
		var row strings.Builder
		for column, text := range line {
			pad := strings.Repeat(" ", widths[column]-utf8.RuneCountInString(text))
			if t.isText(column) {
				row.WriteString(text + pad + "  ")
			} else {
				row.WriteString(pad + text + "  ")
			}
		}
		out.WriteString("  " + strings.TrimRight(row.String(), " ") + "\n")
	}
}
