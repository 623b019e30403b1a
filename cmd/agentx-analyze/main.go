// Command agentx-analyze derives everything from a run's event log: tables, exports, pages, checks.
package main

import (
	"context"
	"fmt"
	"os"

	"agentx/internal/exit"
	"agentx/internal/heap"
)

func main() {
	// Most of what is in use is the records and chunks of the whole run, so Go's 100 percent would double them:
	// a run of 20 million chunks then takes 650 MB where 45 keeps it below 500.
	heap.Room{Percent: 45, Bytes: 128 << 20}.Set()
	os.Exit(execute(os.Args))
}

// execute is the whole program; it returns the exit code.
func execute(arguments []string) int {
	program := command()
	err := checkLine(program, arguments[1:])
	if err == nil {
		err = program.Run(context.Background(), arguments)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "agentx-analyze: %v\n", err)
	}
	return exit.Code(err)
}
