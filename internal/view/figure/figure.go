// Package figure draws still pictures as SVG to stand inside a page: curves over time, distributions,
// intervals, boxes, points. It promises markup without scripts, styles or links, in which every text is
// escaped; colours that colour-blind people tell apart, and a second sign (dashes, shapes) for those who
// see none; and the same bytes for the same numbers.
package figure

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"agentx/internal/view/page"
)

// Series is one curve or set of values.
type Series struct {
	Name   string
	Points []Point // of curves
	Values []float64
}

// Point is a place on a picture, in the units of its axes.
type Point struct{ X, Y float64 }

const (
	width      = 760
	leftEdge   = 74
	rightEdge  = 18
	topEdge    = 26
	bottomEdge = 44
	ink        = "#1c2330"
	faint      = "#dfe3ea"
	quiet      = "#566072"
)

// colour is that of the i-th series (Okabe and Ito's palette, without its lightest).
func colour(i int) string {
	list := []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#5b4b9a", "#8a6d00", "#56B4E9", "#444444"}
	return list[i%len(list)]
}

// dashes tell series apart without colour.
func dashes(i int) string {
	list := []string{"", "7 4", "2 3", "9 3 2 3"}
	return list[i%len(list)]
}

// canvas gathers markup.
type canvas struct {
	strings.Builder
	height float64
}

func newCanvas(height float64, description string) *canvas {
	c := &canvas{height: height}
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %s" width="%d" height="%s" role="img" aria-label="%s" font-family="system-ui, Segoe UI, Helvetica, Arial, sans-serif">`,
		width, number(height), width, number(height), safe(description))
	return c
}

func (c *canvas) done() string {
	c.WriteString("</svg>")
	return c.String()
}

// safe is text as a picture shows it letter by letter.
func safe(text string) string { return html.EscapeString(page.Visible(text)) }

// number is a coordinate: two decimals, so that pictures do not differ by rounding.
func number(value float64) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return "0"
	}
	return strconv.FormatFloat(math.Round(100*value)/100, 'f', -1, 64)
}

func (c *canvas) line(x1, y1, x2, y2 float64, stroke string, thick float64, dash string) {
	fmt.Fprintf(c, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="%s"`, number(x1), number(y1), number(x2), number(y2), stroke, number(thick))
	if dash != "" {
		fmt.Fprintf(c, ` stroke-dasharray="%s"`, dash)
	}
	c.WriteString("/>")
}

func (c *canvas) rect(x, y, w, h float64, fill string) {
	fmt.Fprintf(c, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`, number(x), number(y), number(max(w, 0)), number(max(h, 0)), fill)
}

// text anchors are start, middle and end.
func (c *canvas) text(x, y float64, text, anchor, fill string, size float64) {
	fmt.Fprintf(c, `<text x="%s" y="%s" text-anchor="%s" fill="%s" font-size="%s">%s</text>`, number(x), number(y), anchor, fill, number(size), safe(text))
}

func (c *canvas) path(points []Point, stroke, dash string) {
	if len(points) == 0 {
		return
	}
	c.WriteString(`<path fill="none" stroke-width="1.8" stroke-linejoin="round" stroke="` + stroke + `"`)
	if dash != "" {
		c.WriteString(` stroke-dasharray="` + dash + `"`)
	}
	c.WriteString(` d="`)
	letter := "M"
	for _, p := range points {
		if math.IsNaN(p.X) || math.IsNaN(p.Y) {
			letter = "M" // a hole
			continue
		}
		c.WriteString(letter + number(p.X) + " " + number(p.Y))
		letter = "L"
	}
	c.WriteString(`"/>`)
}

// mark draws the i-th series' shape, with a tooltip.
func (c *canvas) mark(i int, x, y float64, tooltip string) {
	const r = 5
	fill := colour(i)
	c.WriteString("<g>")
	switch i % 3 {
	case 0:
		fmt.Fprintf(c, `<circle cx="%s" cy="%s" r="%d" fill="%s"/>`, number(x), number(y), r, fill)
	case 1:
		c.rect(x-r, y-r, 2*r, 2*r, fill)
	default:
		fmt.Fprintf(c, `<path fill="%s" d="M%s %sL%s %sL%s %sZ"/>`, fill, number(x), number(y-r-1), number(x+r+1), number(y+r), number(x-r-1), number(y+r))
	}
	fmt.Fprintf(c, "<title>%s</title></g>", safe(tooltip))
}

// mostNamed is the number of series that a legend names.
const mostNamed = 8

// legend names the series at the top right, the more of them the shorter.
func (c *canvas) legend(names []string) {
	x := float64(width - rightEdge)
	if more := len(names) - mostNamed; more > 0 {
		text := fmt.Sprintf("and %d more", more)
		x -= 6.6 * float64(len(text))
		c.text(x, 15, text, "start", quiet, 12)
		x -= 12
		names = names[:mostNamed]
	}
	limit := min(34, max(5, 72/max(len(names), 1)))
	for i := len(names) - 1; i >= 0; i-- {
		name := clipped(names[i], limit)
		x -= 6.6 * float64(len([]rune(name)))
		c.text(x, 15, name, "start", ink, 12)
		c.line(x-26, 11, x-6, 11, colour(i), 3, dashes(i))
		x -= 40
	}
}

func clipped(text string, limit int) string {
	runes := []rune(page.Visible(text))
	if len(runes) <= limit {
		return string(runes)
	}
	return "…" + string(runes[len(runes)-limit+1:])
}
