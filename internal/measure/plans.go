package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"agentx/corpus"

	"github.com/klauspost/compress/zstd"
)

// planFacts are the recording's figures of every turn of a trace, without its messages.
type planFacts struct {
	trace         string
	conversations []conversationFacts
}

type conversationFacts struct {
	id, kind string
	depth    int
	turns    []PlanFacts
}

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// maxPlanBytes bounds an unpacked plan frame: the greatest of 640 real traces takes 2 MB.
const maxPlanBytes = 1 << 30

// readPlan reads a plan frame: the JSON of a corpus.Plan, packed or not.
func readPlan(frame []byte) (*planFacts, error) {
	if bytes.HasPrefix(frame, zstdMagic) {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlanBytes))
		if err != nil {
			return nil, fmt.Errorf("unpacking a plan frame: %w", err)
		}
		defer decoder.Close()
		if frame, err = decoder.DecodeAll(frame, nil); err != nil {
			return nil, fmt.Errorf("unpacking a plan frame: %w", err)
		}
	}
	var plan corpus.Plan
	if err := json.Unmarshal(frame, &plan); err != nil {
		return nil, fmt.Errorf("reading a plan frame: %w", err)
	}
	facts := &planFacts{trace: string(plan.Trace)}
	for i := range plan.Conversations {
		facts.conversations = append(facts.conversations, conversationOf(&plan.Conversations[i]))
	}
	return facts, nil
}

func conversationOf(c *corpus.Conversation) conversationFacts {
	facts := conversationFacts{id: string(c.ID), kind: string(c.Kind), depth: c.Depth}
	for i := range c.Turns {
		turn := &c.Turns[i]
		p := PlanFacts{
			Row: turn.Row, InnerRow: turn.InnerRow, In: Count(turn.In), Out: Count(turn.Out),
			TNs: NoStamp, GapNs: -1, HitBlocks: Count(turn.HitBlocks), TotalBlocks: Count(turn.TotalBlocks),
			HitTokens: Count(turn.HitTokens), ReachTokens: NoCount, InputKind: string(turn.Input),
		}
		if ns, ok := nanos(turn.TMs); ok {
			p.TNs = Stamp(ns)
		}
		if ns, ok := nanos(turn.APIMs); ok {
			p.APINs = ns
		}
		if ns, ok := nanos(turn.GapMs); ok {
			p.GapNs = ns
		}
		facts.turns = append(facts.turns, p)
	}
	return facts
}

// nanos is a recorded time in ns, rounded half to even once (spec decision 13a).
func nanos(m corpus.Millis) (int64, bool) {
	if !m.Present() {
		return 0, false
	}
	return int64(math.RoundToEven(float64(float64(m) * nsPerMs))), true
}
