package filler

import (
	"context"
	"errors"
	"testing"

	"agentx/internal/synth/o200k"
)

// askedContext ends when it has been asked so many times.
type askedContext struct {
	context.Context
	asked, ends int
}

func (c *askedContext) Err() error {
	if c.asked++; c.asked > c.ends {
		return context.Canceled
	}
	return nil
}

// Making filler takes seconds: wherever its context ends, the making ends soon after, and says why.
func TestFitEndsWithItsContext(t *testing.T) {
	tokenizer := tokenizers(t)[o200k.Name]
	tooMany := len(find(t, Coding, tokenizer, 1<<14, 64).Starts(64))*4/5 + 1
	request := Request{Style: Coding, Tokenizer: tokenizer, Lengths: []int{1 << 14, 1 << 15},
		Needs: []Need{{Trace: "a", BlockSize: 64, IDs: tooMany}, {Trace: "b", BlockSize: 64, IDs: 1200}}}
	whole := &askedContext{Context: t.Context(), ends: 1 << 30}
	result, err := Fit(whole, request)
	if err != nil || result.Tokens != 1<<15 {
		t.Fatalf("%d tokens, %v; the first length must not suffice, so that all stages run", result.Tokens, err)
	}
	// The stages: fragments, encoding, starts, sums, dealing. Each asks at least once for each length.
	if whole.asked < 100 {
		t.Fatalf("the context was asked %d times", whole.asked)
	}
	for ends := 0; ends < whole.asked; ends += 1 + whole.asked/60 {
		ctx := &askedContext{Context: t.Context(), ends: ends}
		if _, err := Fit(ctx, request); !errors.Is(err, context.Canceled) {
			t.Fatalf("ended after %d of %d askings: error %v", ends, whole.asked, err)
		}
		if more := ctx.asked - ends; more > 20 {
			t.Fatalf("ended after %d askings, and asked %d times more", ends, more)
		}
	}
}
