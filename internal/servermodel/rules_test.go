package servermodel

import (
	"math"
	"slices"
	"testing"
)

func newModel(t *testing.T, config Config) *Model {
	t.Helper()
	m, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// prompt makes a request of n tokens numbered from a start, with keys for its full units.
func prompt(m *Model, start, n, maxTokens int) Request {
	keys := NewKeys(m.Config().UnitTokens)
	for i := range n {
		keys.Token(uint64(start + i))
	}
	return Request{PromptTokens: n, Keys: keys.List(), MaxTokens: maxTokens}
}

// alone runs one request from start to end.
func alone(m *Model, r Request) *Job {
	job := m.Arrive(m.now, r)
	for job.state != gone {
		at, _ := m.Next()
		m.Advance(at, nil)
	}
	return job
}

// TestRepeatedPromptLeavesItsLastTokenToCompute: vLLM answers a repeated prompt of 1,119 tokens with
// 1,088 cached at a block size of 64, and never says that all of a prompt was cached.
func TestRepeatedPromptLeavesItsLastTokenToCompute(t *testing.T) {
	m := newModel(t, Config{UnitTokens: 64})
	for _, want := range []int{0, 1088} {
		if job := alone(m, prompt(m, 0, 1119, 4)); job.CachedTokens != want {
			t.Errorf("cached %d; expected %d", job.CachedTokens, want)
		}
	}
	alone(m, prompt(m, 5000, 128, 4))
	if job := alone(m, prompt(m, 5000, 128, 4)); job.CachedTokens != 64 {
		t.Errorf("prompt of two full units: cached %d; expected 64", job.CachedTokens)
	}
}

func TestPrefillTakesTheTimeOfTheUncachedTokens(t *testing.T) {
	m := newModel(t, Config{PrefillTokensPerSecond: 1000, OverheadNs: 5e6, TokenNs: 20e6})
	first := alone(m, prompt(m, 0, 160, 3))
	if got := first.FirstTokenNs - first.ArrivedNs; got != 165e6 {
		t.Errorf("first token after %d ns; expected 5 ms + 160 tokens at 1,000/s", got)
	}
	if got := first.EndNs - first.FirstTokenNs; got != 40e6 {
		t.Errorf("end %d ns after the first token; expected two steps of 20 ms", got)
	}
	again := alone(m, prompt(m, 0, 200, 1))
	if got := again.FirstTokenNs - again.ArrivedNs; got != 45e6 {
		t.Errorf("first token after %d ns; expected 5 ms + 40 tokens at 1,000/s", got)
	}
}

func TestWindow(t *testing.T) {
	for _, row := range []struct {
		refuse         bool
		prompt, limit  int
		outcome        Outcome
		expectedOutput int
	}{
		{false, 99, 50, Finished, 1},
		{false, 50, 10, Finished, 10},
		{false, 100, 1, Overflow, 0},
		{true, 90, 10, Finished, 10},
		{true, 90, 11, Overflow, 0},
	} {
		m := newModel(t, Config{WindowTokens: 100, RefuseOverWindow: row.refuse})
		job := m.Arrive(0, Request{PromptTokens: row.prompt, MaxTokens: row.limit})
		m.Advance(math.MaxInt64, nil)
		if job.Outcome != row.outcome || job.Produced() != row.expectedOutput {
			t.Errorf("%+v: %v with %d tokens", row, job.Outcome, job.Produced())
		}
	}
}

// TestDrawsFollowNames: what happens to a request depends on its name and the seed, not on the others.
func TestDrawsFollowNames(t *testing.T) {
	config := Config{ErrorRate: 0.2, AbortRate: 0.2, MeanOutputTokens: 40, Seed: 7}
	names := make([]string, 2000)
	for i := range names {
		names[i] = string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
	}
	fates := func(names []string, seed uint64) map[string][2]int {
		config.Seed = seed
		m := newModel(t, config)
		got := map[string][2]int{}
		for _, name := range names {
			job := m.Arrive(m.now, Request{Name: name, PromptTokens: 1, MaxTokens: 1 << 20})
			m.Advance(m.now+1e9, nil)
			got[name] = [2]int{int(job.Outcome), job.OutputTokens}
		}
		return got
	}
	forward := fates(names, 7)
	backward := slices.Clone(names)
	slices.Reverse(backward)
	for name, fate := range fates(backward, 7) {
		if forward[name] != fate {
			t.Fatalf("%s: %v forward, %v backward", name, forward[name], fate)
		}
	}
	var differs, refused, output, finished int
	for name, fate := range fates(names, 8) {
		if forward[name] != fate {
			differs++
		}
	}
	for _, fate := range forward {
		switch Outcome(fate[0]) {
		case Refused:
			refused++
		case Finished:
			finished++
			output += fate[1]
		}
	}
	if differs < 1000 {
		t.Errorf("another seed changes only %d of 2,000 requests", differs)
	}
	if refused < 330 || refused > 470 { // 400 ± 4 standard deviations
		t.Errorf("%d of 2,000 refused at a rate of 0.2", refused)
	}
	if mean := float64(output) / float64(finished); mean < 35 || mean > 45 {
		t.Errorf("mean output %.1f tokens; expected about 40", mean)
	}
}

// TestIgnoreEOSRunsToTheLimit: only a request that does not ask for it may stop early.
func TestIgnoreEOSRunsToTheLimit(t *testing.T) {
	m := newModel(t, Config{MeanOutputTokens: 2})
	job := alone(m, Request{Name: "x", PromptTokens: 1, MaxTokens: 500, IgnoreEOS: true})
	if job.Produced() != 500 || job.Stopped {
		t.Errorf("%d tokens, stopped %v", job.Produced(), job.Stopped)
	}
	if job := alone(m, Request{Name: "x", PromptTokens: 1, MaxTokens: 500}); !job.Stopped || job.Produced() > 60 {
		t.Errorf("without ignore_eos: %d tokens, stopped %v", job.Produced(), job.Stopped)
	}
}

func TestKeysNameBeginnings(t *testing.T) {
	chain := func(tokens ...uint64) Keys {
		keys := NewKeys(2)
		for _, token := range tokens {
			keys.Token(token)
		}
		return keys
	}
	base := chain(1, 2, 3, 4, 5)
	if got := len(base.List()); got != 2 || base.Pending() != 1 {
		t.Fatalf("%d units, %d pending; expected 2 and 1", got, base.Pending())
	}
	left, right := base.Clone(), base.Clone()
	left.Token(6)
	right.Token(7)
	if !slices.Equal(left.List(), chain(1, 2, 3, 4, 5, 6).keys) || !slices.Equal(right.List(), chain(1, 2, 3, 4, 5, 7).keys) {
		t.Error("two branches of one chain differ from chains made whole")
	}
	if other := chain(9, 9, 3, 4); other.List()[1] == base.List()[1] {
		t.Error("equal units after different beginnings have equal keys")
	}
}

func TestConfigProblemsAreNamed(t *testing.T) {
	for _, config := range []Config{
		{UnitTokens: -1}, {CacheTokens: 3, UnitTokens: 4}, {PrefillTokensPerSecond: math.NaN()}, {ErrorRate: 0.7, AbortRate: 0.7},
		{MeanOutputTokens: 0.5}, {BatchLimit: -1}, {WindowTokens: -1}, {TokenNs: -1}, {DecodeSlowdown: -1},
	} {
		if _, err := New(config); err == nil {
			t.Errorf("%+v is accepted", config)
		}
	}
}
