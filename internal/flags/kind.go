package flags

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"
)

// kind says what values a flag takes.
type kind uint8

const (
	text kind = iota
	toggle
	whole
	number
	list
)

func (k kind) String() string {
	return [...]string{"a text", "true or false", "a whole number", "a number", "a list"}[k]
}

type flagKind struct {
	name string // main name
	kind kind
}

func kindOf(definition cli.Flag) flagKind {
	known := flagKind{name: definition.Names()[0]}
	switch definition.(type) {
	case *cli.BoolFlag:
		known.kind = toggle
	case *cli.IntFlag, *cli.Int64Flag, *cli.UintFlag, *cli.Uint64Flag:
		known.kind = whole
	case *cli.FloatFlag:
		known.kind = number
	case *cli.StringSliceFlag, *cli.FloatSliceFlag, *cli.IntSliceFlag:
		known.kind = list
	}
	return known
}

func kindsByName(definitions []cli.Flag) map[string]flagKind {
	kinds := map[string]flagKind{}
	for _, definition := range definitions {
		for _, name := range definition.Names() {
			kinds[name] = kindOf(definition)
		}
	}
	return kinds
}

// canonical checks a value that does not come from the command line and gives it as the parser reads it.
func (k kind) canonical(value string) (string, error) {
	var err error
	switch k {
	case toggle:
		value, err = toggled(value)
	case whole:
		_, err = strconv.ParseInt(value, 0, 64)
	case number:
		_, err = strconv.ParseFloat(value, 64)
	}
	if err != nil {
		return "", fmt.Errorf("%q: expected %s", value, k)
	}
	return value, nil
}

// toggled reads the words for yes and no that the peer's variables take.
func toggled(value string) (string, error) {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "1", "true", "yes", "on", "t":
		return "true", nil
	case "0", "false", "no", "off", "f":
		return "false", nil
	}
	return value, fmt.Errorf("neither yes nor no")
}
