package swimlane

import "image/color"

// canvas is what a picture is drawn on. Pixels are whole numbers, so that bars are crisp.
type canvas interface {
	// fill paints a rectangle; tip is a text to show when pointed at, empty for none.
	fill(x, y, w, h int, c color.NRGBA, tip string)
	// hatch paints diagonal lines over a rectangle.
	hatch(x, y, w, h int, c color.NRGBA)
	// frame paints the one-pixel outline of a rectangle, inside it.
	frame(x, y, w, h int, c color.NRGBA)
	// vertical and horizontal lines; dashed ones have dashes of four units.
	vline(x, y0, y1, width int, c color.NRGBA, dashed bool)
	hline(x0, x1, y, width int, c color.NRGBA, dashed bool)
	// area paints the polygon between the steps of a curve and its base line; each point holds until
	// the next one's x.
	area(points []point, base int, c color.NRGBA)
	// steps draws the outline of such a curve.
	steps(points []point, width int, c color.NRGBA)
	// mark draws a small sign centred at (x, y), size pixels wide.
	mark(shape markShape, x, y, size int, c color.NRGBA)
	// text draws one line whose baseline is at y; anchor says which of its points x is.
	text(x, y int, size float64, c color.NRGBA, a anchor, bold bool, line string)
}

type point struct{ x, y int }

type anchor uint8

const (
	atStart anchor = iota
	atMiddle
	atEnd
)

type markShape uint8

const (
	downTriangle markShape = iota // error
	diamond                       // overflow
	cross                         // cancelled, abandoned
	chevron                       // unfinished: goes on to the right
	ring                          // never sent
	dot                           // no visible output
	fastForward                   // idle guard
	square                        // in flight when the duration ended
)
