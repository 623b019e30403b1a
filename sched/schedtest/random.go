package schedtest

import (
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"

	"agentx/corpus"
	"agentx/sched"
	"agentx/sched/virtual"
)

// Random draws a scenario: small traces with subagents and flat chains whose times collide often, any
// settings, and requests that are fast, slow, late, failing, overflowing, cancelled or never answered.
func Random(t *rapid.T) *Script {
	s := &Script{Name: "random", Config: defaults(), firstNs: -1}
	for i := range rapid.IntRange(1, 3).Draw(t, "traces") {
		s.Plans = append(s.Plans, randomPlan(t, fmt.Sprintf("T%d", i)))
	}
	randomConfig(t, &s.Config)
	if rapid.IntRange(0, 9).Draw(t, "stopped") == 0 {
		s.stops = append(s.stops, stop{halves(t, "stop at", 60), sched.Stop(sched.ReasonUser)})
		if rapid.Bool().Draw(t, "twice") {
			s.stops = append(s.stops, stop{s.stops[0].at + halves(t, "abort after", 3), sched.Abort(sched.ReasonUser)})
		}
	}
	s.fate = randomFate(t)
	if s.Config.PrefillLimit > 0 {
		s.firstNs = 0
	}
	return s
}

// halves draws a time in half seconds, so that instants collide.
func halves(t *rapid.T, label string, most int) int64 {
	return int64(rapid.IntRange(0, 2*most).Draw(t, label)) * 500_000_000
}

func randomPlan(t *rapid.T, trace string) *corpus.Plan {
	plan := &corpus.Plan{Trace: corpus.TraceID(trace), BlockSize: 64}
	plan.Conversations = append(plan.Conversations, randomConversation(t, trace, trace, 0, 6))
	root := &plan.Conversations[0]
	for b := range rapid.IntRange(0, 3).Draw(t, "branches") {
		branch := corpus.Branch{ID: corpus.BranchID(fmt.Sprint("b", b)), JoinTurn: -1}
		branch.SpawnTurn = rapid.IntRange(0, len(root.Turns)-1).Draw(t, "spawn")
		if later := len(root.Turns) - 1 - branch.SpawnTurn; later > 0 && rapid.Bool().Draw(t, "joined") {
			branch.JoinTurn = branch.SpawnTurn + rapid.IntRange(1, later).Draw(t, "join")
			root.Turns[branch.JoinTurn].Joins = append(root.Turns[branch.JoinTurn].Joins, b)
		}
		spawner := &root.Turns[branch.SpawnTurn]
		spawner.Spawns = append(spawner.Spawns, b)
		branch.StartMs = spawner.TMs + corpus.Millis(500*rapid.IntRange(0, 12).Draw(t, "start"))
		branch.SpawnAtIssue = spawner.APIMs > 0 && branch.StartMs < spawner.TMs+spawner.APIMs
		for range rapid.IntRange(1, 3).Draw(t, "children") {
			branch.Children = append(branch.Children, len(plan.Conversations))
			id := fmt.Sprintf("%s::%s:%d", trace, rapid.SampledFrom([]string{"sa", "fa"}).Draw(t, "kind"), len(plan.Conversations))
			begin := float64(branch.StartMs) + 500*float64(rapid.IntRange(0, 4).Draw(t, "begin"))
			child := randomConversation(t, trace, id, begin, 4)
			child.Depth, child.Parent = 1, 0
			plan.Conversations = append(plan.Conversations, child)
			root = &plan.Conversations[0]
		}
		root.Branches = append(root.Branches, branch)
	}
	Infer(plan)
	return plan
}

func randomConversation(t *rapid.T, trace, id string, begin float64, most int) corpus.Conversation {
	text := traceText{name: trace}
	conversation := corpus.Conversation{ID: corpus.ConversationID(id), Parent: -1, Scope: text.scope(id)}
	at := corpus.Millis(begin)
	for k := range rapid.IntRange(1, most).Draw(t, "turns") {
		turn := corpus.Turn{TMs: at, APIMs: corpus.Millis(500 * rapid.IntRange(0, 6).Draw(t, "api")), GapMs: corpus.Absent(), MaxOut: 10, Emitted: 1}
		if k > 0 {
			before := &conversation.Turns[k-1]
			turn.GapMs = max(0, turn.TMs-before.TMs-before.APIMs)
		}
		conversation.Turns = append(conversation.Turns, turn)
		at += corpus.Millis(500 * rapid.SampledFrom([]int{0, 1, 2, 4, 9, 40, 300}).Draw(t, "distance"))
	}
	return conversation
}

func randomConfig(t *rapid.T, c *sched.Config) {
	c.Concurrency = rapid.IntRange(1, 4).Draw(t, "lanes")
	c.StartAtMs = nil
	c.Seed = rapid.Uint64Range(0, 1000).Draw(t, "seed")
	c.Sampler = rapid.SampledFrom([]sched.Sampler{sched.SamplerSequential, sched.SamplerShuffle, sched.SamplerRandom}).Draw(t, "sampler")
	c.BurstPhaseStarts = rapid.IntRange(0, 4).Draw(t, "burst") == 0
	c.JoinPolicy = rapid.SampledFrom([]sched.JoinPolicy{sched.JoinMax, sched.JoinMax, sched.JoinImmediate}).Draw(t, "join policy")
	c.SpawnPolicy = rapid.SampledFrom([]sched.SpawnPolicy{sched.SpawnRecorded, sched.SpawnRecorded, sched.SpawnImmediate}).Draw(t, "spawn policy")
	c.FailFast = rapid.SampledFrom([]sched.FailFast{sched.FailFastOff, sched.FailFastOff, sched.FailFastTree, sched.FailFastRun}).Draw(t, "fail fast")
	c.OverflowBackoffNs = halves(t, "back-off", 2)
	maybe := func(label string, most int) *int64 {
		if rapid.Bool().Draw(t, label+" is set") {
			return ptr(halves(t, label, most))
		}
		return nil
	}
	c.SystemIdleCapNs, c.TraceIdleCapNs = maybe("cap", 12), maybe("S", 12)
	c.GraceNs, c.WarmupGraceNs = maybe("grace", 8), maybe("warmup grace", 20)
	c.DurationNs = maybe("duration", 100)
	switch rapid.IntRange(0, 2).Draw(t, "stop by") {
	case 0:
		c.RequestCount = int64(rapid.IntRange(1, 30).Draw(t, "requests"))
	case 1:
		c.NumSessions = int64(rapid.IntRange(1, 6).Draw(t, "sessions"))
	default:
		c.DurationNs = ptr(halves(t, "duration", 100))
	}
	switch rapid.IntRange(0, 4).Draw(t, "pressure") {
	case 0:
		c.CacheWarmupNs = ptr(halves(t, "cache warmup", 15))
	case 1:
		c.WarmupRequestsPerLane = rapid.IntRange(1, 6).Draw(t, "R")
	}
	if rapid.IntRange(0, 3).Draw(t, "limited") == 0 {
		c.PrefillLimit = rapid.IntRange(1, 2).Draw(t, "prefill")
	}
	if rapid.IntRange(0, 3).Draw(t, "ramped") == 0 {
		c.RampNs = halves(t, "ramp", 20)
	}
	c.URLCount = rapid.IntRange(1, 3).Draw(t, "urls")
}

// randomFate draws how requests fare: by a generator of its own for each exchange, so that the same
// scenario has the same fate whenever it is played.
func randomFate(t *rapid.T) func(exchange sched.ExchangeID) virtual.Reply {
	seed := rapid.Uint64().Draw(t, "fate")
	trouble := rapid.SampledFrom([]int{0, 0, 10, 40, 100}).Draw(t, "trouble in percent")
	return func(exchange sched.ExchangeID) virtual.Reply {
		random := rand.New(rand.NewPCG(seed, uint64(exchange)))
		half := func(most int) int64 { return int64(random.IntN(2*most+1)) * 500_000_000 }
		reply := virtual.Reply{LatencyNs: half(4), Outcome: sched.OutcomeOK}
		reply.FirstTokenNs = reply.LatencyNs / 2
		if random.IntN(100) >= trouble {
			return reply
		}
		switch random.IntN(6) {
		case 0:
			reply.Outcome = sched.OutcomeError
		case 1:
			reply.Outcome = sched.OutcomeOverflow
		case 2:
			reply.Outcome, reply.Unanswered = sched.OutcomeError, true
		case 3:
			reply.HandleNs = half(3)
		case 4:
			reply.LatencyNs += half(20)
			reply.CancelNs = half(2)
		case 5: // a request that never answers ends by its timeout
			reply.LatencyNs, reply.FirstTokenNs = 60_000_000_000, -1
			reply.Outcome, reply.Unanswered = sched.OutcomeError, true
		}
		return reply
	}
}
