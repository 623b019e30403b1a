package samplegen

import "math"

// recorder writes one trace.
type recorder struct {
	trace  trace
	nextID int
	state  uint64 // of the draws
	// explorer is how the prompts of subagents begin: blocks of their tools and system prompt.
	explorer []int
}

func record(id, model string, tool, system int) *recorder {
	r := &recorder{trace: trace{ID: id, Models: []string{model}, BlockSize: blockSize, Scope: "local", ToolTokens: tool, SystemTokens: system}}
	for _, c := range id {
		r.state = r.state*1099511628211 + uint64(c)
	}
	return r
}

// between draws a number from least to most (splitmix64).
func (r *recorder) between(least, most int) int {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return least + int(z%uint64(most-least+1))
}

// hundredths rounds a time to what a recording shows.
func hundredths(t float64) float64 { return math.Round(t*100) / 100 }

// session is one message history that grows from request to request.
type session struct {
	r       *recorder
	model   string
	clock   float64 // when the next request may begin, in seconds
	in      int     // tokens of the latest prompt
	out     int     // tokens of the latest answer
	ids     []int   // of the latest prompt's full blocks
	stop    string
	written []request
}

// begin starts a history with a first prompt of in tokens.
func (r *recorder) begin(model string, at float64, in int) *session {
	return &session{r: r, model: model, clock: at, in: in}
}

// fork is a second history that goes on from the same prompt.
func (s *session) fork(at float64) *session {
	return &session{r: s.r, model: s.model, clock: at, in: s.in, out: s.out, ids: append([]int{}, s.ids...), stop: s.stop}
}

// cover gives the prompt's full blocks their ids: new ones after those that it has.
func (s *session) cover() {
	for len(s.ids) < s.in/blockSize {
		s.r.nextID++
		s.ids = append(s.ids, s.r.nextID)
	}
}

// ask records a request with the present prompt, of out tokens, then a pause.
func (s *session) ask(out int, stop string, pause float64) *request {
	s.cover()
	api := seconds(hundredths(0.25 + float64(s.in)/6000 + float64(out)/80))
	entry := request{T: seconds(hundredths(s.clock)), Type: "s", Model: s.model, In: s.in, Out: out,
		IDs: append([]int{}, s.ids...), InputTypes: []string{"text"}, OutputTypes: []string{"text"}, Stop: stop, APITime: &api}
	if s.stop == "tool_use" {
		entry.InputTypes = []string{"tool_result"}
	}
	if stop == "tool_use" {
		entry.OutputTypes = []string{"text", "tool_use"}
	}
	if len(s.written) > 0 {
		last := s.written[len(s.written)-1]
		think := seconds(hundredths(float64(entry.T) - float64(last.T) - float64(*last.APITime)))
		entry.ThinkTime = &think
	}
	s.written = append(s.written, entry)
	s.out, s.stop = out, stop
	s.clock = hundredths(s.clock + float64(api) + pause)
	return &s.written[len(s.written)-1]
}

// grow adds the latest answer and new input to the prompt. The next list of ids goes on from the full
// blocks of the latest prompt.
func (s *session) grow(input int) { s.in += s.out + input }

// compact keeps the first blocks of the prompt and puts a summary of so many tokens in place of the
// rest.
func (s *session) compact(keep, summary int) {
	s.ids = append([]int{}, s.ids[:keep]...)
	s.in = keep*blockSize + summary
}

// work records a usual stretch of an agent's day: n requests, tool calls but for the last.
func (s *session) work(n int) {
	for i := range n {
		stop := "tool_use"
		if i == n-1 {
			stop = "end_turn"
		}
		s.ask(s.r.between(20, 140), stop, float64(s.r.between(100, 400))/100)
		s.grow(s.r.between(40, 420))
	}
}

// place moves what a session has written so far to the end of the trace's rows.
func (s *session) place() {
	for _, entry := range s.written {
		s.r.trace.Rows = append(s.r.trace.Rows, entry)
	}
	s.written = nil
}

// spawn places a session as a subagent that was started at a time of the trace. Its own times count
// from there.
func (s *session) spawn(agent, kind string, at float64, tool, system int) {
	end := 0.0
	for i := range s.written {
		end = max(end, float64(s.written[i].T)+float64(*s.written[i].APITime))
	}
	duration := int(math.Round((end + 1.5) * 1000)) // recordings end a little after the last answer
	s.r.trace.Rows = append(s.r.trace.Rows, subagent{T: seconds(hundredths(at)), Type: "subagent", Agent: agent, Kind: kind, Status: "completed",
		Models: []string{s.model}, DurationMs: &duration, ToolTokens: tool, SystemTokens: system, Requests: s.written})
	s.written = nil
}
