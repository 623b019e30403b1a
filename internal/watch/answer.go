package watch

import (
	"slices"

	"agentx/eventlog"
)

// ended takes the end of an exchange.
func (s *State) ended(e *eventlog.Event) error {
	end, err := eventlog.Decode[eventlog.ExchangeEnd](*e)
	if err != nil {
		return err
	}
	f := s.flying[e.Exchange]
	delete(s.flying, e.Exchange)
	if f == nil {
		return nil // the log does not say when it was sent
	}
	if l := s.lanes[f.lane]; l != nil {
		l.flying--
	}
	p := &s.phase
	if f.phase != p.name {
		return nil // of the phase before
	}
	p.returned++
	p.lastAnswerNs = max(p.lastAnswerNs, end.EndNs)
	switch end.Outcome {
	case eventlog.OutcomeOK:
		p.answer(&end)
	case eventlog.OutcomeCancelled, eventlog.OutcomeAbandoned:
		p.cancelled++
	case eventlog.OutcomeOverflow:
		p.overflows++
		s.failed(&end)
	default:
		p.errors++
		s.failed(&end)
	}
	return nil
}

// answer counts what a success brought.
func (p *phase) answer(end *eventlog.ExchangeEnd) {
	p.ok++
	if end.LastTokenNs == nil {
		p.silent++
		return
	}
	output := outputTokens(end)
	p.input += end.PromptTokens
	p.output += output
	if u := end.Usage; u != nil && u.Prompt != nil && u.CacheRead != nil {
		p.withCached++
		p.prompt, p.cached, p.reach = p.prompt+*u.Prompt, p.cached+*u.CacheRead, p.reach+end.ReachTokens
		// Reach is a part of planned tokens, as in measure: a server that counts otherwise does not shift it.
		// What a chat template adds, where it is counted, is in the sum here: the plan is not at hand.
		if end.PromptTokens > 0 {
			p.planned += end.PromptTokens - end.MarkerTokens
		} else {
			p.planned += *u.Prompt
		}
	}
	p.latency.add(float64(*end.LastTokenNs-end.StartNs) / 1e6)
	if end.Streamed && end.FirstTokenNs != nil {
		p.ttft.add(float64(*end.FirstTokenNs-end.StartNs) / 1e6)
		if output > 1 {
			p.perToken.add(float64(*end.LastTokenNs-*end.FirstTokenNs) / 1e6 / float64(output-1))
		}
	}
	came := p.recent.at(end.EndNs)
	came.requests++
	came.input += float64(end.PromptTokens)
	came.output += float64(output)
}

// outputTokens is the count that is known: our own, else the server's.
func outputTokens(end *eventlog.ExchangeEnd) int64 {
	var tokens int64
	if end.OutputTokensLocal != nil {
		tokens += *end.OutputTokensLocal
	}
	if end.ReasoningTokensLocal != nil {
		tokens += *end.ReasoningTokensLocal
	}
	if end.OutputTokensLocal == nil && end.ReasoningTokensLocal == nil && end.Usage != nil && end.Usage.Completion != nil {
		tokens = *end.Usage.Completion
	}
	return tokens
}

// failed counts a failure with those of its kind; beyond 20 kinds only their number is kept.
func (s *State) failed(end *eventlog.ExchangeEnd) {
	at := slices.IndexFunc(s.errors, func(f *failures) bool {
		return f.outcome == string(end.Outcome) && f.class == end.Class && f.status == end.Status
	})
	if at < 0 {
		if len(s.errors) == keptErrors {
			s.lost++
			return
		}
		at = len(s.errors)
		s.errors = append(s.errors, &failures{outcome: string(end.Outcome), class: end.Class, status: end.Status})
	}
	f := s.errors[at]
	f.count++
	f.lastNs = end.EndNs
	if end.ErrorMessage != "" {
		f.message = end.ErrorMessage
	} else if f.message == "" {
		f.message = end.ErrorType
	}
}
