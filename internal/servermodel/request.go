package servermodel

// Request is what the model needs to know of a request.
type Request struct {
	// Name names the request's random draws; two requests of one name draw alike.
	Name string
	// PromptTokens is the length of the prompt.
	PromptTokens int
	// Keys stands for the full units of the prompt, as made by Keys. It must not change until the job
	// has ended. Missing keys are units that are never shared.
	Keys []uint64
	// MaxTokens is the output limit; 0 or less means Config.DefaultMaxTokens.
	MaxTokens int
	// IgnoreEOS makes the answer run to its limit.
	IgnoreEOS bool
}

// Outcome is how a request ended.
type Outcome uint8

// The outcomes.
const (
	Pending   Outcome = iota // has not ended
	Finished                 // stop token or length limit: see Job.Stopped
	Refused                  // drawn by Config.ErrorRate: no token was produced
	Overflow                 // does not fit the context window: no token was produced
	Aborted                  // drawn by Config.AbortRate: failed in mid-answer
	Cancelled                // by Cancel
)

var outcomeNames = [...]string{"pending", "finished", "refused", "overflow", "aborted", "cancelled"}

// String is the outcome's name in lower case.
func (o Outcome) String() string { return outcomeNames[o] }

// EventKind is what happened to a job.
type EventKind uint8

// The kinds of events, in the order in which they happen to one job.
const (
	Admitted   EventKind = iota // left the queue; FirstTokenNs is now known
	FirstToken                  // prefill is over
	Ended                       // Outcome is now known
)

// Event says what happened when, to whom.
type Event struct {
	AtNs int64
	Kind EventKind
	Job  *Job
}

// Job is a request inside the model. Fields are set as the events come; readers do not write them.
type Job struct {
	Request
	Seq          int64 // arrival number, from 0
	OutputTokens int   // that the answer will have if nothing ends it early
	CachedTokens int   // of the prompt; known once admitted
	Stopped      bool  // the answer ends by a stop token, not by its length limit
	Outcome      Outcome

	ArrivedNs    int64
	AdmittedNs   int64 // valid once admitted
	FirstTokenNs int64 // valid once admitted: when prefill will be over
	EndNs        int64 // valid once ended

	state    jobState
	held     *run
	reserved int64
	pace     pace
	aborts   bool // OutputTokens is where it fails
}

type jobState uint8

const (
	waiting jobState = iota
	prefilling
	decoding
	gone
)

// Emitted is the number of output tokens produced by now (at most the time of the last Advance).
func (j *Job) Emitted(now int64) int {
	if j.state == waiting || j.state == prefilling {
		return 0
	}
	return j.pace.emittedBy(now)
}

// NextTokenNs is when the next token after now comes, and whether one comes at all. The time does not
// change later, unless the job is cancelled.
func (j *Job) NextTokenNs(now int64) (atNs int64, ok bool) {
	switch {
	case j.state == prefilling:
		return j.FirstTokenNs, true
	case j.state != decoding:
		return 0, false
	}
	done := j.pace.emittedBy(now)
	if done >= j.OutputTokens {
		return 0, false
	}
	return j.pace.tokenNs(done), true
}

// TokenNs is when output token i (from 0) was, or as things stand will be, produced. It is valid from
// the first token on, for i < OutputTokens.
func (j *Job) TokenNs(i int) int64 { return j.pace.tokenNs(i) }

// Produced is the number of output tokens of a job that has ended.
func (j *Job) Produced() int { return j.Emitted(j.EndNs) }
