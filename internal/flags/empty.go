package flags

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"
)

// RefuseEmpty refuses texts that are given and empty: they are most likely an unset variable of a shell, and
// the default in their place would be a surprise. except are the names of those that may be empty.
func RefuseEmpty(command *cli.Command, except ...string) error {
	var problems []error
	for _, flag := range command.Flags {
		name := flag.Names()[0]
		if !command.IsSet(name) || slices.Contains(except, name) {
			continue
		}
		empty := false
		switch value := command.Value(name).(type) {
		case string:
			empty = value == ""
		case []string:
			empty = slices.Contains(value, "")
		}
		if empty {
			problems = append(problems, fmt.Errorf("--%s is empty: give a value, or leave the flag out", name))
		}
	}
	return errors.Join(problems...)
}
