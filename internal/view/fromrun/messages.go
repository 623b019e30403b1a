package fromrun

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"agentx/corpus"
	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/view/messages"

	"github.com/klauspost/compress/zstd"
)

// Messages makes a turn-messages page's input from an analysed log: everything but texts, answers and the
// marker's place, which the caller adds where there are some.
func Messages(run *measure.Run, source measure.Source, title, from string) (*messages.Input, error) {
	input := &messages.Input{Title: title, Source: from, Plans: map[corpus.TraceID]*corpus.Plan{}}
	if p := run.Phase(measure.PhaseProfiling); p != nil && p.Start.Known() {
		input.Origin = int64(p.Start)
	}
	for _, models := range run.Models {
		plan, err := readPlan(source, models)
		if err != nil {
			return nil, fmt.Errorf("turn-messages of %s: plan of trace %s: %w", from, models.Trace, err)
		}
		if plan != nil {
			input.Plans[corpus.TraceID(models.Trace)] = plan
		}
	}
	addPlays(input, run)
	if id := run.Config.RunID; id != "" {
		input.Notes = append(input.Notes, "run "+id)
	}
	input.Notes = append(input.Notes, "warmup and profiling, every outcome; time 0 is the start of profiling")
	return input, nil
}

// addPlays puts records into plays and streams. Plays stand in the order of opening.
func addPlays(in *messages.Input, run *measure.Run) {
	records := map[int][]*measure.Record{}
	for _, r := range run.Records {
		records[r.Place.Stream] = append(records[r.Place.Stream], r)
	}
	streams := map[int][]*measure.Stream{}
	for _, s := range run.Streams {
		if s != nil {
			streams[s.Play] = append(streams[s.Play], s)
		}
	}
	for _, p := range run.Plays {
		if p == nil {
			continue
		}
		play := messages.Play{ID: int64(p.ID), Lane: p.Lane, Trace: corpus.TraceID(p.Trace), Replay: p.Pass, Opened: stamp(p.Opened)}
		if p.Marker != "" {
			play.Marker = "[rid:" + p.Marker + "]"
		}
		place := map[int]int{}
		for _, s := range streams[p.ID] {
			place[s.ID] = len(play.Streams)
			parent := -1
			if at, known := place[s.Parent]; known && s.Parent >= 0 {
				parent = at
			}
			play.Streams = append(play.Streams, streamOf(in, play.Trace, s, parent, records[s.ID]))
		}
		in.Plays = append(in.Plays, play)
	}
	slices.SortStableFunc(in.Plays, func(a, b messages.Play) int { return cmp.Compare(a.Opened, b.Opened) })
}

func streamOf(in *messages.Input, trace corpus.TraceID, s *measure.Stream, parent int, records []*measure.Record) messages.Stream {
	stream := messages.Stream{ID: int64(s.ID), Conversation: -1, Name: s.Conversation, Kind: s.Kind, Depth: s.Depth, Parent: parent, Fate: s.Fate}
	if plan := in.Plans[trace]; plan != nil {
		stream.Conversation = slices.IndexFunc(plan.Conversations, func(c corpus.Conversation) bool { return string(c.ID) == s.Conversation })
	}
	for _, r := range records {
		stream.Turns = append(stream.Turns, turnOf(r))
	}
	slices.SortStableFunc(stream.Turns, func(a, b messages.Turn) int { return cmp.Compare(a.Index, b.Index) })
	return stream
}

func turnOf(r *measure.Record) messages.Turn {
	turn := messages.Turn{
		Index: r.Place.Turn, Exchange: r.Exchange, Phase: string(r.Phase), Outcome: outcomeText(r),
		Failed: statusOf(r.Outcome).Pressed() && r.Outcome != measure.OutcomeNeverSent,
		Start:  stamp(r.Times.Start), FirstToken: stamp(r.Times.First), End: stamp(r.Times.End), Late: messages.None,
		Input: tally(r.Tokens.Input), Output: tally(r.Tokens.Output), Reasoning: tally(r.Tokens.Reasoning),
		Cached: tally(r.Tokens.Usage.CacheRead), Theory: tally(r.Plan.HitTokens), Reach: tally(r.Plan.ReachTokens),
		MaxTokens: tally(r.MaxTokens), HTTPStatus: r.HTTP.Status, Finish: r.Finish, RequestID: r.RequestID,
	}
	if r.Outcome == measure.OutcomeUnfinished {
		turn.End = messages.None
	}
	if late, known := r.Times.Start.Since(r.Times.Due); known {
		turn.Late = late
	}
	if r.Error != nil {
		turn.Error = r.Error.Message
	}
	return turn
}

// maxPlanBytes bounds an unpacked plan: a log is untrusted input.
const maxPlanBytes = 1 << 30

// readPlan reads the plan that a log holds of a trace; nil where it holds none.
func readPlan(source measure.Source, models eventlog.ModelMap) (*corpus.Plan, error) {
	var digest eventlog.Digest
	if n, err := hex.Decode(digest[:], []byte(models.Digest)); err != nil || n != len(digest) {
		return nil, fmt.Errorf("%q is no digest", models.Digest)
	}
	frame, found, err := source.Plan(digest)
	if err != nil || !found {
		return nil, err
	}
	if bytes.HasPrefix(frame, []byte{0x28, 0xb5, 0x2f, 0xfd}) { // zstd
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlanBytes))
		if err != nil {
			return nil, err
		}
		defer decoder.Close()
		if frame, err = decoder.DecodeAll(frame, nil); err != nil {
			return nil, err
		}
	}
	plan := new(corpus.Plan)
	if err := json.Unmarshal(frame, plan); err != nil {
		return nil, err
	}
	return plan, nil
}
