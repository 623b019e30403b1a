package measure

import "agentx/eventlog"

// The keys of the replay machine's rows that metrics need. They are declared here, not taken from the
// machine, so that logs of every released format stay readable whatever the machine becomes.

type phaseStartRow struct {
	Phase      Phase  `json:"phase"`
	Lanes      int    `json:"lanes"`
	DurationNs *int64 `json:"duration_ns"`
}

type treeOpenRow struct {
	Plan   int    `json:"plan"`
	Trace  string `json:"trace"`
	Kind   string `json:"kind"`
	Pass   int    `json:"pass"`
	Marker string `json:"marker"`
}

type streamOpenRow struct {
	Conversation int    `json:"c"`
	ID           string `json:"id"`
	Depth        int    `json:"depth"`
	Parent       int64  `json:"parent"`
	Turns        int    `json:"turns"`
	Next         int    `json:"next"`
	Origin       string `json:"origin"`
	Branch       int    `json:"branch"`
	Join         int    `json:"join"`
}

type dispatchRow struct {
	Phase        Phase    `json:"phase"`
	Credit       int      `json:"credit"`
	Conversation int      `json:"c"`
	DueNs        int64    `json:"due_ns"`
	ReadyNs      int64    `json:"ready_ns"`
	SlotWaitNs   int64    `json:"slot_wait_ns"`
	MaxTokens    int64    `json:"max"`
	Primer       bool     `json:"primer"`
	Final        bool     `json:"final"`
	Waited       []string `json:"waited"`
	Marker       string   `json:"marker"`
}

type whyRow struct {
	Why string `json:"why"`
}

type turnDueRow struct {
	DueNs int64 `json:"due_ns"`
}

type voidedRow struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Why  string `json:"why"`
}

type unsentRow struct {
	Unsent int `json:"unsent"`
}

type sendingCompleteRow struct {
	Phase Phase  `json:"phase"`
	Why   string `json:"why"`
	Sent  int64  `json:"sent"`
}

// PhaseCounts are the machine's counters of a phase (spec scheduling 7.2).
type PhaseCounts struct {
	Sent              int64 `json:"sent"`
	Completed         int64 `json:"completed"`
	Cancelled         int64 `json:"cancelled"`
	Errors            int64 `json:"errors"`
	Overflows         int64 `json:"overflows"`
	SentSessions      int64 `json:"sent_sessions"`
	CompletedSessions int64 `json:"completed_sessions"`
	CancelledSessions int64 `json:"cancelled_sessions"`
}

// BranchStats are the counters of subagents of a phase (spec scheduling 8.7).
type BranchStats struct {
	Spawned      int64 `json:"children_spawned"`
	Completed    int64 `json:"children_completed"`
	Errored      int64 `json:"children_errored"`
	Truncated    int64 `json:"children_truncated"`
	Delayed      int64 `json:"children_delayed"`
	NeverSpawned int64 `json:"children_never_spawned"`
	Open         int64 `json:"children_open"`
	Suspended    int64 `json:"parents_suspended"`
	Resumed      int64 `json:"parents_resumed"`
	Suppressed   int64 `json:"joins_suppressed"`
	Discarded    int64 `json:"joins_discarded"`
	FailedByFast int64 `json:"parents_failed_due_to_child_error"`
	StillWaiting int64 `json:"parents_waiting"`
}

// Jumps counts what an idle guard skipped.
type Jumps struct {
	Jumps     int64 `json:"jumps"`
	SkippedNs int64 `json:"skipped_ns"`
}

type phaseCompleteRow struct {
	Phase        Phase       `json:"phase"`
	Counts       PhaseCounts `json:"counts"`
	Branches     BranchStats `json:"branches"`
	Guard        Jumps       `json:"guard"`
	Watchdogs    Jumps       `json:"watchdogs"`
	WasCancelled bool        `json:"was_cancelled"`
	TimedOut     bool        `json:"timed_out"`
	GraceOver    bool        `json:"grace_over"`
}

type runCompleteRow struct {
	Why          string `json:"why"`
	WasCancelled bool   `json:"was_cancelled"`
}

type networkRow struct {
	ConnectNs *int64 `json:"connect_ns"`
	Error     string `json:"error"`
	Target    string `json:"target"`
}

func (r *networkRow) at(event *eventlog.Event) NetworkSample {
	sample := NetworkSample{At: Stamp(event.AtNs), Target: r.Target, Error: r.Error}
	if r.ConnectNs != nil {
		sample.RTTNs = *r.ConnectNs
	}
	return sample
}

// openedAhead is the number of connections that a notice says were opened before there was a request for
// them: their requests count as reusing one.
func openedAhead(notice *eventlog.Notice) int {
	if notice.Code != "connections_opened" {
		return 0
	}
	opened, _ := notice.Facts["opened"].(float64) // of JSON
	return int(opened)
}
