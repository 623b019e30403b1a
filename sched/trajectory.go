package sched

import "fmt"

// trajectory is where a lane's first tree starts inside its recording (2.7 … 2.11). It is the only
// part of the machine that computes in floats.
type trajectory struct {
	plan       *recording
	timed      bool
	tStarNs    int64
	states     []trajectoryState
	boundaries []Boundary // turns that are history, per conversation, ordered by conversation id
	fired      []bool     // per branch of the root: its spawning turn is history
}

// trajectoryState is one stream that is alive at the start.
type trajectoryState struct {
	conversation int
	next         int
	offsetNs     int64
	leadNs       int64 // from the warmed turn to t*; 0 where nothing is warmed or nothing is timed
	waiting      bool
}

// Reasons of a skip that a user can do something about.
const (
	skipTooShort     = "too_short"     // no times, and no middle to start in
	skipNothingAlive = "nothing_alive" // no request at or after t*
)

// between is the point at the fraction unit from low to high.
func between(low, high, unit float64) float64 { return low + float64((high-low)*unit) }

// fillLanes draws a trace for every lane and decides where it starts (2.5).
func (m *Machine) fillLanes() error {
	distinct := len(m.plans)
	budget := m.config.Concurrency + int(2*max(distinct, 1))
	skipped := ""
	for range budget {
		if len(m.lanes) == m.config.Concurrency {
			break
		}
		index, draw := m.sampler.draw()
		id := LaneID(len(m.lanes))
		built, report, why := m.buildTrajectory(index, id)
		if why != "" {
			m.skip(index, draw, DrawFill, why)
			skipped = why
			continue
		}
		l := &lane{id: id, built: built}
		m.lanes = append(m.lanes, l)
		report.Draw = draw
		m.emitLane(KindTraceDrawn, l, &TraceDrawn{Purpose: DrawFill, Plan: index, Trace: report.Trace, Draw: draw})
		m.emitLane(KindTrajectoryBuilt, l, report)
	}
	m.fill, m.events = m.events, nil
	if len(m.lanes) == 0 {
		return fmt.Errorf("%w: trajectories empty after skipping invalid traces; pool exhausted (the last one: %s)", ErrNoTraces, remedied(skipped))
	}
	return nil
}

// remedied adds to the reason of a skip what a user can do.
func remedied(why string) string {
	switch why {
	case skipTooShort:
		return why + "; take longer traces, or build the bundle with their times"
	case skipNothingAlive:
		return why + "; lower --trajectory-start-at"
	}
	return why
}

func (m *Machine) skip(index int, draw int64, purpose DrawPurpose, why string) {
	trace := ""
	if m.plans[index] != nil {
		trace = m.plans[index].trace
	}
	m.emit(KindTraceSkipped, nil, &TraceSkipped{Purpose: purpose, Plan: index, Trace: trace, Draw: draw, Why: why})
}

// unusable says why a trace can never be spawned (2.6), or nothing.
func (m *Machine) unusable(index int) string {
	r := m.plans[index]
	switch {
	case r == nil:
		return "no_plan"
	case len(r.conversations) == 0 || len(r.conversations[0].turns) == 0:
		return "no_turns"
	case !r.hasTimes && len(m.splitCandidates(r)) == 0:
		return skipTooShort
	}
	return ""
}

// buildTrajectory decides where the lane starts in the trace; a non-empty why says that it cannot.
func (m *Machine) buildTrajectory(index int, id LaneID) (built *trajectory, report *TrajectoryBuilt, why string) {
	if why = m.unusable(index); why != "" {
		return nil, nil, why
	}
	r := m.plans[index]
	report = &TrajectoryBuilt{Plan: index, Trace: r.trace}
	if !r.hasTimes {
		built = m.splitTurns(r, id)
	} else {
		built = m.snapshotAt(r, id, report)
	}
	if len(built.states) == 0 {
		return nil, nil, skipNothingAlive
	}
	for _, state := range built.states {
		report.States = append(report.States, State{Conversation: state.conversation, Next: state.next, OffsetNs: state.offsetNs, Waiting: state.waiting})
	}
	report.Boundaries = built.boundaries
	return built, report, ""
}

// snapshotAt draws t* (2.7) and looks at the trace there.
func (m *Machine) snapshotAt(r *recording, id LaneID, report *TrajectoryBuilt) *trajectory {
	span := r.highMs - r.lowMs
	low := r.lowMs + float64(m.config.StartMinRatio*span)
	high := r.lowMs + float64(m.config.StartMaxRatio*span)
	tStar := StartMs(m.config.Seed, r.trace, id, low, high)
	if forced := m.config.StartAtMs; len(forced) > 0 {
		tStar = forced[min(int(id), len(forced)-1)]
		report.Forced = true
	}
	report.TStarMs, report.LowMs, report.HighMs = &tStar, low, high
	return r.snapshot(tStar)
}

// splitCandidates lists the turns after which a trace without timestamps can start (2.11).
func (m *Machine) splitCandidates(r *recording) []int {
	n := len(r.conversations[0].turns)
	var first, last int
	switch {
	case n <= 1:
		return nil
	case n == 2:
	default:
		first = min(int(float64(m.config.StartMinRatio*float64(n))), n-2)
		last = min(int(float64(m.config.StartMaxRatio*float64(n))), n-2)
	}
	var candidates []int
	for k := first; k <= last; k++ {
		if r.conversations[0].turns[k].sendable && r.conversations[0].turns[k+1].sendable {
			candidates = append(candidates, k)
		}
	}
	return candidates
}

// splitTurns starts a trace without timestamps after a turn k of its root; only the root is alive.
func (m *Machine) splitTurns(r *recording, id LaneID) *trajectory {
	candidates := m.splitCandidates(r)
	k := candidates[newPCG(trajectorySeed(m.config.Seed, r.trace, id)).choice(uint32(len(candidates)))]
	built := &trajectory{plan: r, fired: make([]bool, len(r.branches))}
	built.states = []trajectoryState{{conversation: 0, next: k + 1}}
	history := map[int]int{0: k + 1}
	for b := range r.branches {
		if r.branches[b].spawnTurn <= k {
			built.fired[b] = true
			for _, child := range r.branches[b].children {
				history[child] = len(r.conversations[child].turns)
			}
		}
	}
	built.setBoundaries(history)
	return built
}
