// Package flags holds what the flags of the three programs share beside their definitions: list flags
// that take several words, and single-valued flags that may not be given twice with different values.
package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// Normalize rewrites a command line (without the program's name) for the flag parser: a list flag
// followed by several words becomes one flag a word, as in `--server-metrics URL URL`. It refuses a
// single-valued flag that is given twice with different values, where the parser would silently take
// the last. Words that belong to no flag, and everything after `--`, are left as they are.
func Normalize(definitions []cli.Flag, arguments []string) ([]string, error) {
	kinds := kindsByName(definitions)
	normal := make([]string, 0, len(arguments))
	given := map[string]string{}
	for i := 0; i < len(arguments); i++ {
		argument := arguments[i]
		if argument == "--" {
			return append(normal, arguments[i:]...), nil
		}
		dashes, name, value, attached := split(argument)
		kind, known := kinds[name]
		if dashes == "" || !known || kind.switched {
			normal = append(normal, argument)
			continue
		}
		if !attached {
			if i+1 == len(arguments) {
				return append(normal, argument), nil // the parser says what is missing
			}
			i++
			value = arguments[i]
		}
		if !kind.list {
			if before, twice := given[kind.name]; twice && before != value {
				return nil, fmt.Errorf("--%s is given twice with different values, %q and %q: give it once", kind.name, before, value)
			}
			given[kind.name] = value
		}
		normal = append(normal, dashes+name+"="+value)
		for kind.list && i+1 < len(arguments) && !strings.HasPrefix(arguments[i+1], "-") {
			i++
			normal = append(normal, dashes+name+"="+arguments[i])
		}
	}
	return normal, nil
}

type flagKind struct {
	name     string // main name
	list     bool
	switched bool // takes no value
}

func kindsByName(definitions []cli.Flag) map[string]flagKind {
	kinds := map[string]flagKind{}
	for _, definition := range definitions {
		names := definition.Names()
		kind := flagKind{name: names[0]}
		switch definition.(type) {
		case *cli.BoolFlag:
			kind.switched = true
		case *cli.StringSliceFlag, *cli.FloatSliceFlag, *cli.IntSliceFlag:
			kind.list = true
		}
		for _, name := range names {
			kinds[name] = kind
		}
	}
	return kinds
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
