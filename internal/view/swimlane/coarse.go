package swimlane

// curveLimit is the number of steps above which a curve goes into the page at a coarser grain: ten
// times finer than a screen is wide.
const curveLimit = 20_000

// Binned makes a curve of values that come one by one, however many there are: the axis is cut into
// curveLimit equal stretches, each with the time-weighted mean of a rate, or the greatest value of a
// count, inside it.
type Binned struct {
	from  int64
	width float64 // ns of a stretch
	mean  bool
	steps []Step

	value    float64 // from cursor on
	cursor   float64
	bin      int // that cursor is in
	sum      float64
	greatest float64
}

// NewBinned begins a curve on the axis from … to; its value is 0 until the first Add.
func NewBinned(from, to int64, mean bool) *Binned {
	return &Binned{from: from, width: float64(max(to-from, curveLimit)) / curveLimit, mean: mean, cursor: float64(from)}
}

// Add says that the curve has a value from an instant on; instants come in order. What lies outside the
// axis counts to its nearest end.
func (b *Binned) Add(at int64, value float64) {
	b.advance(float64(at))
	b.value = value
	b.greatest = max(b.greatest, value)
}

// advance closes the stretches that end at or before an instant.
func (b *Binned) advance(at float64) {
	for b.bin < curveLimit {
		end := float64(b.from) + float64(float64(b.bin+1)*b.width)
		if end > at {
			break
		}
		b.sum += float64(b.value * (end - b.cursor))
		b.close()
		b.cursor, b.sum, b.greatest = end, 0, b.value
		b.bin++
	}
	if at > b.cursor {
		b.sum += float64(b.value * (at - b.cursor))
		b.cursor = at
	}
}

// close writes the value of the stretch that is over, if it differs from the one before.
func (b *Binned) close() {
	value := b.greatest
	if b.mean {
		value = b.sum / b.width
	}
	if n := len(b.steps); n == 0 && value == 0 || n > 0 && b.steps[n-1].Value == value {
		return
	}
	b.steps = append(b.steps, Step{b.from + int64(float64(float64(b.bin)*b.width)), value})
}

// Steps ends the curve.
func (b *Binned) Steps() []Step {
	b.advance(float64(b.from) + float64(curveLimit*b.width) + 1)
	return b.steps
}

// coarse is a curve at the grain of Binned.
func coarse(curve *Curve, from, to int64) []Step {
	binned := NewBinned(from, to, curve.Mean)
	for _, step := range curve.Steps {
		binned.Add(step.At, step.Value)
	}
	return binned.Steps()
}
