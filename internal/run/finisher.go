package run

import (
	"sync"

	"agentx/eventlog"
	"agentx/sched"
	"agentx/wire"
)

// countQueue bounds the answers that wait to be counted. One that finds it full is logged without
// local counts, which is shown as the reason.
const countQueue = 4096

// countedBytes is the longest output that is counted: more than any model gives, 130,000 tokens. Merging
// takes some 50 bytes of memory for each byte of one word, and a server may answer anything.
const countedBytes = 1 << 20

// Why an answer has no local token counts.
const (
	reasonQueueFull   = "count_queue_full"
	reasonTextTooLong = "text_too_long"
)

// finisher counts the tokens of answers with the bundle's tokenizer, off the request path, and logs the
// exchange's result (spec decision 29).
type finisher struct {
	journal *journal
	counter tokenCounter
	queue   chan finished
	done    sync.WaitGroup

	framing   *framing                   // nil: no template is known
	framed    bool                       // prompt tokens have what the template adds (--apply-chat-template)
	unframed  func(roles int, err error) // told of the first prompt that the template does not take
	agreement agreement
	oddities  oddities
	raw       *rawKeeper // set before the first exchange; nil where answers are not kept

	output, reasoning []byte // of the answer under way
}

// finished is an exchange that has ended, with the output still to be counted.
type finished struct {
	exchange int64
	phase    sched.Phase
	end      eventlog.ExchangeEnd
	roles    []byte // of the request's messages
	chunks   []byte
	choices  []wire.Choice
	raw      *rawAnswer
}

func newFinisher(journal *journal, counter tokenCounter) *finisher {
	f := &finisher{journal: journal, counter: counter, queue: make(chan finished, countQueue)}
	f.done.Add(1)
	go f.work()
	return f
}

// finish logs the end of an exchange once its output is counted; it never waits.
func (f *finisher) finish(x *exchange, request *wire.Request, result *wire.Result) {
	end := exchangeEnd(result)
	end.RequestID = request.RequestID
	end.Reason = cancelReason(result)
	end.PromptTokens = x.tokens
	end.MarkerTokens = x.markerTokens
	end.ReachTokens = x.reachTokens
	end.MaxTokens = x.maxTokens
	item := finished{int64(x.id), x.dispatch.Phase, end, x.roles, x.chunks.End(), result.Choices, f.raw.take(request, result)}
	select {
	case f.queue <- item:
	default:
		item.end.NoLocalCount = reasonQueueFull
		if f.framed {
			item.end.PromptTokens = 0 // what the template adds is not known
		}
		f.raw.store(&item)
		f.journal.ExchangeEnd(&item)
	}
}

// waiting is how many answers wait to be counted.
func (f *finisher) waiting() int { return len(f.queue) }

// close waits until everything is counted and logged.
func (f *finisher) close() {
	close(f.queue)
	f.done.Wait()
}

func (f *finisher) work() {
	defer f.done.Done()
	for item := range f.queue {
		f.countOutput(&item)
		f.agreement.add(&item.end, item.roles, f.framing)
		f.oddities.look(&item.end)
		f.frame(&item)
		f.raw.store(&item)
		f.journal.ExchangeEnd(&item)
	}
	f.agreement.close()
}

// countOutput counts what came, where there was output and it is not too long.
func (f *finisher) countOutput(item *finished) {
	length := 0
	for i := range item.choices {
		choice := &item.choices[i]
		length += len(choice.Text) + len(choice.Tool) + len(choice.Reasoning)
	}
	switch {
	case len(item.choices) == 0:
		return
	case length > countedBytes:
		item.end.NoLocalCount = reasonTextTooLong
		return
	}
	output, reasoning := f.output[:0], f.reasoning[:0]
	for i := range item.choices {
		choice := &item.choices[i]
		output = append(append(output, choice.Text...), choice.Tool...)
		reasoning = append(reasoning, choice.Reasoning...)
	}
	f.output, f.reasoning = output, reasoning
	outputTokens, reasoningTokens := f.count(output), f.count(reasoning)
	item.end.OutputTokensLocal, item.end.ReasoningTokensLocal = &outputTokens, &reasoningTokens
}

// frame adds to a planned prompt what the template adds to it. A prompt that the template does not take
// has no local count.
func (f *finisher) frame(item *finished) {
	if !f.framed {
		return
	}
	tokens, err := f.framing.around(item.roles)
	if err == nil {
		item.end.PromptTokens += tokens
		return
	}
	item.end.PromptTokens = 0
	f.unframed(len(item.roles), err)
	f.unframed = func(int, error) {}
}

func (f *finisher) count(text []byte) int64 {
	if len(text) == 0 {
		return 0
	}
	return int64(f.counter.Count(string(text)))
}
