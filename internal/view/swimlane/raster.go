package swimlane

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"agentx/internal/view/page"
	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// rasterCanvas paints pixels.
type rasterCanvas struct {
	img   *image.RGBA
	fonts *fonts
}

// pngScale is the size of a PNG where none is asked for: sharp on dense screens and in print.
const pngScale = 1.5

// PNG draws a run as one PNG file.
func PNG(w io.Writer, run *Run, layout *Layout, options Options) error {
	if options.Scale == 0 {
		options.Scale = pngScale
	}
	picture, err := newPicture(run, layout, options)
	if err != nil {
		return err
	}
	c := &rasterCanvas{img: image.NewRGBA(image.Rect(0, 0, picture.width, picture.height)), fonts: picture.fonts}
	picture.draw(c)
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return encoder.Encode(w, c.img)
}

func (r *rasterCanvas) fill(x, y, w, h int, c color.NRGBA, _ string) {
	draw.Draw(r.img, image.Rect(x, y, x+w, y+h), image.NewUniform(c), image.Point{}, draw.Over)
}

func (r *rasterCanvas) hatch(x, y, w, h int, c color.NRGBA) {
	area := image.Rect(x, y, x+w, y+h).Intersect(r.img.Bounds())
	for py := area.Min.Y; py < area.Max.Y; py++ {
		for px := area.Min.X; px < area.Max.X; px++ {
			if (px+py)%7 < 3 {
				r.img.Set(px, py, c)
			}
		}
	}
}

func (r *rasterCanvas) frame(x, y, w, h int, c color.NRGBA) {
	r.fill(x, y, w, 1, c, "")
	r.fill(x, y+h-1, w, 1, c, "")
	r.fill(x, y, 1, h, c, "")
	r.fill(x+w-1, y, 1, h, c, "")
}

func (r *rasterCanvas) vline(x, y0, y1, width int, c color.NRGBA, dashed bool) {
	r.dashes(min(y0, y1), max(y0, y1), width, dashed, func(from, length int) { r.fill(x-width/2, from, width, length, c, "") })
}

func (r *rasterCanvas) hline(x0, x1, y, width int, c color.NRGBA, dashed bool) {
	r.dashes(min(x0, x1), max(x0, x1), width, dashed, func(from, length int) { r.fill(from, y-width/2, length, width, c, "") })
}

func (r *rasterCanvas) dashes(from, to, width int, dashed bool, paint func(from, length int)) {
	if !dashed {
		paint(from, to-from)
		return
	}
	dash := 4 * width
	for at := from; at < to; at += 2 * dash {
		paint(at, min(dash, to-at))
	}
}

func (r *rasterCanvas) area(points []point, base int, c color.NRGBA) {
	c.A = 46
	for i := 1; i < len(points); i++ {
		before, p := points[i-1], points[i]
		r.fill(before.x, before.y, p.x-before.x, base-before.y, c, "")
	}
}

func (r *rasterCanvas) steps(points []point, width int, c color.NRGBA) {
	for i := 1; i < len(points); i++ {
		before, p := points[i-1], points[i]
		r.fill(before.x, before.y-width/2, p.x-before.x+width/2, width, c, "")
		r.vline(p.x, before.y, p.y, width, c, false)
	}
}

func (r *rasterCanvas) mark(shape markShape, x, y, size int, c color.NRGBA) {
	half := float64(size) / 2
	for _, stroke := range signStrokes(shape) {
		if stroke.filled {
			r.polygon(stroke.points, x, y, half+1, white())
			r.polygon(stroke.points, x, y, half, c)
			continue
		}
		for i := 1; i < len(stroke.points); i++ {
			r.polygon(thickLine(stroke.points[i-1], stroke.points[i], 0.22), x, y, half, c)
		}
	}
}

// thickLine is the four corners of a line, half wide to each side.
func thickLine(a, b [2]float64, half float64) [][2]float64 {
	dx, dy := b[0]-a[0], b[1]-a[1]
	length := math.Hypot(dx, dy)
	nx, ny := float64(-dy*half)/length, float64(dx*half)/length
	return [][2]float64{{a[0] + nx, a[1] + ny}, {b[0] + nx, b[1] + ny}, {b[0] - nx, b[1] - ny}, {a[0] - nx, a[1] - ny}}
}

// polygon fills points, given in units of scale around (x, y).
func (r *rasterCanvas) polygon(points [][2]float64, x, y int, scale float64, c color.NRGBA) {
	margin := int(scale) + 2
	side := 2 * margin
	rasterizer := vector.NewRasterizer(side, side)
	for i, p := range points {
		px, py := float32(float64(p[0]*scale)+float64(margin)), float32(float64(p[1]*scale)+float64(margin))
		if i == 0 {
			rasterizer.MoveTo(px, py)
		} else {
			rasterizer.LineTo(px, py)
		}
	}
	rasterizer.ClosePath()
	corner := image.Pt(x-margin, y-margin)
	target := image.Rectangle{Min: corner, Max: corner.Add(image.Pt(side, side))}
	if !target.In(r.img.Bounds()) {
		return // a sign at the very edge would need clipping; its bar still stands
	}
	rasterizer.Draw(r.img, target, image.NewUniform(c), image.Point{})
}

func (r *rasterCanvas) text(x, y int, size float64, c color.NRGBA, a anchor, bold bool, line string) {
	line = page.Visible(line)
	if a != atStart {
		width := r.fonts.width(size, bold, line)
		x -= width / (3 - int(a)) // middle: half of it, end: all of it
	}
	drawer := font.Drawer{Dst: r.img, Src: image.NewUniform(c), Face: r.fonts.face(size, bold), Dot: fixed.P(x, y)}
	drawer.DrawString(line)
}
