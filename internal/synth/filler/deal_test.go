package filler

import (
	"errors"
	"slices"
	"testing"

	"agentx/internal/synth/o200k"
)

func needs() []Need {
	return []Need{
		{Trace: "a", BlockSize: 64, IDs: 900, Unique: []uint16{64, 64, 1, 63, 17}},
		{Trace: "b", BlockSize: 64, IDs: 0, Unique: []uint16{5}},
		{Trace: "c", BlockSize: 32, IDs: 40, Unique: []uint16{31}},
		{Trace: "empty", BlockSize: 64},
		{Trace: "d", BlockSize: 64, IDs: 900, Unique: nil},
	}
}

func TestEveryRankHasItsOwnLegalWindow(t *testing.T) {
	w := find(t, Coding, tokenizers(t)[o200k.Name], short, 64, 32)
	needs := needs()
	firsts, err := w.FirstStarts(5, needs)
	if err != nil {
		t.Fatal(err)
	}
	dealer := w.NewDealer(5)
	for i := range needs {
		need := &needs[i]
		starts, err := dealer.Deal(nil, need, firsts[i])
		if err != nil {
			t.Fatal(err)
		}
		if len(starts) != need.Ranks() {
			t.Fatalf("%s: %d starts for %d ranks", need.Trace, len(starts), need.Ranks())
		}
		seen := map[uint32]bool{}
		for rank, start := range starts {
			n := need.BlockSize
			if rank >= need.IDs {
				n = int(need.Unique[rank-need.IDs])
			}
			if !w.Legal(start, n) {
				t.Errorf("%s: rank %d has an illegal window of %d tokens", need.Trace, rank, n)
			}
			if seen[start] {
				t.Errorf("%s: rank %d has the window of another", need.Trace, rank)
			}
			seen[start] = true
		}
	}
}

func TestNoTwoTracesBeginAlike(t *testing.T) {
	w := find(t, Coding, tokenizers(t)[o200k.Name], short, 64)
	many := make([]Need, 2000)
	for i := range many {
		many[i] = Need{Trace: "t", BlockSize: 64, IDs: 1}
	}
	firsts, err := w.FirstStarts(0, many)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(firsts)
	if len(slices.Compact(firsts)) != len(many) {
		t.Error("two traces have the same rank 0")
	}
}

// The dealing of a trace depends on seed and trace, not on what was dealt before.
func TestDealingDoesNotDependOnOrder(t *testing.T) {
	w := find(t, Coding, tokenizers(t)[o200k.Name], short, 64, 32)
	needs := needs()
	firsts, err := w.FirstStarts(5, needs)
	if err != nil {
		t.Fatal(err)
	}
	deal := func(dealer *Dealer, i int) []uint32 {
		starts, err := dealer.Deal(nil, &needs[i], firsts[i])
		if err != nil {
			t.Fatal(err)
		}
		return starts
	}
	one := w.NewDealer(5)
	for _, i := range []int{4, 0, 2, 1, 0} {
		if !slices.Equal(deal(one, i), deal(w.NewDealer(5), i)) {
			t.Errorf("trace %s: other windows after other traces", needs[i].Trace)
		}
	}
	if slices.Equal(deal(one, 0), deal(w.NewDealer(6), 0)) {
		t.Error("another seed gives the same windows")
	}
}

func TestLengthIsTheLeastThatSuffices(t *testing.T) {
	tokenizer := tokenizers(t)[o200k.Name]
	request := Request{Style: Coding, Tokenizer: tokenizer, Lengths: []int{1 << 14, 1 << 15, 1 << 16}}
	small := find(t, Coding, tokenizer, 1<<14, 64)
	have := len(small.Starts(64))
	for _, c := range []struct{ ids, want int }{{have * 4 / 5, 1 << 14}, {have*4/5 + 1, 1 << 15}} {
		request.Needs = []Need{{Trace: "a", BlockSize: 64, IDs: 1}, {Trace: "b", BlockSize: 64, IDs: c.ids}}
		result, err := Fit(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if result.Tokens != c.want {
			t.Errorf("%d ids of %d starts: %d tokens, want %d", c.ids, have, result.Tokens, c.want)
		}
	}
	request.Needs[1].IDs = 1 << 20
	var tooFew *TooFew
	if _, err := Fit(t.Context(), request); !errors.As(err, &tooFew) || tooFew.Trace != "b" {
		t.Errorf("error %v", err)
	}
}
