// Package fromrun turns an analysed log into the inputs of pages and pictures. It is a package of its own
// so that what draws depends on nothing but what it draws. It promises that nothing of a log is lost on
// the way: every record becomes a request of its stream, or is counted in the picture's notes.
package fromrun

import (
	"cmp"
	"fmt"
	"slices"

	"agentx/internal/measure"
	"agentx/internal/view/swimlane"
)

// About is what a log does not say about its picture.
type About struct {
	Title  string
	Source string
	Target int   // -c: the target line; 0 takes the run's --concurrency
	RampNs int64 // --ramp: 0 takes the run's --concurrency-ramp-duration
}

// SwimLane makes the picture of an analysed log. It reads the log once more for what the analysis does
// not keep: jumps of the idle guards, when gates opened, waits before a recycle.
func SwimLane(run *measure.Run, source measure.Source, about About) (*swimlane.Run, error) {
	detail, err := readDetail(source)
	if err != nil {
		return nil, fmt.Errorf("swim-lane of %s: %w", about.Source, err)
	}
	out := &swimlane.Run{Title: about.Title, Source: about.Source, Target: about.Target, Marks: marksOf(run, about), Shifts: detail.shifts}
	if out.Target == 0 {
		concurrency, _ := run.Settings.Float("concurrency")
		out.Target = int(concurrency)
	}
	b := &builder{run: run, out: out, detail: detail, streamAt: map[int][2]int{}}
	b.trees()
	b.requests()
	b.waits()
	b.finish()
	b.curves()
	server, err := serverCurves(source)
	if err != nil {
		return nil, fmt.Errorf("swim-lane of %s: %w", about.Source, err)
	}
	out.Curves = append(out.Curves, server...)
	if out.Plans, err = plannedMessages(run, source); err != nil {
		return nil, fmt.Errorf("swim-lane of %s: %w", about.Source, err)
	}
	return out, nil
}

// curves folds the requests; what depends on when tokens came is taken from the analysis where it read
// the chunks.
func (b *builder) curves() {
	b.out.Curves = swimlane.Fold(b.out)
	if !b.run.Chunks {
		b.out.Notes = append(b.out.Notes, "decode rates are spread evenly between first token and end")
		return
	}
	b.out.Notes = append(b.out.Notes, "tokens in flight and rates are of valid requests, chunk by chunk")
	end := max(b.out.Marks.End, 1)
	exact := map[string]*swimlane.Binned{
		swimlane.NameTokens: swimlane.NewBinned(0, end, false), swimlane.NamePrefill: swimlane.NewBinned(0, end, true), swimlane.NameDecode: swimlane.NewBinned(0, end, true),
	}
	tokens, prefill, decode := exact[swimlane.NameTokens], exact[swimlane.NamePrefill], exact[swimlane.NameDecode]
	b.run.WalkCurves(func(at measure.Stamp, v measure.CurveValues) {
		tokens.Add(int64(at), v.Tokens)
		prefill.Add(int64(at), v.Prefill)
		decode.Add(int64(at), v.Decode)
	})
	for i := range b.out.Curves {
		if binned := exact[b.out.Curves[i].Name]; binned != nil {
			b.out.Curves[i].Steps = binned.Steps()
		}
	}
}

// builder puts the records of an analysis into trees.
type builder struct {
	run      *measure.Run
	out      *swimlane.Run
	detail   *detail
	streamAt map[int][2]int // stream id → (play index, stream index)
	homeless int            // records of no stream that the log knows
}

func (b *builder) trees() {
	playAt := map[int]int{}
	for _, p := range b.run.Plays {
		if p == nil {
			continue
		}
		playAt[p.ID] = len(b.out.Plays)
		b.out.Lanes = max(b.out.Lanes, p.Lane+1)
		b.out.Plays = append(b.out.Plays, swimlane.Play{
			ID: int64(p.ID), Lane: p.Lane, Trace: p.Trace, Opened: stamp(p.Opened), Drained: stamp(p.Ended), How: p.Kind, Marker: p.Marker,
		})
	}
	for _, s := range b.run.Streams {
		if s == nil {
			continue
		}
		at, known := playAt[s.Play]
		if !known {
			continue
		}
		play := &b.out.Plays[at]
		fate := s.Fate
		if fate == "open" {
			fate = ""
		}
		b.streamAt[s.ID] = [2]int{at, len(play.Streams)}
		play.Streams = append(play.Streams, swimlane.Stream{
			ID: int64(s.ID), Conversation: s.Conversation, Kind: s.Kind, Depth: s.Depth, Parent: -1, SpawnTurn: -1, JoinTurn: s.Join,
			Opened: stamp(s.Opened), Closed: stamp(s.Closed), Fate: fate,
		})
	}
	concurrency, _ := b.run.Settings.Float("concurrency")
	b.out.Lanes = max(b.out.Lanes, int(concurrency))
}

func (b *builder) requests() {
	for _, r := range b.run.Records {
		at, known := b.streamAt[r.Place.Stream]
		if !known {
			b.homeless++
			continue
		}
		stream := &b.out.Plays[at[0]].Streams[at[1]]
		request := requestOf(r)
		if refused, known := b.detail.refused[turnKey{int64(r.Place.Stream), int64(r.Place.Turn)}]; known && request.Start == swimlane.None && request.Due == swimlane.None {
			request.Due = refused // it was refused before its due time was worked out
		}
		stream.Requests = append(stream.Requests, request)
	}
	for p := range b.out.Plays {
		for s := range b.out.Plays[p].Streams {
			requests := b.out.Plays[p].Streams[s].Requests
			slices.SortStableFunc(requests, func(a, b swimlane.Request) int { return cmp.Compare(placeOf(&a), placeOf(&b)) })
		}
	}
	for _, s := range b.run.Streams {
		if s != nil {
			b.link(s)
		}
	}
}

// placeOf is where a request stands on the axis: where it was sent, or due.
func placeOf(request *swimlane.Request) int64 {
	if request.Start == swimlane.None {
		return request.Due
	}
	return request.Start
}

// link finds a stream's parent, and the parent's turn that started it: the last one that had returned
// when the stream opened, or, for a child started while its parent's turn ran, the last that was sent.
func (b *builder) link(s *measure.Stream) {
	at, known := b.streamAt[s.ID]
	parent, alive := b.streamAt[s.Parent]
	if !known || !alive || s.Parent < 0 || parent[0] != at[0] {
		return
	}
	streams := b.out.Plays[at[0]].Streams
	child := &streams[at[1]]
	child.Parent = parent[1]
	for i := range streams[parent[1]].Requests {
		request := &streams[parent[1]].Requests[i]
		began := request.End
		if s.Origin == "spawn_issue" {
			began = request.Start
		}
		spawned := s.Origin == "spawn_issue" || s.Origin == "spawn_return"
		if spawned && began != swimlane.None && began <= child.Opened {
			child.SpawnTurn = request.Turn
		}
	}
}

func requestOf(r *measure.Record) swimlane.Request {
	request := swimlane.Request{
		Turn: r.Place.Turn, Exchange: r.Exchange, Status: statusOf(r.Outcome), Outcome: outcomeText(r), InFlight: r.InFlight,
		Due: stamp(r.Times.Due), Start: stamp(r.Times.Start), FirstToken: stamp(r.Times.First), End: stamp(r.Times.End),
		Input: tally(r.Tokens.Input), Output: tally(r.Tokens.Output), Reasoning: tally(r.Tokens.Reasoning),
		Cached: tally(r.Tokens.Usage.CacheRead), TheoryHit: tally(r.Plan.HitTokens), Reach: tally(r.Plan.ReachTokens), MaxTokens: tally(r.MaxTokens),
		RecordedIn: tally(r.Plan.In), RecordedOut: tally(r.Plan.Out), RecordedAPI: swimlane.None, Gap: swimlane.None,
		HTTPStatus: r.HTTP.Status, Finish: r.Finish, RequestID: r.RequestID,
	}
	if r.Phase == measure.PhaseProfiling {
		request.Phase = swimlane.Profiling
	}
	if r.Plan.APINs > 0 {
		request.RecordedAPI = r.Plan.APINs
	}
	if r.Plan.GapNs >= 0 {
		request.Gap = r.Plan.GapNs
	}
	if r.Error != nil {
		request.Error = r.Error.Message
	}
	if r.Outcome == measure.OutcomeUnfinished {
		request.End = swimlane.None
	}
	return request
}

// outcomeText is the outcome with what tells it closer.
func outcomeText(r *measure.Record) string {
	text := string(r.Outcome)
	for _, part := range []string{r.Class, r.Reason} {
		if part != "" && part != text {
			text += ", " + part
		}
	}
	return text
}

func statusOf(outcome measure.Outcome) swimlane.Status {
	switch {
	case outcome == measure.OutcomeOK:
		return swimlane.OK
	case outcome == measure.OutcomeNoVisibleOutput:
		return swimlane.Silent
	case outcome == measure.OutcomeOverflow:
		return swimlane.Overflow
	case outcome == measure.OutcomeAbandoned:
		return swimlane.Abandoned
	case outcome == measure.OutcomeUnfinished:
		return swimlane.Unfinished
	case outcome == measure.OutcomeNeverSent:
		return swimlane.NeverSent
	case outcome.IsCancelled():
		return swimlane.Cancelled
	default:
		return swimlane.Failed
	}
}

func stamp(s measure.Stamp) int64 {
	if !s.Known() {
		return swimlane.None
	}
	return int64(s)
}

func tally(c measure.Count) int64 {
	if !c.Known() {
		return swimlane.None
	}
	return int64(c)
}
