package run

import "testing"

func TestALineThatWouldWrapIsCut(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{
		{"Phase warmup", 80, "Phase warmup"},
		{"Phase warmup", 0, "Phase warmup"},
		{"Phase warmup", 8, "Phase …"},
	} {
		if got := fit(c.line, c.width); got != c.want {
			t.Errorf("%q on %d columns is %q, want %q", c.line, c.width, got, c.want)
		}
	}
}
