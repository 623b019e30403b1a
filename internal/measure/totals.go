package measure

// Totals are the sums over one population of records that the run-level numbers are made of.
type Totals struct {
	Valid, Errors, Skipped, Overflows, NoVisible int
	Streamed                                     int // of the valid ones
	Good                                         int
	Objectives                                   bool
	Window                                       Window // of the throughputs; the peer's when compatible
	FirstStart, LastContent                      Stamp  // over valid records
	ISL, OSL, Output, Reasoning, ErrorISL        Count
	Usage                                        UsageCounts // sums
	HitBlocks, TotalBlocks                       int64       // over valid records whose turn has both
	HitTokens, PlannedTokens                     int64       // the same, in tokens, over all recorded input
	Captured                                     Captured
	RTTNs                                        float64
	e2eSecondsPerToken                           []float64
}

// Captured pairs the tokens that the server reported as cached with those that it could have had
// (decision 32), over requests that report cached tokens and have a reachable hit.
type Captured struct {
	Reporting int // valid requests that report cached tokens
	Pairs     int
	Cached    int64
	Reach     int64
	Planned   int64 // recorded input tokens of the pairs: what Reach and Theory are parts of
	Theory    int64 // theoretical hit tokens of the pairs
}

// total sums records of one phase. Records that are neither valid nor errors nor skipped overflows
// (cancelled, never sent) add nothing.
func total(records []*Record, basis *Basis, window Window) *Totals {
	t := &Totals{
		Window: window, FirstStart: NoStamp, LastContent: NoStamp, Objectives: len(basis.Objectives) > 0, RTTNs: basis.RTTNs,
		ISL: NoCount, OSL: NoCount, Output: NoCount, Reasoning: NoCount, ErrorISL: NoCount, Usage: noUsage(),
	}
	for _, r := range records {
		t.countFailure(r, basis)
		if r.Valid() {
			t.add(r, basis)
		}
	}
	return t
}

func (t *Totals) countFailure(r *Record, basis *Basis) {
	if r.Outcome == OutcomeOverflow {
		t.Overflows++
	}
	if r.Outcome == OutcomeNoVisibleOutput {
		t.NoVisible++
	}
	if basis.IsSkipped(r) {
		t.Skipped++
	}
	if basis.IsError(r) {
		t.Errors++
		if basis.Source != TokensServer {
			t.ErrorISL = sumCounts(t.ErrorISL, r.Tokens.LocalInput)
		}
	}
}

func (t *Totals) add(r *Record, basis *Basis) {
	t.Valid++
	if r.Streams {
		t.Streamed++
	}
	if value, ok := good(r, basis); ok && value > 0 {
		t.Good++
	}
	if !t.FirstStart.Known() || r.Times.Start < t.FirstStart {
		t.FirstStart = r.Times.Start
	}
	t.LastContent = max(t.LastContent, r.Times.Last)
	t.ISL = sumCounts(t.ISL, r.Tokens.Input)
	t.OSL = sumCounts(t.OSL, r.OSL())
	t.Output = sumCounts(t.Output, r.Tokens.Output)
	t.Reasoning = sumCounts(t.Reasoning, r.Tokens.Reasoning)
	t.addUsage(&r.Tokens.Usage)
	t.addHits(r)
	if ns, ok := latency(r); ok && r.OSL().Known() && r.OSL() > 0 {
		t.e2eSecondsPerToken = append(t.e2eSecondsPerToken, ns/nsPerSec/float64(r.OSL()))
	}
}

func (t *Totals) addUsage(u *UsageCounts) {
	s := &t.Usage
	s.Reported = s.Reported || u.Reported
	for _, pair := range [...]struct {
		sum  *Count
		more Count
	}{
		{&s.Prompt, u.Prompt}, {&s.Completion, u.Completion}, {&s.Total, u.Total}, {&s.Reasoning, u.Reasoning},
		{&s.CacheRead, u.CacheRead}, {&s.CacheWrite, u.CacheWrite}, {&s.CacheMiss, u.CacheMiss},
		{&s.AcceptedPrediction, u.AcceptedPrediction}, {&s.RejectedPrediction, u.RejectedPrediction},
		{&s.ToolUsePrompt, u.ToolUsePrompt},
	} {
		*pair.sum = sumCounts(*pair.sum, pair.more)
	}
}

func (t *Totals) addHits(r *Record) {
	p := &r.Plan
	if p.HitBlocks.Known() && p.TotalBlocks.Known() && p.TotalBlocks > 0 {
		t.HitBlocks += int64(min(max(p.HitBlocks, 0), p.TotalBlocks))
		t.TotalBlocks += int64(p.TotalBlocks)
	}
	if p.HitTokens.Known() && p.In.Known() {
		t.HitTokens += int64(p.HitTokens)
		t.PlannedTokens += int64(p.In)
	}
	if cached := r.Tokens.Usage.CacheRead; cached.Known() {
		t.Captured.Reporting++
		// Reach is counted in planned tokens. A server whose tokenizer counts otherwise must not shift the share
		// that was reachable, so the share is of planned tokens too.
		if p.ReachTokens.Known() && p.In.Known() {
			t.Captured.Pairs++
			t.Captured.Cached += int64(cached)
			t.Captured.Reach += int64(p.ReachTokens)
			t.Captured.Planned += p.In.Or(0)
			t.Captured.Theory += p.HitTokens.Or(0)
		}
	}
}

// BenchmarkSeconds is from the first start to the last content over valid records; false without any.
func (t *Totals) BenchmarkSeconds() (float64, bool) {
	ns, ok := t.LastContent.Since(t.FirstStart)
	return float64(ns) / nsPerSec, ok && t.Valid > 0
}

// WindowSeconds is the denominator of throughputs: the window, or where none is known the benchmark
// duration (spec metrics 3); false where neither is longer than 0.
func (t *Totals) WindowSeconds() (float64, bool) {
	if t.Window.Known() {
		return t.Window.Seconds(), true
	}
	seconds, ok := t.BenchmarkSeconds()
	return seconds, ok && seconds > 0
}
