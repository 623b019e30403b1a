// Package virtual runs the replay machine under a virtual clock: no real time passes, and facts of the
// same instant are applied in the order of scheduling rule 14.2, so that a run is reproducible to the
// bit. It serves the tests of sched and the simulation.
package virtual

import (
	"cmp"
	"fmt"
	"slices"

	"agentx/sched"
)

// Fact is an input that a world hands over at an instant.
type Fact struct {
	At    int64 // ns since run start; never earlier than the instants handed over before
	Input sched.Input
}

// World is what the machine talks to: servers, users, the wire. It learns of sends and cancels and
// says when it has news.
type World interface {
	// Send takes a dispatched request at the instant now.
	Send(now int64, event *sched.Event, request *sched.Dispatch)
	// Cancel gives an exchange up; the world still owes its end.
	Cancel(now int64, exchange sched.ExchangeID)
	// Next is the instant of the world's next fact, and whether there is one.
	Next() (at int64, ok bool)
	// Take removes and returns the facts up to the instant now.
	Take(now int64) []sched.Input
}

// Observer is told of every step, before the world acts on its events. The events are valid during the
// call.
type Observer func(now int64, input sched.Input, events []sched.Event) error

// Run drives the machine from its start until it is done. It fails when nothing is left to wait for
// although the machine is not done, when the observer fails, and after limit steps.
func Run(machine *sched.Machine, world World, observe Observer, limit int) error {
	r := runner{machine: machine, world: world, observe: observe, left: limit}
	if err := r.step(0, sched.Start()); err != nil {
		return err
	}
	for !machine.Done() {
		now, ok := r.next()
		if !ok {
			return fmt.Errorf("at %d ns nothing is left to wait for, but the run is not complete", r.now)
		}
		if err := r.instant(now); err != nil {
			return err
		}
	}
	return nil
}

type runner struct {
	machine *sched.Machine
	world   World
	observe Observer
	now     int64
	left    int
}

// next is the instant of the next timer or fact.
func (r *runner) next() (at int64, ok bool) {
	at, ok = r.machine.NextWake()
	if fact, has := r.world.Next(); has && (!ok || fact < at) {
		at, ok = fact, true
	}
	return max(at, r.now), ok
}

// instant applies what belongs to one instant: cancels, then returns by request, then timers. What
// these steps bring about at the same instant is a new round.
func (r *runner) instant(now int64) error {
	inputs := r.world.Take(now)
	slices.SortStableFunc(inputs, func(a, b sched.Input) int {
		if c := cmp.Compare(order(a), order(b)); c != 0 {
			return c
		}
		return cmp.Compare(a.Exchange, b.Exchange)
	})
	for _, input := range inputs {
		if err := r.step(now, input); err != nil {
			return err
		}
	}
	if at, ok := r.machine.NextWake(); ok && at <= now {
		return r.step(now, sched.Wake())
	}
	return nil
}

// order puts cancels before everything else (14.2).
func order(input sched.Input) int {
	if input.Kind == sched.KindStop || input.Kind == sched.KindAbort {
		return 0
	}
	return 1
}

func (r *runner) step(now int64, input sched.Input) error {
	if r.left--; r.left < 0 {
		return fmt.Errorf("the run does not end: the limit of steps was reached at %d ns", now)
	}
	r.now = now
	events := r.machine.Step(now, input)
	if r.observe != nil {
		if err := r.observe(now, input, events); err != nil {
			return err
		}
	}
	for i := range events {
		switch payload := events[i].Payload.(type) {
		case *sched.Dispatch:
			r.world.Send(now, &events[i], payload)
		case *sched.Cancel:
			r.world.Cancel(now, events[i].Exchange)
		}
	}
	return nil
}
