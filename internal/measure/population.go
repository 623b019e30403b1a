package measure

// Population says what became of every request of a phase, so that nothing disappears
// (spec metrics 10.2).
type Population struct {
	Outcomes         map[Outcome]int
	Total            int
	Sent             int
	Valid            int
	InFlightAtEnd    int // were running when the configured duration ended
	CompletedInGrace int // of these, came back by themselves
	CancelledAtGrace int
	Refused          map[string]int // never sent, by reason
	Voided           int            // turns behind an early end of their stream
	Unsent           int            // turns left in streams that a stop truncated
	Classes          map[string]int // error classes of the wire
	Resends          int
	Connections      int // opened by these requests
	IncompleteEnds   int
	LocalCountLacks  int // answers without local token counts
	CachedReported   int
	UsageReported    int
	ChunksDiffer     int // answers whose logged chunks are not as many as the wire counted
	FirstChunkCounts int // answers whose inter-token latency leaves out the tokens of the first chunk
}

func populate(records []*Record, phase *PhaseInfo) Population {
	p := Population{Outcomes: map[Outcome]int{}, Refused: map[string]int{}, Classes: map[string]int{}, Total: len(records)}
	if phase != nil {
		p.Voided, p.Unsent = phase.Voided, phase.Unsent
	}
	for _, r := range records {
		p.add(r)
	}
	return p
}

func (p *Population) add(r *Record) {
	p.Outcomes[r.Outcome]++
	if r.Outcome == OutcomeNeverSent {
		p.Refused[r.Reason]++
		return
	}
	p.Sent++
	if r.InFlight {
		p.InFlightAtEnd++
		if !r.Outcome.IsCancelled() && r.Outcome != OutcomeUnfinished {
			p.CompletedInGrace++
		}
	}
	if r.Outcome == OutcomeCancelledGrace {
		p.CancelledAtGrace++
	}
	if r.Class != "" {
		p.Classes[r.Class]++
	}
	p.Resends += r.HTTP.Resends
	if r.Times.SendStart.Known() && !r.HTTP.Reused {
		p.Connections++
	}
	if r.Incomplete {
		p.IncompleteEnds++
	}
	if r.Valid() {
		p.Valid++
		if !r.Tokens.LocalOutput.Known() && !r.Tokens.LocalReasoning.Known() {
			p.LocalCountLacks++
		}
		if r.Trail.Len() > 0 && r.Trail.Len() != r.Chunks {
			p.ChunksDiffer++
		}
		if k := r.Tokens.FirstChunk; k.Known() && k > 0 && k < r.OSL() {
			p.FirstChunkCounts++
		}
		if r.Tokens.Usage.Reported {
			p.UsageReported++
		}
		if r.Tokens.Usage.CacheRead.Known() {
			p.CachedReported++
		}
	}
}

// Cancelled is how many requests the run ended itself.
func (p *Population) Cancelled() int {
	count := 0
	for outcome, n := range p.Outcomes {
		if outcome.IsCancelled() {
			count += n
		}
	}
	return count
}
