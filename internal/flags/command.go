package flags

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"
)

// CheckCommand refuses a word in the place of a command that is none, before the parser looks at flags that the command
// would have; with the name that was meant, if one is near, and those that there are. arguments are without the
// program's name.
func CheckCommand(program *cli.Command, arguments []string) error {
	if len(arguments) > 0 && arguments[len(arguments)-1] == "--generate-shell-completion" { // what a shell asks with half a word
		return nil
	}
	at, path := program, program.Name
	for _, word := range arguments {
		switch {
		case strings.HasPrefix(word, "-") || len(at.Commands) == 0 || word == "completion":
			return nil
		case word == "help" || word == "h": // of what follows
			continue
		}
		var names []string
		var found *cli.Command
		for _, child := range at.Commands {
			if child.HasName(word) {
				found = child
			}
			if !child.Hidden {
				names = append(names, child.Name)
			}
		}
		if found == nil {
			return fmt.Errorf("there is no command %q%s; %s has %s", word, nearest(names, word), path, strings.Join(names, ", "))
		}
		at, path = found, path+" "+found.Name
	}
	return nil
}

// nearest asks for the name that is spelled most like word, if one is near enough to have been meant.
func nearest(names []string, word string) string {
	best, least := "", max(2, len(word)/3)+1
	for _, name := range names {
		if distance := edits(word, name); distance < least {
			best, least = name, distance
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
