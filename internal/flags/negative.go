package flags

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v3"
)

// RefuseNegative refuses negative numbers, and what is no number, of flags that were given: flags are
// sizes, times and counts, and a negative value often stands for one that is unset. except are the names
// of those that may be negative.
func RefuseNegative(command *cli.Command, except ...string) error {
	var problems []error
	for _, flag := range command.Flags {
		name := flag.Names()[0]
		if !command.IsSet(name) {
			continue
		}
		negative := false
		switch value := command.Value(name).(type) {
		case int:
			negative = value < 0
		case int64:
			negative = value < 0
		case float64:
			if math.IsNaN(value) {
				problems = append(problems, fmt.Errorf("--%s is NaN: expected a number", name))
			}
			negative = value < 0
		}
		if negative && !slices.Contains(except, name) {
			problems = append(problems, fmt.Errorf("--%s is %v: expected 0 or more", name, command.Value(name)))
		}
	}
	return errors.Join(problems...)
}
