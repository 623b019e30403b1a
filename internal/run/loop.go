package run

import (
	"context"
	"fmt"
	"os"

	"agentx/sched"
)

// inputQueue bounds the facts that wait for the machine. Exchanges that end while it is full wait in
// their own goroutines, with their stamps taken.
const inputQueue = 8192

// noWake is no instant of the run clock.
const noWake = int64(-1)

// loop owns the replay machine: it is the only goroutine that steps it. It sleeps until the machine
// wants to be woken or a fact arrives, logs what the machine was told and what it decided, and carries
// the decisions out.
type loop struct {
	clock   *clock
	sleeper *sleeper
	machine *sched.Machine
	journal *journal
	actor   *actor
	inputs  chan sched.Input
	armed   int64 // the wake that the sleeper has been told of, noWake for none
	// complete is the machine's last word, nil until it came.
	complete *sched.RunComplete
}

// run drives the machine to its last event. The first signal (or the end of the context) is a stop, the
// second an abort: inputs like any other, so that they are logged and can be replayed.
func (l *loop) run(ctx context.Context, signals <-chan os.Signal) error {
	l.armed = noWake
	if err := l.step(sched.Start()); err != nil {
		return err
	}
	stops, ended := 0, ctx.Done()
	for l.complete == nil {
		if err := l.arm(); err != nil {
			return fmt.Errorf("setting the schedule timer: %w", err)
		}
		var input sched.Input
		select {
		case input = <-l.inputs:
		case <-l.sleeper.C:
			input, l.armed = sched.Wake(), noWake
		case <-signals:
			input = stopInput(stops)
			stops++
		case <-ended:
			input, ended = stopInput(stops), nil
			stops++
		case <-l.journal.Failed():
			return l.journal.Err()
		}
		if err := l.step(input); err != nil {
			return err
		}
	}
	return nil
}

func stopInput(before int) sched.Input {
	if before == 0 {
		return sched.Stop(sched.ReasonUser)
	}
	return sched.Abort(sched.ReasonUser)
}

// arm tells the sleeper of the next wake where that has changed: most inputs leave it.
func (l *loop) arm() error {
	at, ok := l.machine.NextWake()
	if !ok {
		at = noWake
	}
	if at == l.armed {
		return nil
	}
	l.armed = at
	if !ok {
		return l.sleeper.Disarm()
	}
	return l.sleeper.Arm(at)
}

func (l *loop) step(input sched.Input) error {
	now := l.clock.Now()
	if input.Kind == sched.KindWake {
		if at, ok := l.machine.NextWake(); !ok || at > now {
			return nil // the timer had been moved meanwhile
		}
	}
	events := l.machine.Step(now, input)
	l.actor.introduce(events)
	if err := l.journal.Step(now, input, events); err != nil {
		return fmt.Errorf("logging decisions: %w", err)
	}
	if input.Kind == sched.KindEnded {
		l.actor.forget(input.Exchange)
	}
	for i := range events {
		if complete, ok := events[i].Payload.(*sched.RunComplete); ok {
			l.complete = complete
		}
		l.actor.act(now, &events[i])
	}
	return nil
}
