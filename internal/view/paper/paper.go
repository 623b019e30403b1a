// Package paper holds documents of headings, sentences, tables and figures, and writes them as text for
// a terminal, as Markdown and as a self-contained page. It promises that the three say the same (text and
// Markdown without figures), that text of any kind stays text in all of them (control characters are
// written out, markup is escaped), and that a page needs no network and runs no script.
package paper

// Document is what is written.
type Document struct {
	Title  string
	Blocks []Block
}

// Add appends blocks.
func (d *Document) Add(blocks ...Block) { d.Blocks = append(d.Blocks, blocks...) }

// Block is a Heading, a Paragraph, a Table or a Figure.
type Block interface{ block() }

// Heading opens a section.
type Heading struct{ Text string }

// Paragraph is one or more sentences.
type Paragraph struct {
	Text string
	Tone Tone
}

// Table is a table. Texts stand to the left, numbers to the right.
type Table struct {
	Header []string
	Texts  int  // leading columns that are texts; at least one
	Last   bool // the last column is a text too
	Rows   [][]Cell
	Fold   int // on a page, rows beyond so many are folded away; 0: none
}

// Figure is a drawing of package figure; only pages show it.
type Figure struct {
	SVG     string
	Caption string
}

func (Heading) block()   {}
func (Paragraph) block() {}
func (*Table) block()    {}
func (Figure) block()    {}

// Cell is one field of a table.
type Cell struct {
	Text string
	Tone Tone
}

// Tone is how a text is set off on a page; it never carries a meaning that the words do not.
type Tone string

// The tones.
const (
	Plain Tone = ""
	Good  Tone = "good"
	Bad   Tone = "bad"
	Warn  Tone = "warn"
	Dim   Tone = "dim"
)

// Row appends a row of plain cells.
func (t *Table) Row(cells ...string) {
	row := make([]Cell, len(cells))
	for i, text := range cells {
		row[i] = Cell{Text: text}
	}
	t.Rows = append(t.Rows, row)
}

// Mark gives the last row's cell a tone.
func (t *Table) Mark(column int, tone Tone) { t.Rows[len(t.Rows)-1][column].Tone = tone }

func (t *Table) isText(column int) bool {
	return column < max(t.Texts, 1) || t.Last && column == len(t.Header)-1
}
