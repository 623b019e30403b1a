// Package runtest makes analysed runs in memory for tests: the real replay machine on generated traces,
// against the modelled server, under the virtual clock. It promises the same run for the same
// configuration, and takes a fraction of a second.
package runtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"agentx/corpus"
	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
	"agentx/internal/servermodel"
	"agentx/internal/simulate"
	"agentx/sched"
)

// Config shapes a run.
type Config struct {
	Seed     uint64 // of the schedule
	Corpus   uint64 // which corpus
	Traces   int
	Lanes    int
	Seconds  float64
	Settings map[string]any // recorded beside the usual ones
	Server   servermodel.Config
	Rename   func(trace string) string // of traces; may be nil
}

// Usual is a run of 300 s of 8 lanes on 12 traces, against a server that shares one accelerator among
// all requests.
func Usual(seed uint64) Config {
	return Config{Seed: seed, Traces: 12, Lanes: 8, Seconds: 300, Server: servermodel.Config{
		UnitTokens: 16, PrefillLimit: 1, PrefillTokensPerSecond: 4000, TokenNs: 8e6, DecodeSlowdown: 0.05, OverheadNs: 3e6,
	}}
}

// Analyse makes the run and analyses it.
func Analyse(c Config) (*measure.Analysis, error) {
	log, err := Log(c)
	if err != nil {
		return nil, err
	}
	return measure.Analyze(log, measure.Options{})
}

// Log makes the run's log.
func Log(c Config) (*logtest.Log, error) {
	log := logtest.New()
	settings := map[string]any{"concurrency": float64(c.Lanes), "random-seed": float64(c.Seed), "benchmark-duration": c.Seconds}
	for name, value := range c.Settings {
		settings[name] = value
	}
	config := logtest.Config("", settings)
	config.RunID = fmt.Sprintf("run-%d", c.Seed)
	config.Seed, config.Bundle.ContentDigest = c.Seed, strings.Repeat(fmt.Sprintf("%02x", c.Corpus+1), 32)
	log.Row(eventlog.KindRunConfig, 0, logtest.Nowhere(), config)
	log.Row(eventlog.KindAnchor, 0, logtest.Nowhere(), eventlog.Anchor{WallNs: logtest.WallNs, Why: "start"})
	plans := make([]*corpus.Plan, c.Traces)
	for i := range plans {
		plans[i] = plan(c, i)
		log.Trace(0, i, plans[i])
	}
	server, err := simulate.NewModel(c.Server, 1)
	if err != nil {
		return nil, err
	}
	machine := sched.DefaultConfig()
	duration, grace := int64(c.Seconds*1e9), int64(30e9)
	machine.Concurrency, machine.Seed, machine.DurationNs, machine.GraceNs = c.Lanes, c.Seed, &duration, &grace
	machine.BenchmarkID, machine.CacheBust = "0123456789abcdef0123456789abcdef", sched.CacheBustFirstTurnPrefix
	journal := simulate.NewJournal(machine, log.Add)
	journal.Complete = func(x *simulate.Exchange, end *eventlog.ExchangeEnd) { end.ReachTokens = x.CachedTokens + 16 }
	err = simulate.Run(context.Background(), simulate.Options{
		Machine: machine, Plans: plans, Server: server, UnitTokens: c.Server.UnitTokens,
		MarkerTokens: func(string) int64 { return 18 }, Observer: journal,
	})
	if err != nil {
		return nil, err
	}
	last := log.Rows()[log.Len()-1].AtNs
	log.Row(eventlog.KindRunEnd, last, logtest.Nowhere(), eventlog.RunEnd{Reason: "done"})
	return log, nil
}

// plan is a generated trace: a root of 8 to 20 turns, and in most traces a subagent that one of them
// spawns and a later one joins.
func plan(c Config, number int) *corpus.Plan {
	random := rand.New(rand.NewPCG(c.Corpus, uint64(number)))
	name := fmt.Sprintf("trace_%02d", number)
	if c.Rename != nil {
		name = c.Rename(name)
	}
	p := &corpus.Plan{Trace: corpus.TraceID(name), Source: name + ".json", BlockSize: 64, Models: []string{"m0"}}
	root := corpus.Conversation{ID: corpus.ConversationID(name), Kind: corpus.KindRoot, Parent: -1, Scope: name}
	root.Turns = turns(random, 8+random.IntN(13), 300+random.Int64N(2500), 0)
	p.Conversations = []corpus.Conversation{root}
	if random.IntN(4) > 0 {
		spawn := 1 + random.IntN(3)
		join := spawn + 1 + random.IntN(2)
		p.Conversations[0].Branches = []corpus.Branch{{ID: "b0", SpawnTurn: spawn, JoinTurn: join, StartMs: root.Turns[spawn].TMs + 500, Children: []int{1}}}
		p.Conversations[0].Turns[spawn].Spawns, p.Conversations[0].Turns[join].Joins = []int{0}, []int{0}
		id := name + "::sa:1"
		child := corpus.Conversation{ID: corpus.ConversationID(id), Kind: corpus.KindSubagent, Depth: 1, Scope: id}
		child.Turns = turns(random, 2+random.IntN(5), 200+random.Int64N(800), float64(root.Turns[spawn].TMs)+500)
		p.Conversations = append(p.Conversations, child)
	}
	return p
}

func turns(random *rand.Rand, count int, first int64, fromMs float64) []corpus.Turn {
	list := make([]corpus.Turn, count)
	in, at := first, fromMs
	for i := range list {
		out := 10 + random.Int64N(120)
		gap := 300 + 4000*random.Float64()*random.Float64()
		t := corpus.Turn{Row: i, InnerRow: -1, Type: "n", Out: out, MaxOut: out, TMs: corpus.Millis(at), APIMs: corpus.Millis(200 + 9*float64(out)),
			GapMs: corpus.Millis(gap), ThinkMs: corpus.Absent()}
		if i == 0 {
			t.GapMs = corpus.Absent()
			t.New = []corpus.Message{{Role: corpus.RoleUser, Tokens: in}}
		} else {
			before := list[i-1]
			added := 40 + random.Int64N(500)
			t.Keep, t.HitBlocks = 2*i-1, int(before.In/64)
			t.New = []corpus.Message{{Role: corpus.RoleAssistant, Tokens: before.Out}, {Role: corpus.RoleUser, Tokens: added}}
			in += before.Out + added
		}
		t.In, t.TotalBlocks, t.HitTokens = in, int(in/64), int64(t.HitBlocks)*64
		list[i] = t
		at += float64(t.APIMs) + gap
	}
	return list
}
