package measure

// CurveValues are the curves of a run from one moment to the next (spec metrics 4).
type CurveValues struct {
	InFlight float64 // requests, whatever becomes of them
	Tokens   float64 // in flight, of valid requests
	Prefill  float64 // input tokens/s, between start and first token
	Decode   float64 // output tokens/s, chunk by chunk where chunks were read, else evenly from first token to end
}

// WalkCurves calls visit at every moment at which a curve of the run's requests changes, both phases, in
// order of time, with the values from then on. A long run has tens of millions of such moments.
func (r *Run) WalkCurves(visit func(at Stamp, values CurveValues)) {
	sweep := newSweeper(sweepRequests(r.Records, r.Chunks, &r.Basis), r.Chunks)
	sweep.walk(func(at int64, v *curves, _ uint32) {
		visit(Stamp(at), CurveValues{InFlight: v[curveEveryone], Tokens: v[curveTokens], Prefill: v[curvePrefill], Decode: v[curveDecode]})
	})
}

// PlaceOutput gives out the output tokens of a request at the times at which they came, by the rule of
// WindowOutput.OutputTokens; nothing where nobody counted them.
func PlaceOutput(r *Record, give func(at Stamp, tokens float64)) {
	var counts WindowOutput
	counts.place(r, give)
}

// FirstSeen is when the first output of a request came, by the rule of WindowOutput.InputTokens.
func FirstSeen(r *Record) Stamp { return firstSeen(r) }
