package swimlane

import (
	"fmt"
	"image/color"
)

// traceColours are Paul Tol's "muted" scheme, which stays apart for the common kinds of colour
// blindness, in an order that keeps neighbours unlike. Further traces take the same hues lighter and
// then darker; the label on every play says which trace it is.
func traceColours() [9]color.NRGBA {
	return [9]color.NRGBA{
		rgb(0x44AA99), rgb(0xCC6677), rgb(0x5B4FB3), rgb(0xDDCC77), rgb(0x117733),
		rgb(0x88CCEE), rgb(0x882255), rgb(0x999933), rgb(0xAA4499),
	}
}

// traceColour is the colour of the i-th trace of a layout.
func traceColour(i int) color.NRGBA {
	colours := traceColours()
	base := colours[i%len(colours)]
	switch i / len(colours) % 3 {
	case 1:
		return mix(base, white(), 0.4)
	case 2:
		return mix(base, black(), 0.35)
	default:
		return base
	}
}

// prefillColour is the shade of the part of a request before its first token.
func prefillColour(base color.NRGBA) color.NRGBA { return mix(base, black(), 0.45) }

// statusColour is the fill of a request that must stand out; ok ones take their trace's colour.
func statusColour(status Status, base color.NRGBA) color.NRGBA {
	switch status {
	case Failed:
		return rgb(0xD7191C)
	case Overflow:
		return rgb(0xF18F01)
	case NeverSent:
		return rgb(0x6B7280)
	default:
		return base
	}
}

func waitColour(kind WaitKind, base color.NRGBA) color.NRGBA {
	return [waitCount]color.NRGBA{
		mix(base, white(), 0.6), rgb(0x9AA3AF), rgb(0x8073AC), rgb(0xFDB863), rgb(0x7F3B08), rgb(0xD01C8B),
	}[kind]
}

// curveColours are Okabe and Ito's, for the curves of one panel.
func curveColour(i int) color.NRGBA {
	colours := [...]color.NRGBA{rgb(0x0072B2), rgb(0xD55E00), rgb(0x009E73), rgb(0xCC79A7), rgb(0x56B4E9)}
	return colours[i%len(colours)]
}

func markColour(name string) color.NRGBA {
	switch name {
	case "profiling start":
		return rgb(0x00703C)
	case "duration end":
		return rgb(0xB00020)
	case "ramp done":
		return rgb(0xB36B00)
	default:
		return rgb(0x4B5563)
	}
}

// shadeColour is the ground of a stretch of the run that is not the measured one.
func shadeColour(name string) color.NRGBA {
	if name == "grace" {
		return rgb(0xE8EAED)
	}
	return rgb(0xFFEFC7) // warmup
}

func white() color.NRGBA { return rgb(0xFFFFFF) }
func black() color.NRGBA { return rgb(0) }
func ink() color.NRGBA   { return rgb(0x1F2937) }
func faint() color.NRGBA { return rgb(0x6B7280) }
func rule() color.NRGBA  { return rgb(0xE5E7EB) }

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// mix is a share of other mixed into base.
func mix(base, other color.NRGBA, share float64) color.NRGBA {
	part := func(a, b uint8) uint8 { return uint8(float64(float64(a)*(1-share)) + float64(float64(b)*share) + 0.5) }
	return color.NRGBA{part(base.R, other.R), part(base.G, other.G), part(base.B, other.B), 255}
}

// readableOn is black or white, whichever reads better on the colour.
func readableOn(c color.NRGBA) color.NRGBA {
	if 299*int(c.R)+587*int(c.G)+114*int(c.B) > 145000 {
		return ink()
	}
	return white()
}

func hexOf(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
