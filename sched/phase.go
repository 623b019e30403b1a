package sched

import "slices"

// stage tells the parts of a phase apart that follow different rules.
type stage uint8

const (
	stagePrimers   stage = iota // warmup: one request per live stream, no barrier, spawns or joins
	stagePressure               // warmup: replay without pauses, to fill the server's cache
	stageProfiling              // replay as recorded
)

// phaseState is what belongs to one phase.
type phaseState struct {
	phase    Phase
	stage    stage
	start    int64
	counts   Counts
	branches BranchStats
	guard    Jumps
	watch    Jumps
	inFlight int

	primers     int // warmup: primers to send
	primersOut  int // sent
	primersDone int // returned

	sessionQuota int64 // profiling: NumSessions of the configuration; 0 none

	sendingDone   bool
	childrenEnded bool // a stop that ends child turns too
	endedWhy      Reason
	cancelled     bool
	timedOut      bool
	graceOver     bool

	hasStop  bool // duration, or cutoff of the cache warmup
	stopAt   int64
	hasGrace bool
	graceAt  int64

	hasIdle   bool // nothing is in flight since idleSince
	idleSince int64

	hasOpening bool // nothing is in flight, and the guard looks again when a lane opens
	openingAt  int64

	hasEnd  bool // some request of the phase has ended
	lastEnd int64
}

// start begins the run with the warmup.
func (m *Machine) start() {
	m.events = append(m.events, m.fill...)
	m.fill = nil
	m.phase = phaseState{phase: PhaseWarmup, stage: stagePrimers, start: m.now}
	m.beginWarmup()
}

// phaseIsOver reports whether the phase has nothing left to send or to wait for (7.7). It also takes
// the steps inside a phase that need the whole input to be applied: the end of the primers, and of the
// cache warmup by requests.
func (m *Machine) phaseIsOver() bool {
	p := &m.phase
	if p.phase == PhaseNone {
		return m.cancel != "" // cancelled before Start
	}
	if p.inFlight > 0 {
		if p.stage == stagePressure && !p.sendingDone {
			m.endPressureByQuota()
		}
		return false
	}
	switch p.stage {
	case stagePrimers:
		if p.cancelled {
			return true
		}
		if p.primersDone < p.primers {
			return false
		}
		if m.hasPressure() {
			m.beginPressure()
			return m.phaseIsOver()
		}
	case stagePressure:
		if !p.sendingDone {
			m.endPressureByQuota()
		}
	case stageProfiling:
		if !p.sendingDone && m.nothingCanStart() {
			m.completeSending(ReasonDone)
		}
		if p.sendingDone && !p.childrenEnded {
			return !slices.ContainsFunc(m.lanes, func(l *lane) bool { return l.tree != nil })
		}
	}
	return p.sendingDone
}

// nothingCanStart reports that all lanes are empty for good: no trace was left that can be played.
func (m *Machine) nothingCanStart() bool {
	return !slices.ContainsFunc(m.lanes, func(l *lane) bool { return l.tree != nil || l.hasBackoff })
}

// endPhase reports the phase and goes on to the next one.
func (m *Machine) endPhase() {
	p := &m.phase
	if p.phase != PhaseNone {
		if p.phase == PhaseWarmup && !p.cancelled && p.stage == stagePressure {
			m.handOff()
		}
		m.reportPhase()
	}
	if p.phase == PhaseWarmup && !p.cancelled {
		m.beginProfiling()
		return
	}
	m.finish()
}

func (m *Machine) reportPhase() {
	p := &m.phase
	open := 0
	for _, l := range m.lanes {
		if l.tree != nil {
			open++
		}
	}
	b := &p.branches
	b.Open = b.Spawned - b.Completed - b.Errored - b.Truncated
	b.StillWaiting = b.Suspended - b.Resumed - b.Suppressed - b.Discarded
	m.emit(KindPhaseComplete, nil, &PhaseComplete{
		Phase: p.phase, Counts: p.counts, Branches: *b, Guard: p.guard, Watchdogs: p.watch,
		WasCancelled: p.cancelled, TimedOut: p.timedOut, GraceOver: p.graceOver, OpenTrees: open,
	})
}

func (m *Machine) finish() {
	reason := ReasonDone
	if m.cancel != "" {
		reason = m.cancel
	}
	m.done = true
	m.emit(KindRunComplete, nil, &RunComplete{Reason: reason, WasCancelled: m.cancel != ""})
}
