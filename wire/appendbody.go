package wire

// AppendBody appends the bytes of a request body to dst: what a client with these options sends for it.
// Only the options that shape bodies matter (Extra, LegacyMaxTokens, PerChunkUsage).
func AppendBody(dst []byte, options *Options, body *Body) []byte {
	var plan bodyPlan
	plan.plan(options, body)
	for _, segment := range plan.segments {
		dst = append(dst, segment...)
	}
	return dst
}
