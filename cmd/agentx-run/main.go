// Command agentx-run replays a bundle against an LLM inference server and records everything that
// happens in an event log.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"agentx/internal/exit"
	"agentx/internal/heap"
	"agentx/internal/run"
)

func main() {
	arguments := make([]string, len(os.Args)) // a copy: hide overwrites the words themselves
	for i, word := range os.Args {
		arguments[i] = strings.Clone(word)
	}
	// What is in use is the texts of the bundle, which stay; what a request leaves behind is little.
	heap.Room{Percent: 50, Bytes: 96 << 20}.Set()
	os.Exit(execute(arguments, os.Environ()))
}

// execute is the whole program; it returns the exit code.
func execute(arguments, environment []string) int {
	i := &invocation{environment: environment}
	if isRun(arguments[1:]) {
		signals, release := run.Catch()
		defer release()
		i.signals = signals
	}
	return i.execute(arguments)
}

// isRun tells the line of a run from that of a command.
func isRun(arguments []string) bool {
	return len(arguments) == 0 || strings.HasPrefix(arguments[0], "-") || arguments[0] == "profile"
}

func (i *invocation) execute(arguments []string) int {
	program := command(i)
	full, err := i.read(program, arguments[1:])
	if err == nil {
		err = program.Run(context.Background(), append(arguments[:1:1], full...))
	} else {
		err = exit.With(exit.Usage, err)
	}
	if err == nil {
		return exit.Done
	}
	if !errors.Is(err, errReported) {
		text := err.Error()
		if i.asTyped != nil {
			text = i.asTyped(text)
		}
		fmt.Fprintf(os.Stderr, "agentx-run: %s\n", text)
	}
	return exit.Code(err)
}
