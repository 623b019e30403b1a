// Package flags holds what the flags of the three programs share beside their definitions: list flags
// that take several words, single-valued flags that may not be given twice with different values, and
// the layers below the command line: environment variables and a configuration file with the same names.
package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// Normalize rewrites a command line (without the program's name) for the flag parser: a list flag
// followed by several words becomes one flag a word, as in `--server-metrics URL URL`; one that is
// followed by another flag gets an empty value. It refuses a single-valued flag that is given twice with
// different values, where the parser would silently take the last. Words that belong to no flag, and
// everything after `--`, are left as they are.
func Normalize(definitions []cli.Flag, arguments []string) ([]string, error) {
	line := normalizer{kinds: kindsByName(definitions), rest: arguments, given: map[string]given{}}
	for len(line.rest) > 0 {
		if line.rest[0] == "--" {
			return append(line.normal, line.rest...), nil
		}
		if err := line.next(); err != nil {
			return nil, err
		}
	}
	return line.normal, nil
}

// CheckOnce refuses a single-valued flag that is given twice with different values. It is for commands
// whose words are arguments, so that no list flag takes several of them.
func CheckOnce(definitions []cli.Flag, arguments []string) error {
	line := normalizer{kinds: kindsByName(definitions), rest: arguments, given: map[string]given{}, oneWord: true}
	for len(line.rest) > 0 && line.rest[0] != "--" {
		if err := line.next(); err != nil {
			return err
		}
	}
	return nil
}

type normalizer struct {
	oneWord bool // a list flag takes one word each time
	kinds   map[string]flagKind
	rest    []string
	normal  []string
	given   map[string]given // by main name, of single-valued flags
}

// given is a value and the name under which it was given.
type given struct{ typed, value string }

// next takes one word, and with a flag its values.
func (l *normalizer) next() error {
	word := l.take()
	dashes, name, value, attached := split(word)
	known, isFlag := l.kinds[name]
	if dashes == "" || !isFlag {
		l.normal = append(l.normal, word)
		return nil
	}
	switch known.kind {
	case toggle:
		l.normal = append(l.normal, word)
		if !attached {
			value = "true"
		}
		return l.once(known.name, name, value)
	case list:
		if !attached && len(l.rest) > 0 && !l.flagAhead() {
			value = l.take()
		}
		l.normal = append(l.normal, dashes+name+"="+value)
		for len(l.rest) > 0 && !l.oneWord && !strings.HasPrefix(l.rest[0], "-") {
			l.normal = append(l.normal, dashes+name+"="+l.take())
		}
		return nil
	}
	if !attached {
		if len(l.rest) == 0 {
			l.normal = append(l.normal, word) // the parser says what is missing
			return nil
		}
		value = l.take()
	}
	l.normal = append(l.normal, dashes+name+"="+value)
	return l.once(known.name, name, value)
}

func (l *normalizer) take() string {
	word := l.rest[0]
	l.rest = l.rest[1:]
	return word
}

// flagAhead reports whether the next word is a flag that is known.
func (l *normalizer) flagAhead() bool {
	dashes, name, _, _ := split(l.rest[0])
	_, known := l.kinds[name]
	return dashes != "" && known
}

func (l *normalizer) once(name, typed, value string) error {
	before, twice := l.given[name]
	switch { // the values may be secrets
	case !twice || before.value == value:
	case before.typed == typed:
		return fmt.Errorf("%s is given twice with different values: give it once", dashed(typed))
	default:
		return fmt.Errorf("%s and %s are one flag, given twice with different values: give it once", dashed(before.typed), dashed(typed))
	}
	l.given[name] = given{typed, value}
	return nil
}

// onLine are the main names of the flags on a normalized command line.
func onLine(kinds map[string]flagKind, normal []string) map[string]bool {
	found := map[string]bool{}
	for _, word := range normal {
		if word == "--" {
			break
		}
		dashes, name, _, _ := split(word)
		if known, isFlag := kinds[name]; dashes != "" && isFlag {
			found[known.name] = true
		}
	}
	return found
}

// split cuts an argument into its dashes, the flag's name, and the value after an equals sign.
func split(argument string) (dashes, name, value string, attached bool) {
	switch {
	case strings.HasPrefix(argument, "--"):
		dashes = "--"
	case strings.HasPrefix(argument, "-") && len(argument) > 1:
		dashes = "-"
	default:
		return "", "", "", false
	}
	name, value, attached = strings.Cut(argument[len(dashes):], "=")
	return dashes, name, value, attached
}

// CommaList splits the values of a list flag at commas and leaves out empty parts.
func CommaList(values []string) []string {
	var parts []string
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, part)
			}
		}
	}
	return slices.Clip(parts)
}
