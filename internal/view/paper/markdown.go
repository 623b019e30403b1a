package paper

import (
	"io"
	"strings"

	"agentx/internal/view/page"
)

// Markdown writes the document in GitHub's dialect.
func (d *Document) Markdown(w io.Writer) error {
	var out strings.Builder
	out.WriteString("# " + marked(d.Title) + "\n")
	for _, block := range d.Blocks {
		switch b := block.(type) {
		case Heading:
			out.WriteString("\n## " + marked(b.Text) + "\n")
		case Paragraph:
			out.WriteString("\n" + marked(b.Text) + "\n")
		case *Table:
			b.markdown(&out)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (t *Table) markdown(out *strings.Builder) {
	out.WriteString("\n|")
	for _, name := range t.Header {
		out.WriteString(" " + marked(name) + " |")
	}
	out.WriteString("\n|")
	for column := range t.Header {
		if t.isText(column) {
			out.WriteString(" :-- |")
		} else {
			out.WriteString(" --: |")
		}
	}
	out.WriteString("\n")
	for _, row := range t.Rows {
		out.WriteString("|")
		for column := range t.Header {
			text := ""
			if column < len(row) {
				text = marked(row[column].Text)
			}
			out.WriteString(" " + text + " |")
		}
		out.WriteString("\n")
	}
}

// marked is text that Markdown shows letter by letter.
func marked(text string) string {
	var out strings.Builder
	for _, r := range page.Visible(text) {
		switch r {
		case '<':
			out.WriteString("&lt;")
		case '>':
			out.WriteString("&gt;")
		case '&':
			out.WriteString("&amp;")
		case '\\', '`', '*', '_', '[', ']', '|', '~', '#', '$':
			out.WriteRune('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
