// Package pretoken cuts text into pre-tokens: the pieces inside which byte-pair merging works and
// across which it never does.
//
// The split patterns of published tokenizers are a handful of fixed regular expressions. Each of
// these has a hand-written scanner here, ten times faster than a regular-expression engine and equal
// to it (tests compare the two); any other pattern runs on regexp2, which has the look-ahead that
// Go's own engine lacks. Character classes are those of Go's unicode tables.
package pretoken

// Stage cuts s and appends the end offset of every piece to dst, in ascending order; the last one
// is len(s). An empty s has no pieces. Stages hold no state and may be used by several goroutines.
type Stage func(dst []int, s string) []int

// whole turns a scanner of one pre-token into a Stage. next returns the length of the pre-token
// that s begins with, at least 1; s is not empty.
func whole(next func(s string) int) Stage {
	return func(dst []int, s string) []int {
		for at := 0; at < len(s); {
			at += next(s[at:])
			dst = append(dst, at)
		}
		return dst
	}
}
