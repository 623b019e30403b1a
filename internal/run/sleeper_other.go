//go:build !linux

package run

import (
	"sync"
	"time"
)

// sleeper wakes the loop at an instant of the run clock. Go's timers are late by up to a
// millisecond, so this one is armed 1 ms early and the loop looks at the clock again.
type sleeper struct {
	C     chan struct{} // one pending wake at most
	clock *clock
	mutex sync.Mutex
	timer *time.Timer
}

const earlyNs = int64(time.Millisecond)

func newSleeper(clock *clock) (*sleeper, error) {
	s := &sleeper{C: make(chan struct{}, 1), clock: clock}
	s.timer = time.AfterFunc(time.Hour, s.wake)
	s.timer.Stop()
	return s, nil
}

func (s *sleeper) wake() {
	select {
	case s.C <- struct{}{}:
	default: // a wake is already pending
	}
}

// Arm sets the next wake to the given instant of the run clock.
func (s *sleeper) Arm(atNs int64) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	wait := atNs - s.clock.Now()
	if wait > earlyNs {
		wait -= earlyNs
	}
	s.timer.Reset(time.Duration(max(wait, 0)))
	return nil
}

// Disarm takes the next wake back.
func (s *sleeper) Disarm() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.timer.Stop()
	return nil
}

// Close stops the timer.
func (s *sleeper) Close() { s.timer.Stop() }
