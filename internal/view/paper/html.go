package paper

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"agentx/internal/view/page"
)

// HTML writes the document as a self-contained page without any script.
func (d *Document) HTML(w io.Writer) error {
	var out strings.Builder
	out.WriteString("<main>\n<h1>" + shown(d.Title) + "</h1>\n")
	for _, block := range d.Blocks {
		switch b := block.(type) {
		case Heading:
			out.WriteString("<h2>" + shown(b.Text) + "</h2>\n")
		case Paragraph:
			fmt.Fprintf(&out, "<p%s>%s</p>\n", class(b.Tone), shown(b.Text))
		case *Table:
			b.html(&out)
		case Figure:
			fmt.Fprintf(&out, "<figure>%s<figcaption>%s</figcaption></figure>\n", b.SVG, shown(b.Caption))
		}
	}
	out.WriteString("</main>")
	return page.Page{Title: d.Title, Styles: []string{style}, Body: out.String()}.Write(w)
}

func (t *Table) html(out *strings.Builder) {
	rows, folded := t.Rows, [][]Cell(nil)
	if t.Fold > 0 && len(rows) > t.Fold {
		rows, folded = rows[:t.Fold], rows[t.Fold:]
	}
	t.part(out, rows)
	if len(folded) > 0 {
		fmt.Fprintf(out, "<details><summary>%d more</summary>\n", len(folded))
		t.part(out, folded)
		out.WriteString("</details>\n")
	}
}

func (t *Table) part(out *strings.Builder, rows [][]Cell) {
	out.WriteString("<div class=\"wide\"><table>\n<thead><tr>")
	for column, name := range t.Header {
		fmt.Fprintf(out, "<th scope=\"col\"%s>%s</th>", t.align(column), shown(name))
	}
	out.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range rows {
		out.WriteString("<tr>")
		for column := range t.Header {
			cell := Cell{}
			if column < len(row) {
				cell = row[column]
			}
			classes := strings.TrimSpace(t.side(column) + length(cell.Text) + " " + string(cell.Tone))
			fmt.Fprintf(out, "<td class=\"%s\">%s</td>", classes, shown(cell.Text))
		}
		out.WriteString("</tr>\n")
	}
	out.WriteString("</tbody></table></div>\n")
}

func (t *Table) align(column int) string { return " class=\"" + t.side(column) + "\"" }

func (t *Table) side(column int) string {
	if t.isText(column) {
		return "text"
	}
	return "number"
}

// shortText is the number of characters up to which a text stays on one line.
const shortText = 44

func length(text string) string {
	if utf8.RuneCountInString(text) > shortText {
		return " long"
	}
	return " short"
}

func class(tone Tone) string {
	if tone == Plain {
		return ""
	}
	return " class=\"" + string(tone) + "\""
}

// shown is text as a page shows it letter by letter.
func shown(text string) string { return html.EscapeString(page.Visible(text)) }

const style = `
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #1c2330; font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 86rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; padding-top: .75rem; border-top: 1px solid #d5dae2; }
p { margin: .4rem 0; max-width: 70rem; overflow-wrap: anywhere; }
p.good { border-left: 4px solid #1b7f5c; padding-left: .75rem; }
p.bad { border-left: 4px solid #b3261e; padding-left: .75rem; }
p.warn { border-left: 4px solid #9a6700; padding-left: .75rem; }
p.dim, figcaption { color: #566072; font-size: .9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .5rem; border-bottom: 1px solid #e6e9ef; vertical-align: top; }
th { font-weight: 600; font-size: .8rem; color: #39424f; border-bottom: 2px solid #b9c0cc; }
.text { text-align: left; }
.short { white-space: nowrap; }
.long { min-width: 18rem; overflow-wrap: anywhere; }
.number { text-align: right; white-space: nowrap; }
th.number, th.text { white-space: normal; vertical-align: bottom; }
td.good { color: #14624a; font-weight: 600; }
td.bad { color: #9c1c16; font-weight: 600; }
td.warn { color: #7a5200; font-weight: 600; }
td.dim { color: #6b7585; }
figure { margin: .75rem 0; display: inline-block; vertical-align: top; width: 100%; max-width: 48rem; }
@media (min-width: 1180px) { figure { width: 49.5%; } }
figure svg { max-width: 100%; height: auto; }
summary { cursor: pointer; color: #39424f; }
@media print {
  html { font-size: 9px; }
  figure { width: 49%; }
  main { max-width: none; padding: 0; }
  h2 { break-after: avoid; }
  tr, figure { break-inside: avoid; }
  thead { display: table-header-group; }
  body { font-size: 10px; }
  .wide { overflow: visible; }
  th, td { padding: .1rem .35rem; }
  th { font-size: 9px; }
  .number, .short { white-space: normal; }
}
`
