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
