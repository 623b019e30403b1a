package measure

import (
	"fmt"
	"slices"
)

// Analysis is a run with everything computed that reports show.
type Analysis struct {
	*Run
	Selected   []*Record // requests of the chosen phase and subset
	Compatible *Set      // the peer's population, over the window from profiling start to the last return
	Own        *Set      // every request that was sent, over the configured duration
	Warmup     *Set      // nil without warmup requests
	Output     WindowOutput
	Slices     []Slice
	Population Population
	Errors     []ErrorGroup
	Sessions   []TreeRollup
	Verdict    Verdict
	Server     *ServerMetrics // nil: no metrics page was scraped
}

// Analyze reads a log and computes everything. An interrupted log is analysed as far as it goes; see
// Run.Interrupted.
func Analyze(source Source, options Options) (*Analysis, error) {
	f := newFolder(source)
	if err := f.fold(!options.NoChunks); err != nil {
		return nil, fmt.Errorf("analysing the log: %w", err)
	}
	run := f.run
	if gpus, told := run.Settings.Float("gpus"); told && options.GPUs == 0 {
		options.GPUs = int(gpus)
	}
	run.Options, run.Curves = options, !options.NoCurves
	if err := run.settle(); err != nil {
		return nil, err
	}
	a := run.compute()
	if !options.NoServerMetrics {
		server, err := readServer(source)
		if err != nil {
			return nil, err
		}
		a.Server = server
	}
	return a, nil
}

// settle decides what metric values depend on, and resolves the token counts.
func (r *Run) settle() error {
	if r.Config.RunID == "" && r.Config.Schema == 0 {
		return fmt.Errorf("analysing the log: it has no run configuration: expected a run_config event first; the run ended before it began, or this is not a log of agentx-run")
	}
	r.Basis = DefaultBasis()
	r.Basis.thresholds(r.Config.Env)
	r.Basis.OverflowSkipped = r.Config.Scenario != ""
	if r.serverTokens() {
		r.Basis.Source = TokensServer
	}
	goodput := r.Options.Goodput
	if goodput == "" {
		goodput = joinWords(r.Settings.List("goodput"))
	}
	objectives, err := ParseObjectives(goodput)
	if err != nil {
		return err
	}
	r.Basis.Objectives, r.Basis.RTTNs = objectives, r.roundTrip()
	for _, record := range r.Records {
		r.Basis.Resolve(record)
	}
	return nil
}

func (r *Run) serverTokens() bool {
	if r.Options.ServerTokens != nil {
		return *r.Options.ServerTokens
	}
	return r.Settings.Bool("use-server-token-count")
}

func joinWords(words []string) string {
	text := ""
	for i, word := range words {
		if i > 0 {
			text += " "
		}
		text += word
	}
	return text
}

// roundTrip is the network round trip in ns: the given mean, or that of the probes; 0 for none
// (spec wire 12).
func (r *Run) roundTrip() float64 {
	if mean, ok := r.Settings.Float("network-latency-mean"); ok && mean > 0 {
		return mean * nsPerMs
	}
	var values []float64
	for _, sample := range r.Network {
		if sample.Error == "" {
			values = append(values, float64(sample.RTTNs))
		}
	}
	if len(values) == 0 {
		return 0
	}
	return sum(values) / float64(len(values))
}

// SliceNs is the length of time slices; 0 for none.
func (r *Run) SliceNs() int64 {
	seconds, _ := r.Settings.Float("slice-duration")
	if r.Options.SliceSeconds != nil {
		seconds = *r.Options.SliceSeconds
	}
	return int64(seconds * nsPerSec)
}

func (r *Run) compute() *Analysis {
	phase := r.Options.Phase
	if phase == "" {
		phase = PhaseProfiling
	}
	a := &Analysis{Run: r, Selected: r.selected(phase)}
	how := How{Basis: &r.Basis, Window: r.compatibleWindow(phase), Chunks: r.Chunks, Curves: r.Curves}
	basis := r.Basis
	basis.SilentIsOK = true
	own := How{Basis: &basis, Window: r.OwnWindow(phase), Chunks: r.Chunks, Curves: r.Curves, Everyone: true}
	how.Shared = Share(a.Selected, how, own)
	own.Shared = how.Shared
	if slices.ContainsFunc(a.Selected, func(record *Record) bool { return record.Outcome == OutcomeNoVisibleOutput }) {
		own.Shared = how.Shared.without() // who failed differs
	}
	a.Compatible = Aggregate(a.Selected, how)
	a.Own = Aggregate(a.Selected, own)
	a.Output = OutputIn(r.EveryPhase(), a.Own.Window)
	if ns := r.SliceNs(); ns > 0 {
		a.Slices = SliceUp(a.Selected, how, ns)
	}
	if warmup := r.selected(PhaseWarmup); len(warmup) > 0 && phase != PhaseWarmup {
		how.Window, how.Shared = r.compatibleWindow(PhaseWarmup), nil
		a.Warmup = Aggregate(warmup, how)
	}
	a.Population = populate(a.Selected, r.Phases[phase])
	a.Errors = groupErrors(a.Selected, &r.Basis)
	a.Sessions = rollUp(r)
	a.Verdict = judge(r)
	return a
}

// selected are the requests of a phase that the options choose.
func (r *Run) selected(phase Phase) []*Record {
	from, to := r.bounds(phase)
	chosen := make([]*Record, 0, len(r.Records))
	for _, record := range r.Records {
		at := record.Times.Start
		if !at.Known() {
			at = record.Times.Due
		}
		early := from.Known() && (!at.Known() || at < from)
		late := to.Known() && (!at.Known() || at >= to)
		if record.Phase == phase && !early && !late && r.Options.choose(record, &r.Basis) {
			chosen = append(chosen, record)
		}
	}
	return chosen
}

// EveryPhase are the requests of all phases that the options choose, whenever they began: what came in
// a window may belong to requests from before it.
func (r *Run) EveryPhase() []*Record {
	return slices.DeleteFunc(slices.Clone(r.Records), func(record *Record) bool { return !r.Options.choose(record, &r.Basis) })
}

// bounds are the chosen start times, as moments.
func (r *Run) bounds(phase Phase) (from, to Stamp) {
	from, to = NoStamp, NoStamp
	p := r.Phases[phase]
	if p == nil || !p.Start.Known() {
		return from, to
	}
	if s := r.Options.FromSeconds; s != nil {
		from = p.Start + Stamp(*s*nsPerSec)
	}
	if s := r.Options.ToSeconds; s != nil {
		to = p.Start + Stamp(*s*nsPerSec)
	}
	return from, to
}

// compatibleWindow is the peer's: from the phase's start to the last return in it (decision 22). A
// chosen stretch replaces it.
func (r *Run) compatibleWindow(phase Phase) Window {
	p := r.Phases[phase]
	if p == nil {
		return NoWindow()
	}
	return r.narrowed(Window{p.Start, p.LastReturn}, phase)
}

// OwnWindow is from the phase's start to the end of the configured duration, or to the end of the
// phase where there is none, and never beyond the end of the log.
func (r *Run) OwnWindow(phase Phase) Window {
	p := r.Phases[phase]
	if p == nil {
		return NoWindow()
	}
	end := p.Planned()
	if !end.Known() {
		end = p.Complete
	}
	if !end.Known() || r.Interrupted() || p.WasCancelled {
		end = min(cmpKnown(end, r.LastNs), cmpKnown(p.Complete, r.LastNs))
	}
	return r.narrowed(Window{p.Start, end}, phase)
}

func cmpKnown(at, other Stamp) Stamp {
	if !at.Known() {
		return other
	}
	return at
}

func (r *Run) narrowed(w Window, phase Phase) Window {
	from, to := r.bounds(phase)
	if from.Known() {
		w.From = max(w.From, from)
	}
	if to.Known() {
		w.To = min(w.To, to)
	}
	return w
}

// profilingRecords are all requests of the profiling phase, whatever was chosen.
func (r *Run) profilingRecords() []*Record {
	return slices.DeleteFunc(slices.Clone(r.Records), func(record *Record) bool { return record.Phase != PhaseProfiling })
}
