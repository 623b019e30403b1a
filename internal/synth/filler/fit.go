package filler

import (
	"context"
	"errors"
	"fmt"

	"agentx/internal/synth/token"
)

// Lengths are the lengths of filler text, in tokens, of which the least that suffices is taken.
func Lengths() []int { return []int{1 << 20, 2 << 20, 4 << 20, 8 << 20} }

// Request says what filler is wanted.
type Request struct {
	Style     Style
	Seed      int64
	Tokenizer *token.Tokenizer
	Needs     []Need // of every trace, in corpus order
	Lengths   []int  // to choose from, ascending; Lengths() but in tests
}

// Result is filler text that suffices.
type Result struct {
	Windows *Windows
	Firsts  []uint32 // start of rank 0, by trace
	Tokens  int      // the length that was chosen; the text is a few lines shorter
}

// Fit makes the shortest filler text that has, for every trace, at least 1.25 times as many starts as
// the trace has ids and tails, and can be dealt to all of them. The outcome does not depend on the
// order in which traces are processed later. The end of ctx is an error.
func Fit(ctx context.Context, request Request) (Result, error) {
	var sizes []int
	seen := map[int]bool{}
	for i := range request.Needs {
		if size := request.Needs[i].BlockSize; !seen[size] {
			seen[size] = true
			sizes = append(sizes, size)
		}
	}
	var tooFew *TooFew
	for _, length := range request.Lengths {
		text, marked, err := Generate(ctx, request.Style, request.Seed, request.Tokenizer, length)
		if err != nil {
			return Result{}, err
		}
		windows, err := Find(ctx, text, marked, request.Tokenizer, sizes)
		if err != nil {
			return Result{}, err
		}
		firsts, err := windows.suffice(ctx, request)
		if err == nil {
			return Result{Windows: windows, Firsts: firsts, Tokens: length}, nil
		}
		if !errors.As(err, &tooFew) {
			return Result{}, err
		}
	}
	if tooFew == nil {
		return Result{}, errors.New("no filler length was given")
	}
	return Result{}, fmt.Errorf("%w, even in a text of %d tokens; leave the trace out (--max-context-length, --num-dataset-entries) or use another tokenizer", tooFew, request.Lengths[len(request.Lengths)-1])
}

func (w *Windows) suffice(ctx context.Context, request Request) ([]uint32, error) {
	for i := range request.Needs {
		need := &request.Needs[i]
		if have := len(w.Starts(need.BlockSize)); have*4 < need.Ranks()*5 {
			return nil, &TooFew{Trace: need.Trace, Need: need.Ranks() * 5 / 4, Have: have}
		}
	}
	firsts, err := w.FirstStarts(request.Seed, request.Needs)
	if err != nil {
		return nil, err
	}
	dealer := w.NewDealer(request.Seed)
	var starts []uint32
	for i := range request.Needs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if starts, err = dealer.Deal(starts[:0], &request.Needs[i], firsts[i]); err != nil {
			return nil, err
		}
	}
	return firsts, nil
}
