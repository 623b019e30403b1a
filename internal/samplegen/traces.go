package samplegen

import "fmt"

// The models of the recordings.
const (
	large = "sample-large"
	small = "sample-small"
)

// Corpus is all files of the sample corpus, in the order of their names.
func Corpus() ([]File, error) {
	var files []File
	for _, t := range []*recorder{background(), compaction(), edited(), flatWorkers(), growth(), odd(), parallel(), sequence()} {
		content, err := t.trace.encode()
		if err != nil {
			return nil, fmt.Errorf("trace %s: %w", t.trace.ID, err)
		}
		files = append(files, File{t.trace.ID + ".json", content})
	}
	return files, nil
}

// growth: one agent, whose prompt only grows.
func growth() *recorder {
	r := record("growth", large, 420, 310)
	s := r.begin(large, 0, 1150)
	s.work(16)
	s.place()
	return r
}

// compaction: twice the history is replaced by a summary; what was before it is kept.
func compaction() *recorder {
	r := record("compaction", large, 512, 256)
	s := r.begin(large, 0, 1400)
	s.work(7)
	s.compact(12, 530)
	s.work(6)
	s.compact(12, 610)
	s.work(4)
	s.place()
	return r
}

// edited: a title is asked for first, on its own, as many agents do; later the user goes back and
// changes something in the middle of the history.
func edited() *recorder {
	r := record("edited", large, 300, 200)
	title := r.begin(small, 0, 210)
	title.ask(12, "end_turn", 0.4)
	title.place()
	s := r.begin(large, 1.1, 1300)
	s.work(6)
	s.compact(len(s.ids)/2, 700)
	s.work(6)
	s.place()
	r.trace.Models = []string{small, large}
	return r
}

// parallel: two subagents at once, then one more; the main agent waits for both, then for the third.
func parallel() *recorder {
	r := record("parallel", large, 420, 310)
	s := r.begin(large, 0, 1200)
	s.work(3)
	s.place()
	start := s.clock
	end := r.explore("agent_001", start, 5)
	end = max(end, r.explore("agent_002", start+0.8, 6))
	s.clock = end + 0.6
	s.work(3)
	s.place()
	start = s.clock
	s.clock = r.explore("agent_003", start, 4) + 0.4
	s.work(3)
	s.place()
	r.trace.Models = []string{large, small}
	return r
}

// explore records a subagent and returns when it was over.
func (r *recorder) explore(agent string, at float64, turns int) float64 {
	s := r.begin(small, 0, r.between(700, 900))
	s.ids = append([]int{}, r.explorer...) // the same tools and system prompt each time
	s.work(turns)
	r.explorer = s.written[0].IDs[:5]
	last := s.written[len(s.written)-1]
	end := at + float64(last.T) + float64(*last.APITime) + 1.5
	s.spawn(agent, "Explore", at, 180, 120)
	return end
}

// sequence: subagents one after the other, each awaited, the second with more turns than its parent has by then.
func sequence() *recorder {
	r := record("sequence", large, 420, 310)
	s := r.begin(large, 0, 1100)
	for i, turns := range []int{3, 6, 2} {
		s.work(2)
		s.place()
		at := s.clock
		s.clock = r.explore(fmt.Sprintf("agent_%03d", i+1), at, turns) + 0.5
	}
	s.work(2)
	s.place()
	r.trace.Models = []string{large, small}
	return r
}

// background: a subagent that nobody waits for; it works on after its parent's last request.
func background() *recorder {
	r := record("background", large, 420, 310)
	s := r.begin(large, 0, 1000)
	s.work(3)
	start := float64(s.written[2].T) + 0.2 // while the request that starts it is being answered
	s.place()
	r.explore("agent_001", start, 17)
	s.work(9)
	s.place()
	r.trace.Models = []string{large, small}
	return r
}

// flatWorkers: three workers begin with the first part of one prompt at the same time, one agent works on something else,
// and a small model writes a title; all were recorded as one list.
func flatWorkers() *recorder {
	r := record("flat-workers", large, 420, 310)
	s := r.begin(large, 0, 2300)
	s.work(3)
	var forks []*session
	for i := range 3 {
		fork := s.fork(s.clock + 0.7*float64(i))
		fork.compact(20, 400)
		fork.work(3)
		forks = append(forks, fork)
	}
	other := r.begin(large, s.clock+3, 900)
	other.work(4)
	title := r.begin(small, s.clock+4, 340)
	title.ask(15, "end_turn", 1)
	s.clock += 25
	s.work(4)
	r.merge(append(forks, s, other, title)...)
	r.trace.Models = []string{large, small}
	return r
}

// merge places the requests of several sessions in order of time.
func (r *recorder) merge(sessions ...*session) {
	for {
		var first *session
		for _, s := range sessions {
			if len(s.written) > 0 && (first == nil || s.written[0].T < first.written[0].T) {
				first = s
			}
		}
		if first == nil {
			return
		}
		r.trace.Rows = append(r.trace.Rows, first.written[0])
		first.written = first.written[1:]
	}
}

// odd: what recordings have now and then: an answer of no tokens, a request sent twice, missing times, a
// prompt that ends on a block border, no declared system prompt, the older type without first-token
// times.
func odd() *recorder {
	r := record("odd", large, 0, 0)
	s := r.begin(large, 0, 640)
	s.ask(30, "tool_use", 2)
	s.grow(98)
	s.ask(0, "", 3)
	s.ask(45, "tool_use", 2.5) // the same prompt again
	s.grow(211)
	s.ask(60, "end_turn", 4).ThinkTime = nil
	s.grow(150)
	s.ask(25, "end_turn", 11)
	s.grow(90)
	s.ask(80, "end_turn", 9)
	s.grow(170)
	s.ask(110, "end_turn", 0)
	s.written[4].APITime, s.written[5].ThinkTime = nil, nil
	for i := range s.written {
		s.written[i].Type = "n"
	}
	s.place()
	return r
}
