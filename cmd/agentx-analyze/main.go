// Command agentx-analyze derives everything from a run's event log: tables, exports, pages, checks.
package main

import (
	"context"
	"fmt"
	"os"

	"agentx/internal/exit"
)

func main() { os.Exit(execute(os.Args)) }

// execute is the whole program; it returns the exit code.
func execute(arguments []string) int {
	err := command().Run(context.Background(), arguments)
	if err != nil {
		fmt.Fprintf(os.Stderr, "agentx-analyze: %v\n", err)
	}
	return exit.Code(err)
}
