package prep

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"agentx/corpus"
	"agentx/corpus/bundle"
	"agentx/corpus/weka"
	"agentx/internal/synth/filler"
	"agentx/internal/synth/token"
)

// assembly is the making of one bundle from a surveyed corpus. Of every trace it holds the counts and
// the packed layout between its two passes, and nothing else.
type assembly struct {
	job       *job
	units     []*weka.Unit // of the kept traces, in corpus order
	selection bundle.SelectionInfo
	tokenizer *token.Tokenizer
	writer    *bundle.Writer

	needs   []filler.Need
	layouts []bundle.PackedLayout
	infos   []bundle.TraceInfo
	facts   []corpus.Facts
	over    []int // turns that the marker takes over max-context-length
}

// selectTraces filters and caps.
func (j *job) selectTraces() (*assembly, error) {
	summaries := j.corpus.Summaries()
	selection, err := corpus.Select(summaries, j.options.Corpus)
	if err != nil {
		return nil, classed(Input, err)
	}
	names := func(indices []int) []corpus.TraceID {
		ids := []corpus.TraceID{}
		for _, i := range indices {
			ids = append(ids, summaries[i].Trace)
		}
		return ids
	}
	a := &assembly{job: j, selection: bundle.SelectionInfo{
		Scanned: selection.Scanned, NothingToSend: names(selection.NothingToSend), TooLong: names(selection.TooLong), OverISL: names(selection.OverISL),
		SmallestPeak: selection.SmallestPeak, LargestPeak: selection.LargestPeak,
	}}
	for _, i := range selection.Kept {
		a.units = append(a.units, j.corpus.Units[i])
	}
	n := len(a.units)
	a.needs, a.layouts, a.infos, a.facts = make([]filler.Need, n), make([]bundle.PackedLayout, n), make([]bundle.TraceInfo, n), make([]corpus.Facts, n)
	a.over = make([]int, n)
	return a, nil
}

// run writes all frames and finishes the bundle.
func (a *assembly) run(ctx context.Context) (*Result, error) {
	if err := a.plans(ctx); err != nil {
		return nil, err
	}
	j := a.job
	j.show.Line("making filler text (%s, seed %d)", j.options.Style, j.options.Seed)
	fit, err := filler.Fit(ctx, filler.Request{Style: j.options.Style, Seed: j.options.Seed, Tokenizer: a.tokenizer, Needs: a.needs, Lengths: j.options.fillerLengths})
	if ctx.Err() != nil {
		return nil, classed(Interrupted, ctx.Err())
	}
	if err != nil {
		return nil, classed(Input, err)
	}
	if err = a.writer.Filler(fit.Windows.Text, fit.Windows.Ends); err == nil {
		err = a.writer.Tokenizer(j.tokenizer.source.Data)
	}
	if err == nil && j.tokenizer.template != nil {
		err = a.writer.Template(j.tokenizer.template)
	}
	if err != nil {
		return nil, classed(Damage, err)
	}
	if err := a.texts(ctx, fit); err != nil {
		return nil, err
	}
	manifest := a.manifest(fit)
	content, size, err := a.writer.Finish(j.recipe, manifest)
	if err != nil {
		return nil, classed(Damage, err)
	}
	return &Result{Size: size, Key: j.key, Content: content, Manifest: manifest, Recipe: j.recipe}, nil
}

// plans is the first pass: the largest traces first, so that none is left over at the end.
func (a *assembly) plans(ctx context.Context) error {
	order := make([]int, len(a.units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(a.units[y].Size, a.units[x].Size) })
	work := a.job.show.Start("building traces", len(order))
	defer work.End()
	return forEach(ctx, a.job.options.Workers, order, func(i int) error {
		defer work.Step()
		return a.plan(i)
	})
}

// plan builds one trace, stores its plan and keeps what the second pass needs.
func (a *assembly) plan(i int) error {
	trace, err := a.units[i].Read()
	if err != nil {
		return classed(Input, err)
	}
	options := a.job.options
	if own := options.Corpus.BlockSize; own > 0 && own != trace.BlockSize && !options.Force {
		return classed(Usage, fmt.Errorf("trace %s was recorded with blocks of %d tokens, --isl-block-size says %d: block ids mean nothing at another size; leave it out, or add --force", trace.ID, trace.BlockSize, own))
	}
	plan, layout, facts, err := corpus.Build(trace, options.Corpus)
	if err != nil {
		return classed(Input, err)
	}
	if err := a.writer.Plan(i, plan); err != nil {
		return classed(Damage, err)
	}
	a.needs[i] = filler.Need{Trace: string(plan.Trace), BlockSize: plan.BlockSize, IDs: layout.IDs, Unique: layout.Unique}
	a.layouts[i], a.facts[i] = bundle.PackLayout(layout), facts
	a.infos[i], a.over[i] = describe(plan, layout), overLimit(plan, options.Corpus.MaxContextLength)
	return nil
}

// overLimit counts the turns that do not fit a context window once the marker stands in front.
func overLimit(plan *corpus.Plan, limit int64) int {
	over := 0
	for c := range plan.Conversations {
		for k := range plan.Conversations[c].Turns {
			turn := &plan.Conversations[c].Turns[k]
			if limit > 0 && turn.In+bundle.MarkerTokens+turn.MaxOut > limit {
				over++
			}
		}
	}
	return over
}

// describe is the trace's row in the manifest.
func describe(plan *corpus.Plan, layout *corpus.Layout) bundle.TraceInfo {
	info := bundle.TraceInfo{
		ID: plan.Trace, Source: plan.Source, BlockSize: plan.BlockSize, Conversations: len(plan.Conversations),
		PeakContext: plan.PeakContext, IDs: layout.IDs, Unique: len(layout.Unique),
	}
	for c := range plan.Conversations {
		turns := plan.Conversations[c].Turns
		info.Turns += len(turns)
		for t := range turns {
			info.In += turns[t].In
			info.Out += turns[t].Out
			info.Messages += len(turns[t].New)
		}
	}
	return info
}

// texts is the second pass: the windows of every trace.
func (a *assembly) texts(ctx context.Context, fit filler.Result) error {
	order := make([]int, len(a.units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(a.needs[y].Ranks(), a.needs[x].Ranks()) })
	dealers := sync.Pool{New: func() any { return fit.Windows.NewDealer(a.job.options.Seed) }}
	work := a.job.show.Start("writing texts", len(order))
	defer work.End()
	return forEach(ctx, a.job.options.Workers, order, func(i int) error {
		defer work.Step()
		dealer := dealers.Get().(*filler.Dealer)
		defer dealers.Put(dealer)
		starts, err := dealer.Deal(make([]uint32, 0, a.needs[i].Ranks()), &a.needs[i], fit.Firsts[i])
		if err != nil {
			return classed(Input, err)
		}
		return classed(Damage, a.writer.Text(i, a.layouts[i], starts))
	})
}

// manifest is everything but keys and digests, which the writer knows.
func (a *assembly) manifest(fit filler.Result) *bundle.Manifest {
	m := &bundle.Manifest{
		Filler: bundle.FillerInfo{Tokens: fit.Windows.Tokens(), Bytes: len(fit.Windows.Text), Length: fit.Tokens, Starts: map[string]int{}},
		Traces: a.infos, Selected: a.selection, UnknownFields: a.job.corpus.UnknownFields, Refused: []string{},
	}
	for i := range a.infos {
		info := &a.infos[i]
		size := strconv.Itoa(info.BlockSize)
		m.Filler.Starts[size] = len(fit.Windows.Starts(info.BlockSize))
		m.Facts.Add(a.facts[i])
		t := &m.Totals
		t.Traces++
		t.Conversations += info.Conversations
		t.Turns += info.Turns
		t.Messages += info.Messages
		t.In += info.In
		t.Out += info.Out
		t.IDs += int64(info.IDs)
		t.Windows += int64(info.IDs + info.Unique)
		t.PeakContext = max(t.PeakContext, info.PeakContext)
		t.OverLimit += a.over[i]
	}
	for _, refused := range a.job.corpus.Refused {
		m.Refused = append(m.Refused, refused.Error())
	}
	for _, file := range a.job.corpus.Files {
		m.Files = append(m.Files, bundle.FileInfo{Name: file.Name, Size: file.Size, BLAKE3: file.BLAKE3})
	}
	return m
}
