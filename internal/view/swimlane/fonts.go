package swimlane

import (
	"fmt"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// fonts measures and renders text with the Go fonts, which are part of the program. Not for use by
// several goroutines.
type fonts struct {
	regular, bold *opentype.Font
	faces         map[faceKey]font.Face
}

type faceKey struct {
	size float64
	bold bool
}

func newFonts() (*fonts, error) {
	regular, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("built-in font: %w", err)
	}
	bold, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return nil, fmt.Errorf("built-in font: %w", err)
	}
	return &fonts{regular: regular, bold: bold, faces: map[faceKey]font.Face{}}, nil
}

// face is the font at a size in pixels.
func (f *fonts) face(size float64, bold bool) font.Face {
	key := faceKey{size, bold}
	if face, made := f.faces[key]; made {
		return face
	}
	source := f.regular
	if bold {
		source = f.bold
	}
	face, err := opentype.NewFace(source, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		panic("swimlane: built-in font at a positive size: " + err.Error()) // NewFace fails for no other reason
	}
	f.faces[key] = face
	return face
}

// width is the width of a line in pixels.
func (f *fonts) width(size float64, bold bool, line string) int {
	return font.MeasureString(f.face(size, bold), line).Ceil()
}

// fit is line cut to the given width in pixels, with an ellipsis where something is missing; empty
// when not even two letters fit.
func (f *fonts) fit(size float64, bold bool, line string, width int) string {
	if f.width(size, bold, line) <= width {
		return line
	}
	face := f.face(size, bold)
	room := fixed.I(width) - font.MeasureString(face, "…")
	var used fixed.Int26_6
	end := 0
	for i, r := range line {
		advance, _ := face.GlyphAdvance(r)
		if used+advance > room {
			break
		}
		used += advance
		end = i + len(string(r))
	}
	if cut := strings.TrimRight(line[:end], " "); len([]rune(cut)) >= 2 {
		return cut + "…"
	}
	return ""
}
