package prep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"agentx/corpus/bundle"
	"agentx/internal/progress"
)

// CheckOptions say how deep to look.
type CheckOptions struct {
	Retokenize string // "", a number of turns, or "all"
	Template   bool   // render the role sequences with the bundle's chat template
	Workers    int
}

// Check verifies a bundle and prints what it found. A fault is an error of class Damage.
func Check(ctx context.Context, out io.Writer, path string, options CheckOptions, show *progress.Printer) error {
	turns, err := options.turns()
	if err != nil {
		return err
	}
	b, err := bundle.Open(path)
	if err != nil {
		return err
	}
	err = check(ctx, out, b, options, turns, show)
	return errors.Join(err, b.Close())
}

// allTurns means every turn.
const allTurns = -1

// turns is how many turns are to be encoded again.
func (o *CheckOptions) turns() (int, error) {
	switch o.Retokenize {
	case "":
		return 0, nil
	case "all":
		return allTurns, nil
	}
	n, err := strconv.Atoi(o.Retokenize)
	if err != nil || n < 1 {
		return 0, classed(Usage, fmt.Errorf("--retokenize %q: expected a number of turns, or all", o.Retokenize))
	}
	return n, nil
}

func check(ctx context.Context, out io.Writer, b *bundle.Bundle, options CheckOptions, turns int, show *progress.Printer) error {
	p := &printer{out: out}
	work := show.Start("verifying frames", len(b.Manifest().Traces))
	defer work.End()
	err := b.Check(func(int, int) error {
		work.Step()
		return ctx.Err()
	})
	if ctx.Err() != nil {
		return classed(Interrupted, ctx.Err())
	}
	if err != nil {
		return err
	}
	p.row("frames", "all intact: %s, %s, %s", counted(b.Manifest().Totals.Traces, "trace", "traces"), counted(b.Manifest().Totals.Turns, "turn", "turns"), bytesText(b.Size()))
	p.row("key", "%s", b.Manifest().Key)
	p.row("content", "%s", b.ContentDigest())
	if turns != 0 {
		if err := retokenize(ctx, p, b, turns, options.Workers, show); err != nil {
			return err
		}
	}
	if options.Template {
		if err := checkTemplate(ctx, p, b, options.Workers, show); err != nil {
			return err
		}
	}
	return p.err
}
