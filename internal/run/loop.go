package run

import (
	"context"
	"fmt"
	"os"
	"time"

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
	if err := l.start(); err != nil {
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

// start makes the first step. It is decided for an instant a little ahead: what it opens is logged, and its
// requests are ready, when that comes.
func (l *loop) start() error {
	due := l.clock.Now() + int64(startLead) + int64(l.machine.Lanes())*int64(startLeadPerLane)
	l.actor.holding = true
	if err := l.stepAt(due, sched.Start()); err != nil {
		return err
	}
	if l.clock.Now() < due {
		if err := l.sleeper.Arm(due); err != nil {
			return fmt.Errorf("setting the schedule timer: %w", err)
		}
		<-l.sleeper.C
	}
	l.actor.launch()
	return nil
}

// A first step of 64 lanes takes 2 to 4 ms.
const (
	startLead        = 2 * time.Millisecond
	startLeadPerLane = 100 * time.Microsecond
)

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

func (l *loop) step(input sched.Input) error { return l.stepAt(l.clock.Now(), input) }

func (l *loop) stepAt(now int64, input sched.Input) error {
	if input.Kind == sched.KindWake {
		if at, ok := l.machine.NextWake(); !ok || at > now {
			return nil // the timer had been moved meanwhile
		}
	}
	events := l.machine.Step(now, input)
	l.actor.begin(input, events)
	err := l.journal.Step(now, input, events, func(event *sched.Event) {
		if complete, ok := event.Payload.(*sched.RunComplete); ok {
			l.complete = complete
		}
		l.actor.act(now, event)
	})
	if err != nil {
		return fmt.Errorf("logging decisions: %w", err)
	}
	return nil
}
