// Package idle keeps objects for reuse. Unlike a sync.Pool a list is not emptied by the garbage collector,
// which would make a burst after a quiet time pay for fresh memory, and it is bounded.
package idle

// List holds objects that nobody uses. Its methods may be called from many goroutines.
type List[T any] struct {
	kept  chan T
	fresh func() T
}

// New makes a list of at most bound objects; fresh makes one where none is idle.
func New[T any](bound int, fresh func() T) *List[T] {
	return &List[T]{make(chan T, bound), fresh}
}

// Get gives an idle object or a fresh one.
func (l *List[T]) Get() T {
	select {
	case object := <-l.kept:
		return object
	default:
		return l.fresh()
	}
}

// Put takes an object back; above the bound it is left to the garbage collector.
func (l *List[T]) Put(object T) {
	select {
	case l.kept <- object:
	default:
	}
}

// Fill makes fresh objects until there are at least so many idle ones, or the list is full.
func (l *List[T]) Fill(idle int) {
	for len(l.kept) < min(idle, cap(l.kept)) {
		l.Put(l.fresh())
	}
}
