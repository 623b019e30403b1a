package simulate

import (
	"agentx/sched"
)

// Server decides what becomes of requests. Make one with NewLatencies or NewModel.
type Server interface {
	// send takes a request at x.SentNs.
	send(x *Exchange)
	// cancel gives a request up at the instant now; its end is due at once.
	cancel(now int64, x *Exchange)
	// next is the instant of the next news, and whether there is any.
	next() (at int64, ok bool)
	// take lets time pass up to now and appends the news of that time, in order.
	take(now int64, news []news) []news
}

// news is a first token or an end.
type news struct {
	exchange *Exchange
	first    bool
}

// spread fills in the tokens of an answer whose server knows only its duration: evenly over it.
func (x *Exchange) spread(tokens int64) {
	x.OutputTokens, x.plannedTokens, x.plannedEndNs = tokens, tokens, x.EndNs
	x.FirstTokenNs = x.SentNs + (x.EndNs-x.SentNs)/max(tokens, 1)
}

// fail turns an exchange into one that the server refused, or did not answer at all.
func (x *Exchange) fail(outcome sched.Outcome, status int, message string) {
	x.Outcome, x.Status, x.Message, x.Answered = outcome, status, message, status != 0
	x.OutputTokens = 0
}
