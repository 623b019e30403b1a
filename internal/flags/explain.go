package flags

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/urfave/cli/v3"
)

// Explain says a parser's error in our words: a flag that does not exist, with the name that was meant; a value
// that is not of the flag's kind, with the kind.
func Explain(definitions []cli.Flag, err error) error {
	if name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); unknown {
		name = strings.TrimLeft(name, "-")
		return noFlag(definitions, name)
	}
	if name, bare := strings.CutPrefix(err.Error(), "flag needs an argument: -"); bare {
		return fmt.Errorf("%s needs a value", dashed(strings.TrimLeft(name, "-")))
	}
	// The parser has no error types for this: a test holds its words.
	parts := regexp.MustCompile(`^invalid value ("(?:[^"\\]|\\.)*") for flag -+([^ :]+): `).FindStringSubmatch(err.Error())
	if parts == nil {
		return err
	}
	known, ok := kindsByName(definitions)[parts[2]]
	if !ok || known.kind == text || known.kind == list {
		return err
	}
	return fmt.Errorf("%s is %s: expected %s", dashed(parts[2]), parts[1], known.kind)
}

// didYouMean names the flag that is spelled most like name, if one is near enough to have been meant; else the
// shortest one that has name in it.
func didYouMean(definitions []cli.Flag, name string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, definition := range definitions {
		for _, candidate := range definition.Names() {
			if distance := edits(name, candidate); len(candidate) > 1 && distance < least {
				best, least = candidate, distance
			}
		}
	}
	for _, definition := range definitions {
		for _, candidate := range definition.Names() {
			if least > max(2, len(name)/3) && len(name) > 3 && strings.Contains(candidate, name) && (best == "" || len(candidate) < len(best)) {
				best = candidate
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// edits is how many letters have to be put in, left out or replaced to make b of a (Levenshtein's distance).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
