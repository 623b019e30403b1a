package run

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"agentx/sched"
	"agentx/wire"
)

// failures keeps, for the message that ends a run, how a root's request of the warmup failed: the first
// one ends it, so there are at most as many as lanes. Failures of the measured phase are in the log only.
type failures struct {
	mutex sync.Mutex
	byID  map[sched.ExchangeID]failure
}

// failure is one request that failed.
type failure struct {
	status int
	class  string
	text   string
	url    string
}

func (f *failures) note(id sched.ExchangeID, result *wire.Result) {
	if result.Outcome == wire.OutcomeOK {
		return
	}
	what := failure{status: result.Status, class: result.Class, url: result.RemoteAddr}
	if result.Err != nil {
		what.text = cutText(strings.TrimSpace(result.Err.Type + ": " + result.Err.Message))
	}
	switch result.Outcome {
	case wire.OutcomeOverflow:
		what.class = "overflow"
	case wire.OutcomeCancelled:
		what.class = "cancelled"
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.byID == nil {
		f.byID = map[sched.ExchangeID]failure{}
	}
	f.byID[id] = what
}

func (f *failures) of(id sched.ExchangeID) failure {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.byID[id]
}

// messageLimit cuts error bodies in messages, in bytes; the log has them whole.
const messageLimit = 300

// cutText cuts a text at the limit, between two characters.
func cutText(text string) string {
	if len(text) <= messageLimit {
		return text
	}
	end := messageLimit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) + "…"
}

// explain says what failed and what to do about it, by class.
func (f failure) explain() string {
	text := f.text
	if text == "" {
		text = "no answer"
	}
	return fmt.Sprintf("%s; %s", text, f.remedy())
}

func (f failure) remedy() string {
	switch {
	case f.class == "overflow":
		return "the prompt does not fit the server's context window: serve a larger one, or prepare the bundle with --max-context-length"
	case f.class == "cancelled":
		return "it did not come back within the warmup's grace: give it longer by --agentic-warmup-grace-period"
	case f.status == 401 || f.status == 403:
		return "the server wants a key: give --api-key, --api-key-file or AGENTX_API_KEY"
	case f.status == 404:
		return "the server knows no such model or path: check --model and --endpoint"
	case f.status == 413:
		return "the request is too large for the server or a proxy before it: raise its limit of body sizes"
	case f.status == 429:
		return "the server or a gateway before it limits the rate: raise its limit, or lower --concurrency"
	case f.status == 400 || f.status == 422:
		return "the server does not take the request: agentx-run probe shows what it takes; see --use-legacy-max-tokens and --extra-inputs"
	case f.status >= 300 && f.status < 400:
		return "the server sends requests elsewhere, and redirects are not followed: give the final address as --url"
	case f.status >= 500:
		return "the server failed: look at its log"
	case f.class == wire.ClassTransport && f.status == 0:
		return "the server could not be reached or hung up: check --url and that it is up"
	case f.class == wire.ClassTimeout:
		return "the server did not answer in time: see --request-timeout-seconds"
	}
	return "see the exchange in the log"
}
