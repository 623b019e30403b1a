package wire

// AppendBody appends the bytes of a request body to dst: what a client with these options sends for it.
// Only the options that shape bodies matter (Extra, LegacyMaxTokens, PerChunkUsage).
func AppendBody(dst []byte, options *Options, body *Body) []byte {
	var plan bodyPlan
	plan.plan(options, body)
	return plan.appendTo(dst)
}

func (p *bodyPlan) appendTo(dst []byte) []byte {
	var pieces [][]byte
	for _, segment := range p.segments {
		dst = append(dst, segment.frame...)
		if segment.text == nil {
			continue
		}
		pieces = segment.text.AppendPieces(pieces[:0])
		for _, piece := range pieces {
			dst = append(dst, piece...)
		}
	}
	return dst
}
