package measure

// TokenSource says whose token counts the metrics use.
type TokenSource string

// The sources.
const (
	TokensLocal  TokenSource = "local"  // the bundle's tokenizer
	TokensServer TokenSource = "server" // the usage object of the answer (--use-server-token-count)
)

// Basis is what metric values depend on besides the record.
type Basis struct {
	Source          TokenSource
	OverflowSkipped bool    // overflows are left out of errors, as under the scenario
	SilentIsOK      bool    // an answer without visible content is no error (decision 14); it is one for the peer
	RTTNs           float64 // network round trip for the network-adjusted metrics; 0: none
	Objectives      []Objective
	MismatchPct     float64 // output length may differ by this share of the requested length …
	MismatchTokens  float64 // … or by this many tokens, whichever is less
	UsagePct        float64 // server and local counts may differ by this much
}

// DefaultBasis has the peer's thresholds.
func DefaultBasis() Basis {
	basis := Basis{Source: TokensLocal}
	basis.thresholds(nil)
	return basis
}

// IsError reports whether the record is an error for the peer's files: a failure, or an answer without
// visible content, or an overflow where these are not skipped (decisions 14, 17).
func (b *Basis) IsError(r *Record) bool {
	if r.Outcome == OutcomeOverflow {
		return !b.OverflowSkipped
	}
	return r.Outcome.IsError() || r.Outcome == OutcomeNoVisibleOutput && !b.SilentIsOK
}

// IsSkipped reports whether the record is an overflow that counts in no metric but its own.
func (b *Basis) IsSkipped(r *Record) bool { return r.Outcome == OutcomeOverflow && b.OverflowSkipped }

// Resolve sets the record's token counts from the source (spec metrics 0, token counting 1 and 2).
// Server counts: output is completion minus reasoning, not below 0. An answer without usage has no
// counts then.
func (b *Basis) Resolve(r *Record) {
	t := &r.Tokens
	if b.Source != TokensServer {
		t.Input, t.Output, t.Reasoning = t.LocalInput, t.LocalOutput, t.LocalReasoning
		return
	}
	t.Input, t.Output, t.Reasoning = t.Usage.Prompt, NoCount, t.Usage.Reasoning
	if t.Usage.Completion.Known() {
		t.Output = max(t.Usage.Completion-Count(t.Usage.Reasoning.Or(0)), 0)
	}
}
