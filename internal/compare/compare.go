package compare

import (
	"fmt"
	"math"
	"slices"

	"agentx/internal/measure"
)

// Options shape a comparison.
type Options struct {
	Force   bool // compare what is not comparable too
	Changes int  // most turns that are listed in each direction
}

// DefaultOptions are the usual ones.
func DefaultOptions() Options { return Options{Changes: 10} }

// Comparison is everything that is said of two sides.
type Comparison struct {
	Sides      [2]Side
	Differing  []Difference // what should be equal and is not, or may explain a difference
	Clients    [2]Client
	Matching   Matching
	TreesA     int // with lane time in the window
	TreesB     int
	TreesBoth  int
	Turns      []TurnRow // same turns
	Requests   []Row     // all requests of each side, with intervals
	Others     []Row     // figures without an interval
	Buckets    []Bucket
	Changes    []Changes
	Repeated   bool // both sides have several runs: Welch
	HeadlineOf int  // number of headline rows that were tested
}

// Runs compares two sides. Sides that are not comparable are refused unless forced; the error is a
// *NotComparable then.
func Runs(a, b Side, options Options) (*Comparison, error) {
	if len(a.Runs) == 0 || len(b.Runs) == 0 {
		return nil, fmt.Errorf("comparing %s with %s: a side has no run", a.Label, b.Label)
	}
	sides := [2]Side{a, b}
	c := &Comparison{Sides: sides, Differing: Differing(a, b), Clients: [2]Client{clientOf(a), clientOf(b)}}
	if refused := c.refusals(); len(refused) > 0 && !options.Force {
		return nil, &NotComparable{A: a.Label, B: b.Label, Differences: refused}
	}
	u := gather(sides)
	chance := roll(u, sides)
	c.TreesA, c.TreesB, c.TreesBoth = u.count(sideA), u.count(sideB), u.paired()
	c.Repeated = len(a.Runs) > 1 && len(b.Runs) > 1
	c.Matching = match(sides, u)
	bases := [2]*measure.Basis{basis(a.Runs[0]), basis(b.Runs[0])}
	definitions := measure.Definitions()
	for _, tag := range requestTags() {
		d, known := measure.Lookup(definitions, tag)
		if !known {
			continue
		}
		if row, ok := turnRow(d, c.Matching.Pairs, bases, u, chance); ok {
			c.Turns = append(c.Turns, row)
		}
	}
	if c.Repeated {
		c.Requests = runRows(sides)
	} else {
		c.Requests = append(requestRows(sides, u, chance), shareRows(sides, u, chance)...)
		c.Others = plainRows(sides, c.Requests)
	}
	c.Buckets = buckets(sides, u, chance)
	c.Changes = changes(c.Matching.Pairs, bases, u, options.Changes)
	c.correct()
	return c, nil
}

// correct marks the headline rows and corrects what they find for their number.
func (c *Comparison) correct() {
	var rows []*Row
	for i := range c.Turns {
		if slices.Contains(headlineTurns(), c.Turns[i].Tag) {
			rows = append(rows, &c.Turns[i].Row)
		}
	}
	wanted := headline()
	for i := range c.Requests {
		if slices.Contains(wanted, [2]string{c.Requests[i].Tag, c.Requests[i].Statistic}) {
			rows = append(rows, &c.Requests[i])
		}
	}
	probabilities := make([]float64, len(rows))
	for i, row := range rows {
		row.Headline = true
		probabilities[i] = row.P
		if !math.IsNaN(row.P) {
			c.HeadlineOf++
		}
	}
	for i, p := range holm(probabilities) {
		rows[i].Adjusted = p
		rows[i].Found, _ = rows[i].verdict(p)
	}
}

// Headline are the headline rows, those over the same turns first.
func (c *Comparison) Headline() []Headline {
	var list []Headline
	for i := range c.Turns {
		if c.Turns[i].Headline {
			list = append(list, Headline{&c.Turns[i].Row, true})
		}
	}
	for i := range c.Requests {
		if c.Requests[i].Headline {
			list = append(list, Headline{&c.Requests[i], false})
		}
	}
	return list
}

// Headline is a headline row and whether it is over the same turns of both sides.
type Headline struct {
	*Row
	SameTurns bool
}

// Word is what the difference means after Holm's correction.
func (h Headline) Word() string {
	_, small := h.verdict(h.Adjusted)
	return h.word(h.Found, small)
}

// Findings are the headline rows whose difference means something after correction.
func (c *Comparison) Findings() []Headline {
	return slices.DeleteFunc(c.Headline(), func(h Headline) bool { return !h.Found })
}
