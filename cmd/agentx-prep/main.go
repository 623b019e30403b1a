// Command agentx-prep turns recorded agent sessions into bundles, and looks into bundles.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"agentx/internal/exit"
	"agentx/internal/prep"
)

func main() { os.Exit(run(os.Args, os.Stdout, os.Stderr)) }

// run is the whole program; it returns the exit code.
func run(arguments []string, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	program := command(out, errs)
	arguments, err := normalize(program, arguments)
	if err == nil {
		err = program.Run(ctx, arguments)
	}
	if err == nil {
		return exit.Done
	}
	if ctx.Err() != nil {
		fmt.Fprintln(errs, "agentx-prep: interrupted; nothing was left half-written")
		return exit.Interrupted
	}
	fmt.Fprintf(errs, "agentx-prep: %v\n", err)
	return codeOf(err)
}

// codeOf is the exit code of an error.
func codeOf(err error) int {
	switch prep.ClassOf(err) {
	case prep.Usage:
		return exit.Usage
	case prep.Input:
		return exit.Input
	case prep.Damage:
		return exit.Damage
	case prep.Interrupted:
		return exit.Interrupted
	case prep.Different:
		return exit.Invalid
	}
	return exit.Code(err)
}
