// Command agentx-analyze derives everything from a run's event log: tables, exports, pages, checks.
package main

import (
	"context"
	"fmt"
	"os"

	"agentx/internal/exit"
)

func main() {
	setCollection()
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
