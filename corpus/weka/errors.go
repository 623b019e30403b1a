package weka

import (
	"fmt"
	"strings"
)

// Error says why a trace or a file cannot be used, and where it stands.
type Error struct {
	File    string // path as opened
	Line    int    // from 1, of a file with a trace on each line; 0 when the file is one trace
	Row     int    // from 0, of a Parquet file; -1 when it is none
	Trace   string // id, as far as it could be read
	Field   string // path inside the trace, as requests[3].in
	Problem string
	Hint    string // what to do
}

func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&text, ", line %d", e.Line)
	}
	if e.Row >= 0 {
		fmt.Fprintf(&text, ", row %d", e.Row)
	}
	if e.Trace != "" {
		fmt.Fprintf(&text, ": trace %s", e.Trace)
	}
	if e.Field != "" {
		fmt.Fprintf(&text, ": %s", e.Field)
	}
	fmt.Fprintf(&text, ": %s", e.Problem)
	if e.Hint != "" {
		fmt.Fprintf(&text, " (%s)", e.Hint)
	}
	return text.String()
}
