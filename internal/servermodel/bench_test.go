package servermodel

import (
	"math"
	"testing"
)

// BenchmarkTurn is one turn of a conversation of about 120,000 tokens, 64 of them in turn: arrival,
// cache, first token, end.
func BenchmarkTurn(b *testing.B) {
	m, err := New(Config{BatchLimit: 64, PrefillLimit: 1, PrefillTokensPerSecond: 20000, TokenNs: 10e6, DecodeSlowdown: 0.01, CacheTokens: 4 << 20})
	if err != nil {
		b.Fatal(err)
	}
	lanes := make([]Keys, 64)
	for i := range lanes {
		for j := range 7000 {
			lanes[i].Unit(uint64(i)<<32 | uint64(j))
		}
	}
	now := int64(0)
	var events []Event
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		lane := &lanes[i%64]
		for j := range 60 {
			lane.Unit(uint64(i)<<40 | uint64(j))
		}
		if len(lane.keys) > 9000 {
			*lane = Keys{keys: lane.keys[:7000:7000], last: lane.keys[6999]}
		}
		events = m.Advance(now, events[:0])
		m.Arrive(now, Request{PromptTokens: len(lane.keys) * 16, Keys: lane.List(), MaxTokens: 400})
		now += 100e6
	}
	m.Advance(math.MaxInt64, nil)
}
