package flags

import (
	"errors"
	"regexp"
	"strings"

	"github.com/urfave/cli/v3"
)

// TakeUnknown takes the flags that do not exist, with the words after them, out of a normalized command line, and
// gives an error for each, a Misspelt where the name is near to another, so that whoever has several hears of all of them, and of whatever else is wrong, at once.
func TakeUnknown(definitions []cli.Flag, normal []string) (rest []string, unknown []error) {
	kinds := kindsByName(definitions)
	skipping := false
	for i, word := range normal {
		if word == "--" {
			return append(rest, normal[i:]...), unknown
		}
		dashes, name, _, attached := split(word)
		_, known := kinds[name]
		switch {
		case dashes != "" && !known:
			unknown = append(unknown, noFlag(definitions, name))
			skipping = !attached
		case dashes == "" && skipping:
		default:
			rest, skipping = append(rest, word), false
		}
	}
	return rest, unknown
}

// Misspelt is the error for a flag that does not exist while one of nearly its name does: what it was to set is
// missing from the rest of its line.
type Misspelt struct{ text string }

func (m *Misspelt) Error() string { return m.text }

func noFlag(definitions []cli.Flag, name string) error {
	text := "there is no flag " + dashed(name)
	if meant := didYouMean(definitions, name); meant != "" {
		return &Misspelt{text + meant}
	}
	return errors.New(text)
}

// AsTyped gives what rewrites a message about a command line: a flag that its user typed by another of its names is
// named so, not by its main name. Commands that a message prints stay as they are.
func AsTyped(definitions []cli.Flag, line []string) func(string) string {
	kinds, typed := kindsByName(definitions), map[string]string{}
	for _, word := range line {
		dashes, name, _, _ := split(word)
		if known, isFlag := kinds[name]; dashes != "" && isFlag {
			if before, twice := typed[known.name]; !twice || before != known.name {
				typed[known.name] = name
			}
		}
	}
	flag := regexp.MustCompile(`(^|[^-a-z0-9])--([a-z0-9][-a-z0-9]*)`)
	command := regexp.MustCompile(`agentx-(prep|run|analyze)( [a-z-]+)? --`)
	return func(message string) string {
		lines := strings.SplitAfter(message, "\n")
		for i, line := range lines {
			words, printed := line, ""
			if at := command.FindStringIndex(line); at != nil {
				words, printed = line[:at[0]], line[at[0]:]
			}
			lines[i] = flag.ReplaceAllStringFunc(words, func(found string) string {
				before, main, _ := strings.Cut(found, "--")
				if name, ok := typed[main]; ok {
					return before + dashed(name)
				}
				return found
			}) + printed
		}
		return strings.Join(lines, "")
	}
}

// Without is a normalized command line without some flags, by their main names.
func Without(definitions []cli.Flag, normal, names []string) []string {
	kinds, left := kindsByName(definitions), map[string]bool{}
	for _, name := range names {
		left[name] = true
	}
	var rest []string
	for i, word := range normal {
		if word == "--" {
			return append(rest, normal[i:]...)
		}
		if dashes, name, _, _ := split(word); dashes == "" || !left[kinds[name].name] {
			rest = append(rest, word)
		}
	}
	return rest
}

// dashed is a flag's name as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
