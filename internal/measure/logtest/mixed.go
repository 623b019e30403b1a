package logtest

import (
	"slices"

	"agentx/corpus"
	"agentx/eventlog"
)

// WallNs is the wall time of run start in the logs of this package: 2026-01-01 00:00:00 UTC.
const WallNs = int64(1767225600) * 1e9

// Mixed is a run with a little of everything, on two lanes: a warmup with two primers; a profiling
// phase of 10 s with a grace of 2 s; a tree with a subagent; answers with text, reasoning and running
// counts; a 503, an answer without visible output, a context overflow, a request that is cancelled when
// the grace ends, and a turn that is refused.
func Mixed() *Log {
	l := New()
	l.head("inferencex-agentx-mvp", map[string]any{"unsafe-override": true, "benchmark-duration": 10.0})
	l.warmup()
	l.profiling()
	l.tail()
	return l
}

// Config is the run configuration of the logs of this package.
func Config(scenario string, settings map[string]any) eventlog.RunConfig {
	all := map[string]any{
		"concurrency": 2.0, "cache-bust": "first_turn_prefix", "streaming": true, "extra-inputs": []any{"ignore_eos:true"},
		"system-idle-gap-cap-seconds": 10.0, "trajectory-start-min-ratio": 0.0, "trajectory-start-max-ratio": 1.0,
		"benchmark-grace-period": 2.0, "random-seed": 42.0, "url": []any{"http://127.0.0.1:8000"}, "model": []any{"served"},
		"dataset-sampling-strategy": "sequential", "join-policy": "max", "spawn-policy": "recorded",
	}
	explicit := []string{"concurrency", "model", "random-seed", "url"}
	for name, value := range settings {
		all[name] = value
		if name == "unsafe-override" || name == "benchmark-duration" {
			explicit = append(explicit, name)
		}
	}
	slices.Sort(explicit)
	return eventlog.RunConfig{
		Schema: 1, Program: "agentx-run", Version: "0.1.0", RunID: "run-1", BenchmarkID: "0123456789abcdef0123456789abcdef",
		Scenario: scenario, Args: []string{"agentx-run", "--concurrency", "2"}, Settings: all, Explicit: explicit, Seed: 42,
		URLs: []string{"http://127.0.0.1:8000"}, Models: []string{"served"}, Trial: 0, Trials: 1,
		Bundle: eventlog.BundleInfo{Path: "sample.bundle", Key: "aa", ContentDigest: "bb", Traces: []string{"alpha", "beta"},
			Manifest: map[string]any{"recipe": map[string]any{"source": map[string]any{"evidence": "local"}, "options": corpus.DefaultOptions()}}},
		Host: eventlog.HostInfo{Name: "host", OS: "linux", Arch: "amd64", CPUs: 2, Go: "go1.26", PID: 1},
	}
}

func (l *Log) head(scenario string, settings map[string]any) {
	l.Row(eventlog.KindRunConfig, 0, Nowhere(), Config(scenario, settings))
	l.Row(eventlog.KindAnchor, 0, Nowhere(), eventlog.Anchor{WallNs: WallNs, Why: "start"})
	l.Trace(0, 0, Alpha())
	l.Trace(0, 1, Beta())
}

// Alpha is a trace of a root with five turns and a subagent with two, spawned by turn 1 and joined by
// turn 2.
func Alpha() *corpus.Plan {
	plan := basePlan("alpha", []int64{64, 192, 320, 448, 512})
	plan.Conversations[0].Branches = []corpus.Branch{{ID: "b0", SpawnTurn: 1, JoinTurn: 2, StartMs: 1500, Children: []int{1}}}
	plan.Conversations[0].Turns[1].Spawns, plan.Conversations[0].Turns[2].Joins = []int{0}, []int{0}
	child := corpus.Conversation{ID: "alpha::sa:a1", Kind: corpus.KindSubagent, Depth: 1, Parent: 0, Scope: "alpha::sa:a1"}
	child.Turns = planTurns([]int64{128, 256}, 2000)
	plan.Conversations = append(plan.Conversations, child)
	return plan
}

// Beta is a trace of a root with three turns.
func Beta() *corpus.Plan { return basePlan("beta", []int64{128, 256, 384}) }

func basePlan(trace corpus.TraceID, inputs []int64) *corpus.Plan {
	return &corpus.Plan{
		Trace: trace, Source: string(trace) + ".json", BlockSize: 64, Models: []string{"m0"},
		Conversations: []corpus.Conversation{{
			ID: corpus.ConversationID(trace), Kind: corpus.KindRoot, Parent: -1, Scope: string(trace), Turns: planTurns(inputs, 0),
		}},
	}
}

func planTurns(inputs []int64, fromMs float64) []corpus.Turn {
	turns := make([]corpus.Turn, len(inputs))
	for i, in := range inputs {
		turns[i] = corpus.Turn{
			Row: i, InnerRow: -1, Type: "n", In: in, Out: 8, MaxOut: 8, TMs: corpus.Millis(fromMs + float64(1000*i)), APIMs: 400,
			GapMs: 600, ThinkMs: corpus.Absent(), HitBlocks: int(in/64) - 1, TotalBlocks: int(in / 64), HitTokens: in - 64,
			New: []corpus.Message{{Role: corpus.RoleUser, Tokens: in}},
		}
	}
	turns[0].GapMs, turns[0].HitBlocks, turns[0].HitTokens = corpus.Absent(), 0, 0
	return turns
}

func (l *Log) tree(ms int64, play, lane int64, trace, kind string, pass int) {
	l.Row(eventlog.KindTreeOpen, ms*msNs, At{lane, play, -1, -1, -1}, map[string]any{
		"phase": "warmup", "plan": 0, "trace": trace, "kind": kind, "pass": pass, "marker": marker(play)})
}

func marker(play int64) string { return []string{"00000000000a", "00000000000b", "00000000000c"}[play] }

func (l *Log) stream(ms int64, at At, conversation int, id string, depth int, parent int64, turns, join int) {
	l.Row(eventlog.KindStreamOpen, ms*msNs, at, map[string]any{"c": conversation, "id": id, "depth": depth, "parent": parent,
		"turns": turns, "next": 1, "origin": "snapshot", "branch": -1, "join": join, "url": 0})
	root, parentName := session(at.Stream), ""
	if parent >= 0 {
		root, parentName = session(parent), session(parent)
	}
	l.Row(eventlog.KindStreamNames, ms*msNs, at, eventlog.StreamNames{Session: session(at.Stream), Parent: parentName, Root: root})
}

func session(stream int64) string {
	return []string{"10000000-0000-4000-8000-000000000000", "10000000-0000-4000-8000-000000000001", "10000000-0000-4000-8000-000000000002", "10000000-0000-4000-8000-000000000003"}[stream]
}

func (l *Log) warmup() {
	l.Row(eventlog.KindPhaseStart, 0, Nowhere(), map[string]any{"phase": "warmup", "lanes": 2})
	l.tree(0, 0, 0, "alpha", "full", 0)
	l.stream(0, At{0, 0, 0, -1, -1}, 0, "alpha", 0, -1, 5, -1)
	l.tree(0, 1, 1, "beta", "full", 0)
	l.stream(0, At{1, 1, 1, -1, -1}, 0, "beta", 0, -1, 3, -1)
	l.Send(Request{At: At{0, 0, 0, 0, 0}, Phase: "warmup", Credit: 0, Due: 0, Sent: 0, Chunks: []int64{100}, Tail: 101, End: 102,
		Prompt: 82, Output: 1, Cached: 0, Max: 1, Primer: true, Marker: marker(0)})
	l.Send(Request{At: At{1, 1, 1, 0, 1}, Phase: "warmup", Credit: 1, Due: 500, Sent: 500, Chunks: []int64{620}, Tail: 621, End: 622,
		Prompt: 146, Output: 1, Cached: 0, Max: 1, Primer: true, Marker: marker(1)})
	l.Row(eventlog.KindSendingComplete, 500*msNs, Nowhere(), map[string]any{"phase": "warmup", "why": "primers_sent", "sent": 2})
	l.Row(eventlog.KindPhaseComplete, 622*msNs, Nowhere(), map[string]any{"phase": "warmup", "counts": map[string]any{"sent": 2, "completed": 2}})
}
