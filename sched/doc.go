// Package sched is the replay machine: it decides which recorded turn is sent when. It keeps N trees
// alive on N lanes, starts each of them in the middle of its recording after a warmup, honours
// recorded pauses, spawns and joins subagents as recorded, and recycles a lane when its tree has
// drained.
//
// The machine is a pure step function. It does no I/O, reads no clock and starts no goroutine: time
// is an argument, and every random draw comes from a generator named by seed, purpose and ids. The
// same configuration, plans and inputs give the same events, on any machine:
//
//	machine, err := sched.New(config, plans)
//	events := machine.Step(now, sched.Start())
//	for !machine.Done() {
//		at, ok := machine.NextWake() // sleep until at, or until an exchange has news
//		events = machine.Step(now, sched.Wake())
//		events = machine.Step(now, sched.Ended(exchange, at, outcome, answered))
//	}
//
// Two of the events ask for something: Dispatch (send this turn) and Cancel (give this exchange up).
// Every Dispatch must be answered by exactly one Ended, also after a Cancel: by what the wire reports,
// or by OutcomeAbandoned when nothing came within ten seconds. All other events say what was decided
// and why; they are for the log.
//
// Times are int64 nanoseconds since run start; recorded times are converted once, by round-half-even
// of the float64 milliseconds. Instants that count gaps, spawn delays and idleness come from the
// inputs' At (the socket's stamp); decisions, phase ends and stop tests use now.
//
// docs/event-log-scheduler.md tells how the machine decides. testdata/rules.md numbers the rules, as
// comments here cite them; every rule that changes a time or an event has a scenario script there.
package sched
