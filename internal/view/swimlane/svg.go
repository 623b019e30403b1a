package swimlane

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"strconv"
	"strings"

	"agentx/internal/view/page"
)

// svgCanvas writes plain SVG. Rectangles of one colour that follow each other become one path.
type svgCanvas struct {
	out     bytes.Buffer
	batch   strings.Builder
	colour  color.NRGBA
	hatches map[color.NRGBA]string // pattern ids
}

// SVG draws a run as one SVG file.
func SVG(w io.Writer, run *Run, layout *Layout, options Options) error {
	picture, err := newPicture(run, layout, options)
	if err != nil {
		return err
	}
	c := &svgCanvas{hatches: map[color.NRGBA]string{}}
	picture.draw(c)
	c.flush()
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="Go, system-ui, Helvetica, Arial, sans-serif">`,
		picture.width, picture.height, picture.width, picture.height)
	if _, err := fmt.Fprintf(w, "%s\n<title>%s</title>\n", head, xmlText(run.Title)); err != nil {
		return err
	}
	c.out.WriteString("</svg>\n")
	_, err = w.Write(c.out.Bytes())
	return err
}

// xmlText is text made visible and escaped for XML.
func xmlText(text string) string {
	var escaped bytes.Buffer
	if err := xml.EscapeText(&escaped, []byte(page.Visible(text))); err != nil {
		panic("swimlane: a buffer refused a write: " + err.Error())
	}
	return escaped.String()
}

func (s *svgCanvas) flush() {
	if s.batch.Len() > 0 {
		fmt.Fprintf(&s.out, `<path fill="%s" d="%s"/>`+"\n", hexOf(s.colour), s.batch.String())
		s.batch.Reset()
	}
}

func (s *svgCanvas) fill(x, y, w, h int, c color.NRGBA, tip string) {
	if w <= 0 || h <= 0 {
		return
	}
	if tip != "" {
		s.flush()
		fmt.Fprintf(&s.out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"><title>%s</title></rect>`+"\n", x, y, w, h, hexOf(c), xmlText(tip))
		return
	}
	if c != s.colour {
		s.flush()
		s.colour = c
	}
	fmt.Fprintf(&s.batch, "M%d %dh%dv%dh%dz", x, y, w, h, -w)
}

func (s *svgCanvas) hatch(x, y, w, h int, c color.NRGBA) {
	s.flush()
	id, known := s.hatches[c]
	if !known {
		id = "h" + strconv.Itoa(len(s.hatches))
		s.hatches[c] = id
		fmt.Fprintf(&s.out, `<defs><pattern id="%s" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="5" fill="%s"/></pattern></defs>`+"\n", id, hexOf(c))
	}
	fmt.Fprintf(&s.out, `<rect x="%d" y="%d" width="%d" height="%d" fill="url(#%s)"/>`+"\n", x, y, w, h, id)
}

func (s *svgCanvas) frame(x, y, w, h int, c color.NRGBA) {
	s.flush()
	fmt.Fprintf(&s.out, `<rect x="%d.5" y="%d.5" width="%d" height="%d" fill="none" stroke="%s"/>`+"\n", x, y, max(w-1, 0), max(h-1, 0), hexOf(c))
}

func (s *svgCanvas) vline(x, y0, y1, width int, c color.NRGBA, dashed bool) {
	s.line(x, y0, x, y1, width, c, dashed)
}

func (s *svgCanvas) hline(x0, x1, y, width int, c color.NRGBA, dashed bool) {
	s.line(x0, y, x1, y, width, c, dashed)
}

func (s *svgCanvas) line(x0, y0, x1, y1, width int, c color.NRGBA, dashed bool) {
	s.flush()
	dash := ""
	if dashed {
		dash = ` stroke-dasharray="4 4"`
	}
	// half a pixel in, so that a line of odd width covers whole pixels
	fmt.Fprintf(&s.out, `<path fill="none" stroke="%s" stroke-width="%d"%s d="M%d.5 %d.5L%d.5 %d.5"/>`+"\n", hexOf(c), width, dash, x0, y0, x1, y1)
}

func (s *svgCanvas) area(points []point, base int, c color.NRGBA) {
	if len(points) == 0 {
		return
	}
	s.flush()
	fmt.Fprintf(&s.out, `<path fill="%s" fill-opacity="0.18" d="M%d %d%sV%dz"/>`+"\n", hexOf(c), points[0].x, base, stepPath(points), base)
}

func (s *svgCanvas) steps(points []point, width int, c color.NRGBA) {
	if len(points) == 0 {
		return
	}
	s.flush()
	fmt.Fprintf(&s.out, `<path fill="none" stroke="%s" stroke-width="%d" d="M%d %d%s"/>`+"\n", hexOf(c), width, points[0].x, points[0].y, stepPath(points))
}

// stepPath goes along a step curve.
func stepPath(points []point) string {
	var path strings.Builder
	for _, p := range points {
		fmt.Fprintf(&path, "H%dV%d", p.x, p.y)
	}
	return path.String()
}

func (s *svgCanvas) mark(shape markShape, x, y, size int, c color.NRGBA) {
	s.flush()
	half := float64(size) / 2
	var path strings.Builder
	closed := false
	for _, stroke := range signStrokes(shape) {
		closed = stroke.filled
		for i, p := range stroke.points {
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], float64(x)+p[0]*half, float64(y)+p[1]*half)
		}
		if closed {
			path.WriteString("z")
		}
	}
	if closed {
		fmt.Fprintf(&s.out, `<path fill="%s" stroke="#fff" stroke-width="0.8" d="%s"/>`+"\n", hexOf(c), path.String())
		return
	}
	fmt.Fprintf(&s.out, `<path fill="none" stroke="%s" stroke-width="%.1f" d="%s"/>`+"\n", hexOf(c), max(1.5, half/3), path.String())
}

func (s *svgCanvas) text(x, y int, size float64, c color.NRGBA, a anchor, bold bool, line string) {
	if line == "" {
		return
	}
	s.flush()
	weight := ""
	if bold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&s.out, `<text x="%d" y="%d" font-size="%g" fill="%s" text-anchor="%s"%s>%s</text>`+"\n",
		x, y, size, hexOf(c), [3]string{"start", "middle", "end"}[a], weight, xmlText(line))
}

// stroke is one line of a sign, in units of half its size around its centre.
type stroke struct {
	points [][2]float64
	filled bool
}

func signStrokes(shape markShape) []stroke {
	switch shape {
	case downTriangle:
		return []stroke{{[][2]float64{{-1, -1}, {1, -1}, {0, 1}}, true}}
	case diamond:
		return []stroke{{[][2]float64{{0, -1}, {1, 0}, {0, 1}, {-1, 0}}, true}}
	case cross:
		return []stroke{{[][2]float64{{-1, -1}, {1, 1}}, false}, {[][2]float64{{-1, 1}, {1, -1}}, false}}
	case chevron:
		return []stroke{{[][2]float64{{-0.6, -1}, {0.6, 0}, {-0.6, 1}}, false}}
	case fastForward:
		return []stroke{{[][2]float64{{-1, -1}, {0, 0}, {-1, 1}}, true}, {[][2]float64{{0, -1}, {1, 0}, {0, 1}}, true}}
	case dot:
		return []stroke{{[][2]float64{{-0.2, -0.6}, {0.2, -0.6}, {0.6, -0.2}, {0.6, 0.2}, {0.2, 0.6}, {-0.2, 0.6}, {-0.6, 0.2}, {-0.6, -0.2}}, true}}
	case square:
		return []stroke{{[][2]float64{{-0.8, -0.8}, {0.8, -0.8}, {0.8, 0.8}, {-0.8, 0.8}, {-0.8, -0.8}}, false}}
	default: // ring: eight corners look round at these sizes
		return []stroke{{[][2]float64{{-0.4, -1}, {0.4, -1}, {1, -0.4}, {1, 0.4}, {0.4, 1}, {-0.4, 1}, {-1, 0.4}, {-1, -0.4}, {-0.4, -1}}, false}}
	}
}
