package simulate

import (
	"bytes"
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"agentx/corpus"
	"agentx/sched"
)

// Latencies says how long requests take: by name of the request, else by turn of its conversation,
// else by default.
type Latencies struct {
	Default  Latency                            `json:"default"`
	Turns    map[corpus.ConversationID][]Answer `json:"turns"`    // by turn; null leaves one out
	Requests map[string]Answer                  `json:"requests"` // by phase/lane/pass/conversation/turn
}

// Recorded takes the recorded duration of each request, 0 where none was recorded.
func Recorded() *Latencies { return &Latencies{Default: Latency{Recorded: true}} }

// Latency is a duration: as recorded, or a number of seconds.
type Latency struct {
	Recorded bool
	Ns       int64
}

// Answer is a latency with an outcome: ok, error, unanswered or overflow.
type Answer struct {
	Given   bool
	Latency Latency
	Outcome string
}

// ReadLatencies reads a latency file. An error says what is wrong with it and what is expected.
func ReadLatencies(text []byte) (*Latencies, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	file := Recorded()
	if err := decoder.Decode(file); err != nil {
		return nil, fmt.Errorf("latency file: %w (expected {\"default\": \"recorded\" or seconds, \"turns\": {conversation: [[seconds, outcome], …]}, \"requests\": {\"phase/lane/pass/conversation/turn\": [seconds, outcome]}})", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("latency file: more than one JSON value")
	}
	return file, nil
}

// UnmarshalJSON reads "recorded" or seconds.
func (l *Latency) UnmarshalJSON(text []byte) error {
	if string(text) == `"recorded"` {
		*l = Latency{Recorded: true}
		return nil
	}
	var seconds float64
	if err := json.Unmarshal(text, &seconds); err != nil || seconds < 0 || seconds > 1e9 {
		return fmt.Errorf("%s is no latency: expected \"recorded\" or seconds of at least 0", text)
	}
	*l = Latency{Ns: int64(math.RoundToEven(float64(seconds * 1e9)))}
	return nil
}

// UnmarshalJSON reads [latency, outcome], [latency] or null.
func (a *Answer) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil || len(parts) == 0 || len(parts) > 2 {
		return fmt.Errorf("%s is no answer: expected [seconds, outcome]", text)
	}
	if err := json.Unmarshal(parts[0], &a.Latency); err != nil {
		return err
	}
	a.Given, a.Outcome = true, "ok"
	if len(parts) == 2 {
		if err := json.Unmarshal(parts[1], &a.Outcome); err != nil {
			return fmt.Errorf("%s is no outcome", parts[1])
		}
	}
	switch a.Outcome {
	case "ok", "error", "unanswered", "overflow":
		return nil
	}
	return fmt.Errorf("unknown outcome %q: expected ok, error, unanswered or overflow", a.Outcome)
}

// answer finds the most specific answer for a request.
func (l *Latencies) answer(x *Exchange) Answer {
	if a, given := l.Requests[x.name]; given && a.Given {
		return a
	}
	if turns := l.Turns[x.ConvID]; int(x.Event.Turn) < len(turns) && turns[x.Event.Turn].Given {
		return turns[x.Event.Turn]
	}
	return Answer{Latency: l.Default, Outcome: "ok"}
}

// NewLatencies is a server that answers after the given latencies, however many requests it has.
func NewLatencies(latencies *Latencies) Server { return &latencyServer{latencies: latencies} }

type latencyServer struct {
	latencies *Latencies
	due       dueHeap
	sequence  int
}

func (s *latencyServer) send(x *Exchange) {
	answer := s.latencies.answer(x)
	latency := answer.Latency.Ns
	if answer.Latency.Recorded {
		latency = int64(math.RoundToEven(float64(x.Turn.APIMs.Or(0) * 1e6)))
	}
	x.EndNs = x.SentNs + max(latency, 0)
	x.Outcome, x.Answered, x.Status = sched.OutcomeOK, true, 200
	switch answer.Outcome {
	case "error":
		x.fail(sched.OutcomeError, 500, "simulated error")
	case "unanswered":
		x.fail(sched.OutcomeError, 0, "simulated: no answer")
	case "overflow":
		x.fail(sched.OutcomeOverflow, 400, "simulated: the prompt exceeds the maximum context length")
	default:
		x.spread(x.MaxTokens)
		s.push(x.FirstTokenNs, x, true)
	}
	s.push(x.EndNs, x, false)
}

func (s *latencyServer) push(at int64, x *Exchange, first bool) {
	heap.Push(&s.due, due{at: at, sequence: s.sequence, news: news{x, first}})
	s.sequence++
}

func (s *latencyServer) cancel(now int64, x *Exchange) {
	if x.EndNs <= now {
		return // its end is on its way
	}
	produced := int64(0)
	for produced < x.OutputTokens && x.tokenNs(produced) <= now {
		produced++
	}
	x.OutputTokens = produced
	x.Outcome, x.EndNs, x.Answered = sched.OutcomeCancelled, now, produced > 0
	s.push(now, x, false)
}

func (s *latencyServer) next() (at int64, ok bool) {
	s.dropStale()
	if len(s.due) == 0 {
		return 0, false
	}
	return s.due[0].at, true
}

func (s *latencyServer) take(now int64, taken []news) []news {
	for s.dropStale(); len(s.due) > 0 && s.due[0].at <= now; s.dropStale() {
		item := heap.Pop(&s.due).(due)
		if !item.first {
			item.exchange.keys = nil
		}
		taken = append(taken, item.news)
	}
	return taken
}

// dropStale forgets the planned news of exchanges that were cancelled.
func (s *latencyServer) dropStale() {
	for len(s.due) > 0 && s.due[0].exchange.Outcome == sched.OutcomeCancelled && (s.due[0].first || s.due[0].at != s.due[0].exchange.EndNs) {
		heap.Pop(&s.due)
	}
}

type due struct {
	at       int64
	sequence int
	news
}

type dueHeap []due

func (h dueHeap) Len() int { return len(h) }

func (h dueHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].sequence < h[j].sequence
}

func (h dueHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *dueHeap) Push(x any) { *h = append(*h, x.(due)) }

func (h *dueHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
