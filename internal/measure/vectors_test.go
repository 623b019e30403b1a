package measure

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ms is a moment or a length in test input.
const ms = int64(1e6)

// sample describes one request of a vector: times in ms, chunks relative to start.
type sample struct {
	start, issued       int64
	chunks              []int64
	reasoning           int // how many leading chunks are reasoning
	raw                 int64
	isl, osl, think     int64 // -1: not counted
	max                 int64 // 0: no limit sent
	firstTokens         int64
	prompt, done, total int64 // usage, 0: not reported
	cached              int64
	outcome             Outcome
}

func (s sample) record() *Record {
	r := NewRecord()
	r.Phase, r.Outcome = PhaseProfiling, s.outcome
	if r.Outcome == "" {
		r.Outcome = OutcomeOK
	}
	at := func(offset int64) Stamp { return Stamp((s.start + offset) * ms) }
	r.Times.Start, r.Times.Issued, r.Times.End = at(0), Stamp(s.issued*ms), at(s.raw)
	if len(s.chunks) > 0 {
		r.Streams = true
		r.Times.First, r.Times.Last, r.Times.LastResponse = at(s.chunks[0]), at(s.chunks[len(s.chunks)-1]), at(s.raw)
		if len(s.chunks) > 1 {
			r.Times.Second = at(s.chunks[1])
		}
		if s.reasoning < len(s.chunks) {
			r.Times.FirstText = at(s.chunks[s.reasoning])
		}
		before := int64(0)
		for _, chunk := range s.chunks {
			r.Trail.Append((chunk-before)*ms, 4, NoCount)
			before = chunk
		}
	}
	count := func(n int64) Count {
		if n < 0 {
			return NoCount
		}
		return Count(n)
	}
	positive := func(n int64) Count {
		if n == 0 {
			return NoCount
		}
		return Count(n)
	}
	r.Tokens.LocalInput, r.Tokens.LocalOutput, r.Tokens.LocalReasoning = count(s.isl), count(s.osl), count(s.think)
	r.Tokens.FirstChunk, r.MaxTokens = positive(s.firstTokens), positive(s.max)
	u := &r.Tokens.Usage
	u.Prompt, u.Completion, u.Total, u.CacheRead = positive(s.prompt), positive(s.done), positive(s.total), positive(s.cached)
	basis := DefaultBasis()
	basis.Resolve(r)
	return r
}

// recordVectors are the requests of spec metrics 8, V01 to V16.
func recordVectors() map[string]sample {
	return map[string]sample{
		"V01_basic":                 {chunks: []int64{100, 150, 210, 300}, raw: 305, isl: 1000, osl: 4, think: -1, max: 4},
		"V02_single_chunk":          {chunks: []int64{80}, raw: 80, isl: 10, osl: 3, think: -1, max: 4},
		"V03_one_token":             {chunks: []int64{80}, raw: 80, isl: 10, osl: 1, think: -1, max: 1},
		"V04_reasoning":             {chunks: []int64{100, 120, 200, 260}, reasoning: 2, raw: 260, isl: 50, osl: 2, think: 6, max: 100},
		"V05_first_chunk_bundle":    {chunks: []int64{100, 200, 300}, raw: 300, isl: 50, osl: 10, think: -1, max: 10, firstTokens: 4},
		"V06_first_chunk_bad":       {chunks: []int64{100, 200, 300}, raw: 300, isl: 50, osl: 10, think: -1, max: 10, firstTokens: 10},
		"V07_usage":                 {chunks: []int64{100, 200, 300}, raw: 300, isl: 1000, osl: 3, think: -1, max: 3, prompt: 1100, done: 3, total: 1103, cached: 800},
		"V08_empty_first_chunk":     {chunks: []int64{50, 100, 200}, reasoning: 1, raw: 200, isl: 10, osl: 2, think: -1, max: 2},
		"V09_osl_mismatch_1000_951": {chunks: []int64{100, 1000}, raw: 1000, isl: 10, osl: 951, think: -1, max: 1000},
		"V10_osl_mismatch_1000_949": {chunks: []int64{100, 1000}, raw: 1000, isl: 10, osl: 949, think: -1, max: 1000},
		"V11_osl_mismatch_10_9":     {chunks: []int64{100, 1000}, raw: 1000, isl: 10, osl: 9, think: -1, max: 10},
		"V12_no_token_counts":       {chunks: []int64{100, 200}, raw: 200, isl: -1, osl: -1, think: -1},
		"V13_error":                 {raw: 30, isl: 77, osl: -1, think: -1, outcome: OutcomeHTTPError},
		"V14_error_overflow":        {raw: 30, isl: 77, osl: -1, think: -1, outcome: OutcomeOverflow},
		"V15_same_instant_chunks":   {chunks: []int64{100, 100, 200}, raw: 200, isl: 10, osl: 5, think: -1, max: 5},
		"V16_reasoning_only":        {chunks: []int64{100, 300}, reasoning: 2, raw: 300, isl: 50, osl: 0, think: 8, max: 8},
	}
}

// setS1 is scenario S1 of spec metrics 8.
func setS1() []*Record {
	samples := []sample{
		{start: 0, chunks: []int64{100, 150, 210, 300}, raw: 305, isl: 1000, osl: 4, think: -1, max: 4, issued: -20},
		{start: 50, chunks: []int64{150, 250, 350}, raw: 360, isl: 600, osl: 5, think: -1, max: 5, issued: 40},
		{start: 500, chunks: []int64{40, 90}, raw: 100, isl: 1200, osl: 6, think: -1, max: 6, issued: 500},
		{start: 520, chunks: []int64{80, 280}, raw: 290, isl: 800, osl: 11, think: -1, max: 11, issued: 515},
		{start: 700, raw: 30, isl: 77, osl: -1, think: -1, issued: 700, outcome: OutcomeHTTPError},
	}
	records := make([]*Record, len(samples))
	for i, s := range samples {
		records[i] = s.record()
	}
	return records
}

func warmupS1() []*Record {
	r := sample{start: 0, chunks: []int64{50}, raw: 60, isl: 900, osl: 1, think: -1, max: 1, issued: -10}.record()
	r.Phase = PhaseWarmup
	return []*Record{r}
}

func howS1(window Window) How {
	basis := DefaultBasis()
	return How{Basis: &basis, Window: window, Chunks: true, Curves: true}
}

// golden reads a file of the peer's figures, or skips where they are not at hand.
func golden(t *testing.T, name string, into any) {
	t.Helper()
	root := os.Getenv("AGENTX_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	text, err := os.ReadFile(filepath.Join(root, "golden", "metrics", name))
	if err != nil {
		t.Skipf("the peer's figures are not here: %v", err)
	}
	// The file writes infinity as a bare word, which JSON does not have.
	clean := strings.ReplaceAll(string(text), ": Infinity", `: 1e999`)
	clean = strings.ReplaceAll(clean, ": 1e999", `: "inf"`)
	if err := json.Unmarshal([]byte(clean), into); err != nil {
		t.Fatal(err)
	}
}

// near reports equality to 1e-9 relative.
func near(got, want float64) bool {
	if math.IsInf(want, 0) || math.IsInf(got, 0) {
		return got == want
	}
	return math.Abs(got-want) <= 1e-9*math.Max(math.Abs(got), math.Abs(want))+1e-12
}
