package compare

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/zeebo/blake3"
)

const (
	// bootstrapDraws is the number of bootstrap draws; with many values fewer suffice for the spread and
	// are drawn.
	bootstrapDraws = 1000
	fewestDraws    = 400
	manyValues     = 20_000
	// exchanges is the number of random exchanges of A and B, and exactUnits the number of units up to
	// which all exchanges are tried instead. Percentiles have to be found anew after each: fewer of them.
	exchanges       = 4999
	exactUnits      = 12
	manyTrees       = 500
	percentileSwaps = 999
	exactPercentile = 9
)

// generator is keyed by what it is for and by the two sides (decision 2).
func generator(purpose string, sides [2]Side) *rand.Rand {
	named := []byte("compare " + purpose)
	for _, side := range sides {
		for _, run := range side.Runs {
			named = binary.BigEndian.AppendUint64(named, run.Config.Seed)
			named = append(named, run.Config.Bundle.ContentDigest...)
		}
		named = append(named, 0)
	}
	return rand.New(rand.NewChaCha8(blake3.Sum256(named)))
}

// chance holds the random choices of a comparison. All its rows use the same ones.
type chance struct {
	units *units
	times [][]uint16 // by draw and unit: how often the unit was drawn
	signs [][]uint64 // by exchange: one bit for each unit, set: exchanged
}

// roll makes the choices: bootstrap draws with replacement inside each stratum, so that neither side
// comes out empty; and fair exchanges.
func roll(u *units, sides [2]Side) *chance {
	c := &chance{units: u}
	random := generator("draws", sides)
	for range bootstrapDraws {
		times := make([]uint16, len(u.keys))
		for _, stratum := range u.strata {
			for range stratum {
				times[stratum[random.IntN(len(stratum))]]++
			}
		}
		c.times = append(c.times, times)
	}
	random = generator("exchanges", sides)
	for range exchanges {
		signs := make([]uint64, (len(u.keys)+63)/64)
		for i := range signs {
			signs[i] = random.Uint64()
		}
		c.signs = append(c.signs, signs)
	}
	return c
}

// drawsFor are as many draws as so many values are worth.
func (c *chance) drawsFor(values int) [][]uint16 {
	if values <= manyValues {
		return c.times
	}
	return c.times[:max(fewestDraws, bootstrapDraws*manyValues/values)]
}

// swapsFor are the exchanges for percentiles of so many values: all of them with few trees, else as many
// random ones as so many values are worth.
func (c *chance) swapsFor(values int, u *units) [][]uint64 {
	var all []int
	for _, stratum := range u.strata {
		all = append(all, stratum...)
	}
	if len(all) > exactPercentile {
		return c.signs[:min(percentileSwaps, len(c.drawsFor(values)))]
	}
	swaps := make([][]uint64, 0, 1<<len(all))
	for chosen := range 1 << len(all) {
		signs := make([]uint64, (len(u.keys)+63)/64)
		for bit, unit := range all {
			signs[unit/64] |= uint64(chosen>>bit&1) << (unit % 64)
		}
		swaps = append(swaps, signs)
	}
	return swaps
}
