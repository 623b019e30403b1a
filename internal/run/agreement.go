package run

import (
	"math"
	"sync"

	"agentx/eventlog"
)

// agreement compares, over the first answers of a run, the prompt tokens that the server counted with the
// planned ones (spec decision 30). A bundle made with another tokenizer than the server's shows up here.
type agreement struct {
	mutex            sync.Mutex
	compared, apart  int
	predicted        int // compared by the template
	planned, counted int64
	done             bool
	report           func(agreementReport)
}

// agreementReport is what the comparison found.
type agreementReport struct {
	Compared int `json:"compared"`
	Apart    int `json:"apart"` // requests whose counts differ by more than a template explains
	// Predicted are the requests whose count with the bundle's chat template was known; for the others a
	// bound on what templates add is used.
	Predicted int     `json:"predicted"`
	Factor    float64 `json:"factor"` // server's tokens over planned ones
}

const (
	agreementAnswers = 20
	// A chat template adds a few tokens around each message; the known ones add at most this many.
	templateTokensPerMessage = 12
	// The part of a prompt by which counts may differ beyond the template.
	agreementTolerance = 0.005
)

// add takes one answer.
func (a *agreement) add(end *eventlog.ExchangeEnd, roles []byte, framing *framing) {
	if end.Outcome != eventlog.OutcomeOK || end.Usage == nil || end.Usage.Prompt == nil || end.PromptTokens == 0 {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.done {
		return
	}
	difference := float64(*end.Usage.Prompt - end.PromptTokens)
	allowance := agreementTolerance * float64(end.PromptTokens)
	// A server may count the messages alone, or all that its template makes of them.
	if tokens, err := framing.around(roles); err != nil {
		allowance += templateTokensPerMessage * float64(len(roles)+1)
	} else {
		a.predicted++
		if around := difference - float64(tokens); math.Abs(around) < math.Abs(difference) {
			difference = around
		}
	}
	a.compared++
	if math.Abs(difference) > allowance {
		a.apart++
	}
	a.planned += end.PromptTokens
	a.counted += *end.Usage.Prompt
	if a.compared == agreementAnswers {
		a.finish()
	}
}

// finish reports once; a run with fewer answers is reported at its end.
func (a *agreement) finish() {
	if a.done || a.compared == 0 {
		return
	}
	a.done = true
	a.report(agreementReport{a.compared, a.apart, a.predicted, float64(a.counted) / float64(a.planned)})
}

// close reports what there is.
func (a *agreement) close() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.finish()
}
