package swimlane

// second is the unit of the hand-made run.
const second = int64(1e9)

// done is a request that was answered: times in seconds, tokens as they come.
func done(turn int, phase Phase, due, start, first, end float64) Request {
	return Request{
		Turn: turn, Exchange: int64(turn), Phase: phase, Status: OK, Outcome: "ok",
		Due: at(due), Start: at(start), FirstToken: at(first), End: at(end),
		Input: 1000, Output: 100, Reasoning: None, Cached: 640, TheoryHit: 704, Reach: 640, MaxTokens: 120,
		RecordedIn: 1000, RecordedOut: 120, RecordedAPI: 2 * second, Gap: second, HTTPStatus: 200, Finish: "stop",
	}
}

// ended changes how a request ended.
func ended(request Request, status Status, outcome string) Request {
	request.Status, request.Outcome = status, outcome
	return request
}

func at(seconds float64) int64 { return int64(seconds * 1e9) }

// handmade is a run of two lanes: warmup from 0 to 3, profiling from 3 to 13, grace to 15, log end 15.5.
// Lane 0 replays tree A (a root with two parallel subagents that turn 2 joins, and a background one),
// then B; lane 1 replays B with an error, an overflow, a cancelled and an unfinished request.
func handmade() *Run {
	return &Run{
		Title: "handmade", Source: "run.db", Lanes: 2, Target: 2,
		Marks:  Marks{ProfilingStart: at(3), RampEnd: None, DurationEnd: at(13), GraceEnd: at(15), End: at(15.5)},
		Plays:  []Play{treeA(), treeB(), treeC()},
		Shifts: []Shift{{At: at(4), Skipped: 20 * second, Lane: -1}, {At: at(9), Skipped: 5 * second, Lane: 1}},
		Curves: []Curve{{Name: "in flight", Unit: "requests", Panel: "requests", Steps: []Step{{at(0), 1}, {at(1), 0}, {at(3), 2}}}},
		Facts:  []Fact{{"requests", "12"}},
		Notes:  []string{"all requests of the log are drawn"},
	}
}

func treeA() Play {
	return Play{
		ID: 0, Lane: 0, Trace: "trace-a", Opened: 0, Drained: at(10), How: "full",
		Streams: []Stream{
			{
				ID: 0, Conversation: "trace-a", Kind: "root", Parent: -1, SpawnTurn: -1, JoinTurn: -1, Opened: 0, Closed: at(10), Fate: "completed",
				Requests: []Request{
					done(0, Warmup, 0, 0, 0.5, 1), done(1, Profiling, 3, 3, 3.2, 4), done(2, Profiling, 5, 8, 8.5, 10),
				},
				Waits: []Wait{{Pause, at(1), at(3)}, {Pause, at(4), at(5)}, {Join, at(5), at(8)}},
			},
			child(1, "trace-a::sa:1", 1, 2, 4, 7, done(0, Profiling, 4.5, 4.5, 5, 7)),
			child(2, "trace-a::sa:2", 1, 2, 4, 8, done(0, Profiling, 4, 4, 4.2, 8)),
			child(3, "trace-a::sa:3", 1, -1, 7, 9, done(0, Profiling, 7, 7, 7.5, 9)),
		},
	}
}

func child(id int64, name string, spawn, join int, opened, closed float64, requests ...Request) Stream {
	return Stream{
		ID: id, Conversation: name, Kind: "sa", Depth: 1, Parent: 0, SpawnTurn: spawn, JoinTurn: join,
		Opened: at(opened), Closed: at(closed), Fate: "completed", Requests: requests,
	}
}

func treeB() Play {
	late := done(0, Profiling, 10, 10, 11, 14)
	late.InFlight = true
	return Play{
		ID: 2, Lane: 0, Trace: "trace-b", Opened: at(10), Drained: None, How: "recycled",
		Streams: []Stream{{
			ID: 7, Conversation: "trace-b", Kind: "root", Parent: -1, SpawnTurn: -1, JoinTurn: -1, Opened: at(10), Closed: None,
			Requests: []Request{late},
		}},
	}
}

func treeC() Play {
	failed := ended(done(1, Profiling, 3, 3.001, 0, 3.002), Failed, "http_error")
	failed.FirstToken, failed.HTTPStatus, failed.Error = None, 500, "boom"
	overflow := ended(done(2, Profiling, 6, 6, 0, 6.1), Overflow, "overflow")
	overflow.FirstToken = None
	cancelled := ended(done(3, Profiling, 12, 12, 12.5, 15), Cancelled, "cancelled_grace")
	cancelled.InFlight = true
	open := ended(done(0, Profiling, 12, 12.5, 0, 0), Unfinished, "unfinished")
	open.FirstToken, open.End = None, None
	never := ended(done(1, Profiling, 13.5, 0, 0, 0), NeverSent, "never_sent")
	never.Exchange, never.Start, never.FirstToken, never.End = -1, None, None, None
	return Play{
		ID: 1, Lane: 1, Trace: "trace-b", Opened: 0, Drained: None, How: "full",
		Streams: []Stream{
			{
				ID: 4, Conversation: "trace-b", Kind: "root", Parent: -1, SpawnTurn: -1, JoinTurn: -1, Opened: 0, Closed: None,
				Requests: []Request{done(0, Warmup, 1, 1, 1.5, 2), failed, overflow, cancelled},
				Waits:    []Wait{{Pause, at(2), at(3)}, {Late, at(3), at(3.001)}, {Pause, at(3.002), at(6)}, {Backoff, at(6.1), at(7)}, {Pause, at(7), at(12)}},
			},
			{
				ID: 5, Conversation: "trace-b::fa:1", Kind: "fa", Depth: 1, Parent: 0, SpawnTurn: -1, JoinTurn: -1, Opened: at(3), Closed: None,
				Requests: []Request{open, never}, Waits: []Wait{{Barrier, at(3), at(11)}, {Slot, at(11), at(12.5)}},
			},
		},
	}
}
