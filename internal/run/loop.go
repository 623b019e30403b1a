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
	first := l.clock.Now() + lead(l.machine.Lanes())
	if err := l.stepAt(first, sched.Start()); err != nil {
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

// lead is how long before its instant a step is made that sends so many requests: what it decides is logged then,
// and its requests are ready, when the instant comes. (A first step of 64 lanes takes 2 to 4 ms, and making
// ready a large request 50 us.)
func lead(requests int) int64 {
	return int64(2*time.Millisecond) + int64(requests)*int64(100*time.Microsecond)
}

// fewTimers is how many timers may come at one instant without their step being made ahead of it, and
// longestLead by how much at most: so long what happens meanwhile has to wait.
const (
	fewTimers   = 8
	longestLead = 25 * time.Millisecond
)

// wakeFor is when the loop has to wake for the timers of an instant.
func (l *loop) wakeFor(at int64) int64 {
	if due := l.machine.DueBy(at); due > fewTimers {
		return at - min(lead(due), int64(longestLead))
	}
	return at
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
	return l.sleeper.Arm(l.wakeFor(at))
}

func (l *loop) step(input sched.Input) error {
	now := l.clock.Now()
	if input.Kind == sched.KindWake {
		at, ok := l.machine.NextWake()
		if !ok || now < l.wakeFor(at) {
			return nil // the timer had been moved meanwhile
		}
		now = max(now, at)
	}
	return l.stepAt(now, input)
}

// stepAt makes the step of an instant that may lie ahead, and waits for that. Facts that arrive meanwhile are
// told to the machine afterwards, as if the loop had been busy.
func (l *loop) stepAt(now int64, input sched.Input) error {
	events := l.machine.Step(now, input)
	l.actor.begin(now, input, events)
	err := l.journal.Step(now, input, events, func(event *sched.Event) {
		if complete, ok := event.Payload.(*sched.RunComplete); ok {
			l.complete = complete
		}
		l.actor.act(now, event)
	})
	if err != nil {
		return fmt.Errorf("logging decisions: %w", err)
	}
	if err := l.sleepUntil(now); err != nil {
		return err
	}
	l.actor.release()
	return nil
}

func (l *loop) sleepUntil(instant int64) error {
	for l.clock.Now() < instant {
		l.armed = noWake
		if err := l.sleeper.Arm(instant); err != nil {
			return fmt.Errorf("setting the schedule timer: %w", err)
		}
		<-l.sleeper.C
	}
	return nil
}
