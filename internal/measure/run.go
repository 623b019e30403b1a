package measure

import (
	"agentx/eventlog"
	"agentx/internal/scenario"
)

// Run is everything that the log of a run says, summed up.
type Run struct {
	Config   eventlog.RunConfig
	Settings scenario.Settings
	Clock    Clock
	End      *eventlog.RunEnd // nil: the log ends without its closing event
	LastNs   Stamp            // the latest time in the log
	Events   int64            // rows looked at

	Phases  map[Phase]*PhaseInfo
	Plays   []*Play   // by number
	Streams []*Stream // by number
	Records []*Record // every request of both phases in order of dispatch, then those never sent
	Models  []eventlog.ModelMap
	Servers []eventlog.ServerInfo
	Notices []eventlog.Notice
	Client  ClientLoad
	Network []NetworkSample // connects of the latency probe, in their order
	Ahead   int             // connections opened before the requests that used them
	Reason  string          // why the machine said that the run ended

	Basis   Basis
	Options Options
	Chunks  bool // trails were read
	Curves  bool // time-weighted metrics are computed
}

// NetworkSample is one connect of the latency probe; RTTNs counts where Error is empty.
type NetworkSample struct {
	At     Stamp  // when it began
	Target string // host:port
	RTTNs  int64
	Error  string
}

// PhaseInfo is what the machine says of one phase.
type PhaseInfo struct {
	Phase           Phase
	Start           Stamp
	DurationNs      int64 // 0: no duration
	SendingComplete Stamp
	StoppedBy       string // why sending ended
	Complete        Stamp
	LastReturn      Stamp // end of the last exchange that came back
	Counts          PhaseCounts
	Branches        BranchStats
	Guard           Jumps
	Watchdogs       Jumps
	WasCancelled    bool
	TimedOut        bool // the duration ended sending
	GraceOver       bool
	Voided          int // turns that will never be sent because their stream ended early
	Unsent          int // turns left in streams that a stop truncated
}

// Planned is the moment at which the configured duration ends; not known without a duration.
func (p *PhaseInfo) Planned() Stamp {
	if p == nil || !p.Start.Known() || p.DurationNs <= 0 {
		return NoStamp
	}
	return p.Start + Stamp(p.DurationNs)
}

// Play is one live replay of a trace.
type Play struct {
	ID     int
	Lane   int
	Trace  string
	Kind   string // full, waiting_root, rootless, recycled
	Pass   int    // trees of the trace opened before
	Marker string
	Opened Stamp
	Ended  Stamp  // drained; not known when the run ended first
	Fate   string // drained, aborted, open
	Why    string // of an abort, or how the root ended
}

// Stream is the live side of one conversation.
type Stream struct {
	ID           int
	Play         int
	Conversation string
	Kind         string
	Depth        int
	Parent       int // stream, -1 for none
	Turns, Next  int
	Origin       string
	Join         int // turn of the root that waits for it, -1 for none
	Opened       Stamp
	Closed       Stamp
	Fate         string // completed, terminated, truncated, open
	Unsent       int
	Session      string
	ParentID     string
	RootID       string

	conversation int // index in the plan
}

// ClientLoad is what the client says of itself over the run.
type ClientLoad struct {
	Samples                           int
	CPUSeconds                        float64
	CPUShareMax, MachineShareMax      float64
	RSSMax, HeapMax                   int64
	GCPauseNs                         int64
	SchedLatP99MaxNs                  int64
	QueueEventsMax, QueueBytesMax     int64
	CountQueueMax                     int64
	LateP99MaxNs, LateMaxNs           int64
	ReadDelayP99MaxNs, ReadDelayMaxNs int64
	InFlightMax                       int64
}

func (c *ClientLoad) add(s *eventlog.ClientSample) {
	c.Samples++
	c.CPUSeconds += s.CPUSeconds
	c.CPUShareMax, c.MachineShareMax = max(c.CPUShareMax, s.CPUShare), max(c.MachineShareMax, s.MachineShare)
	c.RSSMax, c.HeapMax = max(c.RSSMax, s.RSSBytes), max(c.HeapMax, s.HeapBytes)
	c.GCPauseNs += s.GCPauseNs
	c.SchedLatP99MaxNs = max(c.SchedLatP99MaxNs, s.SchedLatP99Ns)
	c.QueueEventsMax, c.QueueBytesMax = max(c.QueueEventsMax, s.QueueEvents), max(c.QueueBytesMax, s.QueueBytes)
	c.CountQueueMax = max(c.CountQueueMax, s.CountQueue)
	c.LateP99MaxNs, c.LateMaxNs = max(c.LateP99MaxNs, s.LateP99Ns), max(c.LateMaxNs, s.LateMaxNs)
	c.ReadDelayP99MaxNs = max(c.ReadDelayP99MaxNs, s.ReadDelayP99Ns)
	c.ReadDelayMaxNs = max(c.ReadDelayMaxNs, s.ReadDelayMaxNs)
	c.InFlightMax = max(c.InFlightMax, s.InFlight)
}

// Interrupted reports whether the log ends without its closing event: the run was killed, or is still
// going on.
func (r *Run) Interrupted() bool { return r.End == nil }

// Phase is a phase of the run; nil when it was not reached.
func (r *Run) Phase(phase Phase) *PhaseInfo { return r.Phases[phase] }
