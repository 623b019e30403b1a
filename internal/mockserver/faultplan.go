package mockserver

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"agentx/internal/servermodel"
)

// chatPath is the endpoint that faults are for unless a rule says otherwise.
const chatPath = "/v1/chat/completions"

// faultPlan decides who gets which fault.
type faultPlan struct {
	faults     Faults
	seed       uint64
	behaviours map[string]Behaviour

	mu     sync.Mutex
	used   []int64          // by rule
	byPath map[string]int64 // requests so far, of paths other than the chat endpoint
	played int64            // scripted responses so far
}

// order is a fault that one request gets.
type order struct {
	behaviour Behaviour
	args      Args
}

func newFaultPlan(options Options) (*faultPlan, error) {
	faults, err := readFaults(options.Faults, options.FaultsFile)
	if err != nil {
		return nil, err
	}
	p := &faultPlan{faults: faults, seed: options.Server.Seed, behaviours: map[string]Behaviour{}, used: make([]int64, len(faults.Rules)), byPath: map[string]int64{}}
	for _, behaviour := range Behaviours() {
		p.behaviours[behaviour.Name] = behaviour
	}
	var problems []error
	for i, rule := range faults.Rules {
		if _, known := p.behaviours[rule.Fault]; !known {
			problems = append(problems, fmt.Errorf("fault rule %d: no fault is named %q: docs/mock-server.md lists them", i, rule.Fault))
		}
		if rule.From < 0 || rule.Every < 0 || rule.Times < 0 || !(rule.Probability >= 0 && rule.Probability <= 1) {
			problems = append(problems, fmt.Errorf("fault rule %d (%s): from, every and times must be 0 or more, probability 0 to 1", i, rule.Fault))
		}
	}
	for i, response := range faults.Responses {
		switch response.End {
		case "", "close", "truncate", "reset", "hang":
		default:
			problems = append(problems, fmt.Errorf("response %d ends with %q: expected close, truncate, reset or hang", i, response.End))
		}
	}
	for limit, index := range faults.ByMaxTokens {
		if index < 0 || index >= len(faults.Responses) {
			problems = append(problems, fmt.Errorf("by_max_tokens %s names response %d of %d", limit, index, len(faults.Responses)))
		}
	}
	return p, errors.Join(problems...)
}

// onAccept decides about a connection, before anything is read from it.
func (p *faultPlan) onAccept(number int64) acceptFault {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, rule := range p.faults.Rules {
		behaviour := p.behaviours[rule.Fault]
		if behaviour.accept != acceptWell && p.due(i, number-1, strconv.FormatInt(number, 10)) {
			return behaviour.accept
		}
	}
	return acceptWell
}

// choose finds the fault of a request, nil for none. Its number counts the requests of its path.
func (p *faultPlan) choose(r *http.Request, number int64) (*order, error) {
	if value := r.Header.Get("X-Mock-Fault"); value != "" {
		name, args, err := parseOrder(value)
		if err != nil {
			return nil, err
		}
		behaviour, known := p.behaviours[name]
		if !known || behaviour.build == nil {
			return nil, fmt.Errorf("no fault that a request can order is named %q", name)
		}
		return &order{behaviour, args}, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.URL.Path != chatPath {
		number = p.byPath[r.URL.Path]
		p.byPath[r.URL.Path]++
	}
	name := r.Header.Get("X-Request-ID")
	if name == "" {
		name = strconv.FormatInt(number, 10)
	}
	for i, rule := range p.faults.Rules {
		path := rule.Path
		if path == "" {
			path = chatPath
		}
		behaviour := p.behaviours[rule.Fault]
		if behaviour.build == nil || path != r.URL.Path || !hasHeader(r, rule.Header) {
			continue
		}
		if p.due(i, number, name) {
			return &order{behaviour, rule.Args}, nil
		}
	}
	return nil, nil
}

func hasHeader(r *http.Request, wanted string) bool {
	if wanted == "" {
		return true
	}
	name, value, exact := strings.Cut(wanted, ":")
	got, present := r.Header[http.CanonicalHeaderKey(strings.TrimSpace(name))]
	return present && (!exact || got[0] == strings.TrimSpace(value))
}

// due says whether rule i applies to a number, and counts it. The caller holds mu.
func (p *faultPlan) due(i int, number int64, name string) bool {
	rule := p.faults.Rules[i]
	if number < rule.From || rule.Times > 0 && p.used[i] >= rule.Times {
		return false
	}
	if rule.Every > 0 && (number-rule.From)%rule.Every != 0 {
		return false
	}
	if rule.Probability > 0 && servermodel.Draw(p.seed, fmt.Sprintf("fault %d", i), name) >= rule.Probability {
		return false
	}
	p.used[i]++
	return true
}

// response is the scripted answer to the next request, nil where answers are the model's.
func (p *faultPlan) response(maxTokens int) *Response {
	count := int64(len(p.faults.Responses))
	if count == 0 {
		return nil
	}
	if p.faults.ByMaxTokens != nil {
		return &p.faults.Responses[p.faults.ByMaxTokens[strconv.Itoa(maxTokens)]]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	number := p.played
	p.played++
	if p.faults.Cycle {
		return &p.faults.Responses[number%count]
	}
	return &p.faults.Responses[min(number, count-1)]
}
