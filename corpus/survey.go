package corpus

// Summary is what must be known of every trace of a corpus before the first one is built: the counts
// that size the filler text, the peaks that filters look at, and the evidence on nested times.
type Summary struct {
	Trace     TraceID `json:"trace"`
	Source    string  `json:"source"`
	BlockSize int     `json:"block_size"`
	// Windows is an upper bound of Layout.Ranks: distinct ids, fills and tails of all requests.
	Windows     int   `json:"windows"`
	Requests    int   `json:"requests"`   // all recorded ones
	RootTurns   int   `json:"root_turns"` // 0: nothing to send
	PeakContext int64 `json:"peak_context"`
	PeakIn      int64 `json:"peak_in"`
	// NestedRelative and NestedAbsolute count the subagents whose time basis is certain.
	NestedRelative int `json:"nested_relative"`
	NestedAbsolute int `json:"nested_absolute"`
}

// Survey summarises a trace and refuses it if Build would refuse it.
func Survey(trace *Trace, options Options) (Summary, error) {
	b, err := prepare(trace, options)
	if err != nil {
		return Summary{}, err
	}
	summary := Summary{Trace: trace.ID, Source: trace.Source, BlockSize: b.block, Windows: int(trace.volume(b.block).windows),
		PeakContext: b.plan.PeakContext}
	summary.PeakIn, _ = trace.peaks(&options)
	_, summary.NestedRelative, summary.NestedAbsolute = trace.evidences()
	for i := range trace.Rows {
		if agent := trace.Rows[i].Subagent; agent != nil {
			summary.Requests += len(agent.Requests)
			continue
		}
		summary.Requests++
	}
	summary.RootTurns = len(b.streams[0].calls)
	return summary, nil
}

// NestedConvention is the time basis that all certain subagents of a corpus share, BasisAuto if they
// disagree or there is none (spec decision 6). It goes into Trace.NestedFallback. The corpus is every
// trace given, before filters and caps.
func NestedConvention(summaries []Summary) TimeBasis {
	relative, absolute := 0, 0
	for _, summary := range summaries {
		relative += summary.NestedRelative
		absolute += summary.NestedAbsolute
	}
	switch {
	case relative > 0 && absolute == 0:
		return BasisRelative
	case absolute > 0 && relative == 0:
		return BasisAbsolute
	}
	return BasisAuto
}
