// Package diffview shows a comparison of runs: as text, Markdown, JSON and a self-contained page. It
// promises to show whether the sides may be compared before it shows any number, and no difference
// without its interval or the reason why there is none.
package diffview

import (
	"io"

	"agentx/internal/compare"
)

// Input is what is shown.
type Input struct {
	*compare.Comparison
	Checks []compare.Check // of --fail-if
	All    bool            // figures without an interval too
}

// Text writes for a terminal.
func Text(w io.Writer, in *Input) error { return document(in, false).Text(w) }

// Markdown writes for a merge request or a wiki.
func Markdown(w io.Writer, in *Input) error { return document(in, false).Markdown(w) }

// HTML writes a page.
func HTML(w io.Writer, in *Input) error { return document(in, true).HTML(w) }
