package mockserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"agentx/internal/servermodel"
)

// exchange is one request to the chat endpoint on its way through the server.
type exchange struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	tap     *tap
	record  Record
	body    []byte
	request chatRequest
	scratch *scratch
	sleeper *sleeper

	job   *servermodel.Job
	usage usage

	order    *order   // the fault to play, if any
	beganNs  int64    // when it began to be played
	unlisted bool     // makes no record: not a chat request
	lastWord bool     // the client can have everything while there is no record yet
	soonOver bool     // nothing is waited for after its last write
	giveBack net.Conn // to go on being served once the exchange is over
}

// scratch is memory that one exchange after another uses.
type scratch struct {
	body []byte
	keys []uint64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// chat serves one chat completion.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	x := s.newExchange(w, r)
	x.record.Index = s.arrived.Add(1) - 1
	s.enter()
	defer x.finish()
	if x.playEarly() || !x.readBody() {
		return
	}
	request, err := parseChat(x.body)
	x.request = request
	x.record.Stream, x.record.MaxTokens = request.Stream, request.MaxTokens
	if x.playLate() {
		return
	}
	if err != nil {
		param := "body"
		if errors.Is(err, errMissingMessages) {
			param = "body.messages"
		}
		x.reject(http.StatusBadRequest, "Bad Request", param, "1 validation error: "+err.Error())
		return
	}
	if !s.serves(request.Model) {
		x.reject(http.StatusNotFound, "NotFoundError", "model", fmt.Sprintf("The model `%s` is not served here. Served: %s.", request.Model, s.modelNames()[0]))
		return
	}
	x.request.Prompt.RequestID = x.record.RequestID
	tokens, keys, err := s.options.Counter.Count(x.request.Prompt, x.scratch.keys)
	if err != nil {
		x.reject(http.StatusBadRequest, "BadRequestError", "messages", "counting prompt tokens: "+err.Error())
		return
	}
	x.scratch.keys = keys
	x.record.PromptTokens = tokens
	x.run(tokens, keys)
}

func (s *Server) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{server: s, w: w, r: r, scratch: scratches.Get().(*scratch), sleeper: s.engine.newSleeper()}
	x.record = Record{
		HandledNs: s.clock.now(), Method: r.Method, Path: r.URL.Path, Protocol: r.Proto,
		RequestID: r.Header.Get("X-Request-ID"), CorrelationID: r.Header.Get("X-Correlation-ID"),
	}
	x.tap, _ = r.Context().Value(tapKey{}).(*tap)
	x.record.Connection = x.tap.number
	x.record.OnConnection = x.tap.requests.Add(1)
	x.tap.firstWrite.Store(0)
	x.record.ArrivalNs = x.record.HandledNs
	if first := x.tap.firstRead.Load(); first != 0 && r.ProtoMajor == 1 {
		x.record.ArrivalNs = first
	}
	return x
}

// enter counts a request as in flight.
func (s *Server) enter() {
	inFlight := s.inFlight.Add(1)
	for {
		most := s.maxInFlight.Load()
		if inFlight <= most || s.maxInFlight.CompareAndSwap(most, inFlight) {
			return
		}
	}
}

// finish makes the record and gives the exchange's memory back.
func (x *exchange) finish() {
	s := x.server
	if x.job != nil {
		s.engine.cancel(x.job) // nothing where it has ended
		x.record.AdmittedNs, x.record.FirstDueNs = x.job.AdmittedNs, x.job.FirstTokenNs
		x.record.CachedTokens, x.record.OutputTokens = x.job.CachedTokens, x.job.Produced()
	}
	if x.r.ProtoMajor == 1 {
		if x.record.FirstByteNs = x.tap.firstWrite.Load(); x.record.FirstByteNs != 0 {
			x.record.EndNs = x.tap.lastWrite.Load()
		}
		x.tap.firstRead.Store(0)
		x.tap.unread.Store(x.record.BodyReadNs == 0)
	}
	if !x.unlisted {
		s.records.add(x.record)
		s.inFlight.Add(-1)
	}
	if x.lastWord {
		s.recording.Add(-1)
	}
	x.scratch.body = x.body[:0]
	scratches.Put(x.scratch)
	if x.giveBack != nil {
		s.listener.offer(x.giveBack)
	}
}

// readBody reads the whole body; false when it was answered or the client went away.
func (x *exchange) readBody() bool {
	limit := x.server.options.MaxBodyBytes
	if x.r.ContentLength > limit {
		x.reject(http.StatusRequestEntityTooLarge, "BadRequestError", "", fmt.Sprintf("request body of %d bytes is over the limit of %d", x.r.ContentLength, limit))
		return false
	}
	x.body = x.scratch.body[:0]
	if want := int(x.r.ContentLength); want > cap(x.body) {
		x.body = make([]byte, 0, want)
	}
	for {
		if len(x.body) == cap(x.body) {
			x.body = append(x.body, 0)[:len(x.body)]
		}
		n, err := x.r.Body.Read(x.body[len(x.body):cap(x.body)])
		x.body = x.body[:len(x.body)+n]
		if int64(len(x.body)) > limit {
			x.reject(http.StatusRequestEntityTooLarge, "BadRequestError", "", fmt.Sprintf("request body is over the limit of %d bytes", limit))
			return false
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			x.record.Outcome = "client_gone"
			return false
		}
	}
	x.record.BodyBytes = int64(len(x.body))
	x.record.BodyReadNs = x.server.clock.now()
	if last := x.tap.lastRead.Load(); x.r.ProtoMajor == 1 && last != 0 {
		x.record.BodyReadNs = last
	}
	return true
}

func (s *Server) serves(model string) bool {
	if len(s.options.Models) == 0 {
		return true
	}
	for _, name := range s.options.Models {
		if name == model {
			return true
		}
	}
	return false
}

// reject answers with an error that does not come from the model.
func (x *exchange) reject(status int, kind, param, message string) {
	x.record.Status, x.record.Outcome = status, "rejected"
	writeError(x.w, status, kind, param, message)
	x.flush()
}

// flush sends what was written, so that the record has the time of it.
func (x *exchange) flush() {
	x.beforeLastWrite()
	x.record.EndNs = x.server.clock.now() // HTTP/1.1 has better: see finish
	if x.record.FirstByteNs == 0 {
		x.record.FirstByteNs = x.record.EndNs
	}
	_ = http.NewResponseController(x.w).Flush()
}

// beforeLastWrite makes Server.Records wait for this exchange's record: the client may ask for it as
// soon as the write is done.
func (x *exchange) beforeLastWrite() {
	if !x.lastWord {
		x.lastWord = true
		x.server.recording.Add(1)
	}
}

// run takes the request through the model and answers it.
func (x *exchange) run(tokens int, keys []uint64) {
	s := x.server
	ctx, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	name := x.record.RequestID
	if name == "" {
		name = strconv.FormatInt(x.record.Index, 10)
	}
	job, admitted, p := s.engine.arrive(servermodel.Request{
		Name: name, PromptTokens: tokens, Keys: keys, MaxTokens: x.request.MaxTokens, IgnoreEOS: x.request.IgnoreEOS,
	})
	x.job = job
	if p.outcome == servermodel.Refused || p.outcome == servermodel.Overflow {
		x.record.Outcome = p.outcome.String()
		if x.sleeper.until(ctx, x.record.BodyReadNs+s.options.Server.RefusalNs) {
			x.refuse(p.outcome, tokens)
			x.flush()
		}
		return
	}
	if !p.admitted {
		select {
		case <-admitted:
			p = s.engine.progress(job, 0)
		case <-ctx.Done():
			x.record.Outcome = "client_gone"
			return
		}
	}
	x.usage = usage{Prompt: tokens}
	if !s.options.NoUsageDetails {
		x.usage.Details = &usageDetails{Cached: p.cached}
	}
	var ok bool
	if x.request.Stream {
		ok = x.stream(ctx, p)
	} else {
		ok = x.answerWhole(ctx)
	}
	if !ok {
		x.record.Outcome = "client_gone"
	}
	x.flush()
}

// refuse answers a request that the model did not take.
func (x *exchange) refuse(outcome servermodel.Outcome, tokens int) {
	if outcome == servermodel.Refused {
		x.record.Status = http.StatusInternalServerError
		writeError(x.w, x.record.Status, "InternalServerError", "", "the engine could not take the request (ordered by the error rate)")
		return
	}
	window := x.server.options.Server.WindowTokens
	x.record.Status = http.StatusBadRequest
	if tokens >= window {
		writeError(x.w, x.record.Status, "BadRequestError", "input_tokens", fmt.Sprintf(
			"The maximum context length here is %d tokens, and your prompt alone has %d. Shorten the prompt. (parameter=input_tokens, value=%d)", window, tokens, tokens))
		return
	}
	writeError(x.w, x.record.Status, "BadRequestError", "max_completion_tokens", fmt.Sprintf(
		"The maximum context length here is %d tokens, and you asked for %d: %d in the prompt and %d for the answer.", window, tokens+x.request.MaxTokens, tokens, x.request.MaxTokens))
}

// finishReason is why an answer is over.
func finishReason(stopped bool) string {
	if stopped {
		return "stop"
	}
	return "length"
}

// answerWhole waits for the last token and sends one JSON object.
func (x *exchange) answerWhole(ctx context.Context) bool {
	p, there := x.await(ctx, math.MaxInt)
	if !there {
		return false
	}
	x.record.Outcome, x.record.Status = p.outcome.String(), http.StatusOK
	x.usage.Completion, x.usage.Total = p.emitted, x.usage.Prompt+p.emitted
	if p.outcome != servermodel.Finished {
		x.record.Status = http.StatusInternalServerError
		writeError(x.w, http.StatusInternalServerError, "InternalServerError", "", "the engine failed in mid-answer (ordered by the abort rate)")
		return true
	}
	reasoning := min(x.server.options.ReasoningTokens, p.emitted)
	message := map[string]any{"role": "assistant", "content": answerText(reasoning, p.emitted)}
	if reasoning > 0 {
		message[x.server.options.ReasoningKey] = answerText(0, reasoning)
		x.usage.Output = &usageOutput{Reasoning: reasoning}
	}
	writeJSON(x.w, http.StatusOK, map[string]any{
		"id": x.answerID(), "object": "chat.completion", "created": time.Now().Unix(), "model": x.request.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": finishReason(p.stopped)}},
		"usage":   x.usage,
	})
	return true
}

func (x *exchange) answerID() string { return fmt.Sprintf("chatcmpl-%016x", x.record.Index) }
