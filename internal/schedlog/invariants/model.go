package invariants

import (
	"agentx/corpus"
	"agentx/eventlog"
	"agentx/sched"
)

// lane is a slot for trees.
type lane struct {
	id         int64
	trajectory *sched.TrajectoryBuilt
	builtSeq   eventlog.Seq
	play       *play // open now
	drainedAt  int64 // of the play before
	hasDrained bool
	backoff    int64 // the lane waits until then
	hasBackoff bool
	barred     bool
	quota      int // requests of the cache warmup
	opens      int64
	drawn      *drawn // the draw that its next tree comes from
}

type drawn struct {
	seq     eventlog.Seq
	purpose sched.DrawPurpose
	plan    int
}

// play is a tree.
type play struct {
	id      int64
	lane    *lane
	planID  int
	plan    *corpus.Plan // nil where the log does not hold it
	kind    sched.TreeKind
	marker  string
	openSeq eventlog.Seq
	openNow int64
	origin  *int64

	root        *stream
	streams     []*stream
	done        []int // complete turns, by conversation
	voidFrom    []int
	branches    []branch
	outstanding int
	inFlight    int
	rootDone    bool
	aborted     bool
	drained     eventlog.Seq
	sent        map[turnKey]eventlog.Seq
	shifts      int64 // sum of the shifts of this tree alone
	idleFrom    int64 // nothing is in flight since (stamp of the last end)
	quietNow    int64 // when the machine was told so
	quietSeq    eventlog.Seq
	requests    int
	delayed     bool // its first request was deferred, or waits for a slot
}

type branch struct {
	started bool
	void    bool
	open    int
}

func (b *branch) complete() bool { return (b.started || b.void) && b.open == 0 }

// stream is a conversation that is alive.
type stream struct {
	id        int64
	play      *play
	conv      int
	turns     []corpus.Turn // nil without a plan
	count     int           // of turns
	start     int           // turn that it was opened at
	next      int           // turn that comes next
	openSeq   eventlog.Seq
	inFlight  bool
	finished  bool
	retired   eventlog.Seq // of its end by overflow
	primed    bool
	sentReal  bool // has sent something else than a primer
	measured  bool // has sent in profiling
	waiting   bool // at the start of profiling: suspended
	suspended bool

	retainedAt eventlog.Seq
	timer      *timer
	expect     *expectation
	lastEnd    *end
	branch     int
}

// expectation is when a stream's next turn must become due, and which invariant says so.
type expectation struct {
	due       int64
	invariant int
}

func (s *stream) root() bool { return s.conv == 0 }

type end struct {
	seq    eventlog.Seq
	at     int64
	shifts int64 // of global and own shifts before it
}

// timer is a pending timer, with shifts applied as the rules say.
type timer struct {
	due     int64
	shifted bool
	join    bool // a gate's "not before"
	blocked bool // whose children are not done
}

type exchange struct {
	stream *stream
	turn   int
	seq    eventlog.Seq
	now    int64
	primer bool
}

// phase is the accounts of a phase.
type phase struct {
	phase     sched.Phase
	seq       eventlog.Seq
	t0        int64
	payload   sched.PhaseStart
	pressure  bool // warmup: its second stage has begun
	counts    sched.Counts
	stats     sched.BranchStats
	guard     sched.Jumps
	watch     sched.Jumps
	inFlight  int
	cancelled bool
	aborted   bool

	sending   *sched.SendingComplete
	sendSeq   eventlog.Seq
	sendNow   int64
	stopped   bool  // a stop ended the children too
	lastStep  int64 // now of the last end, or of the last stream that a stop ended
	idleFrom  int64 // nothing is in flight since (stamp of the last end); valid when inFlight is 0
	quietNow  int64 // when the machine was told so
	primers   int   // to send
	sent      int   // of them
	returned  int
	primerDue []int64
	sessions  int64 // limit; 0: none
}

func (c *Check) planOf(index int) *corpus.Plan {
	if index < 0 || index >= len(c.plans) {
		return nil
	}
	return c.plans[index]
}

func (c *Check) laneOf(id int64) *lane {
	for _, l := range c.lanes {
		if l.id == id {
			return l
		}
	}
	return nil
}

// predsComplete reports whether all predecessors of a turn are complete.
func (p *play) predsComplete(conv, turn int) bool {
	if p.plan == nil {
		return true
	}
	for _, pred := range p.plan.Conversations[conv].Turns[turn].Preds {
		if p.done[pred.Conversation] <= pred.Turn {
			return false
		}
	}
	return true
}

// complete marks a turn and lets voided turns follow, as far as they go.
func (c *Check) complete(p *play, conv, turn int) {
	if conv >= len(p.done) {
		return
	}
	p.done[conv] = max(p.done[conv], turn+1)
	c.step.completed[turnKey{p.id, conv, turn}] = true
	c.followVoids(p)
}

func (c *Check) followVoids(p *play) {
	if p.plan == nil {
		return
	}
	for progress := true; progress; {
		progress = false
		for conv := range p.done {
			turns := len(p.plan.Conversations[conv].Turns)
			for p.done[conv] < turns && p.done[conv] >= p.voidFrom[conv] && p.predsComplete(conv, p.done[conv]) {
				c.step.completed[turnKey{p.id, conv, p.done[conv]}] = true
				p.done[conv]++
				progress = true
			}
		}
	}
}

// gateOpen reports whether every branch that the root's turn joins is complete.
func (p *play) gateOpen(turn int) bool {
	if p.plan == nil {
		return true
	}
	for _, b := range p.plan.Root().Turns[turn].Joins {
		nobody := len(p.plan.Root().Branches[b].Children) == 0 // no event tells of its start
		if !nobody && !p.branches[b].complete() {
			return false
		}
	}
	return true
}

// shiftsOf is the sum of the shifts that a tree's timers have had.
func (c *Check) shiftsOf(p *play) int64 { return c.shifts + p.shifts }

// canGoOut reports whether a stream's pending timer leads to a request when it fires.
func (s *stream) canGoOut() bool {
	return s.timer != nil && !s.timer.blocked && s.next < s.count && s.play.predsComplete(s.conv, s.next)
}
