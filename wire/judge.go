package wire

import (
	"bytes"
	"fmt"
	"strings"
)

// emptyResult is the result of an exchange in which nothing has happened yet.
func emptyResult(r *Request, urls int) Result {
	return Result{
		URLIndex:   r.URLIndex % max(urls, 1),
		ConnWaitNs: Unset, DNSNs: Unset, ConnectNs: Unset, TLSNs: Unset,
		SendStartNs: Unset, WrittenNs: Unset, FirstByteNs: Unset, HeadersNs: Unset, FirstBodyNs: Unset,
		FirstTokenNs: Unset, FirstTextNs: Unset, SecondTokenNs: Unset, LastTokenNs: Unset, LastResponseNs: Unset,
		LastByteNs: Unset, EndNs: Unset, CancelNs: Unset,
		FirstChunkTokens: Unset,
	}
}

// judge gives the exchange its one outcome.
func (x *exchange) judge() Result {
	r := &x.result
	switch {
	case x.fault != nil && x.fault.cancelled:
		r.Outcome, r.Err, r.CancelCause = OutcomeCancelled, x.fault.err, x.fault.cause
	case r.HeadersNs != Unset && (r.Status < 200 || r.Status > 299):
		x.judgeStatus()
	case x.answer.failed != nil && r.HeadersNs != Unset:
		x.judgeInStream(x.answer.failed)
	case r.Streamed && x.answer.scanner.Overlong():
		x.refuse(ClassLineTooLong, typeTooLong, fmt.Sprintf("an event of the stream is longer than %d bytes%s", x.lineLimit(), x.gaveUp()))
	case x.fault != nil && !x.complete():
		r.Outcome, r.Class, r.Err = OutcomeError, x.fault.class, x.fault.err
	case x.answer.kind == asStream:
		x.judgeStream()
	default:
		x.judgeWhole()
	}
	if r.EndNs == Unset || r.Outcome == OutcomeOK && r.LastByteNs != Unset {
		r.EndNs = max(r.LastByteNs, r.StartNs)
	}
	x.mask()
	return x.release()
}

// release hands the result out and lets go of what belongs to the caller.
func (x *exchange) release() Result {
	result := x.result
	x.result = Result{}
	x.letGo()
	x.request, x.target, x.conn = nil, nil, nil
	return result
}

// complete tells whether a stream had said all before the connection failed or a limit passed: a broken
// end after [DONE] or the last finish reason takes nothing away.
func (x *exchange) complete() bool {
	return x.answer.kind == asStream && x.result.HeadersNs != Unset && x.finished()
}

// finished tells whether [DONE] came, or a finish reason of every choice.
func (x *exchange) finished() bool {
	r := &x.result
	if r.Done {
		return true
	}
	for i := range r.Choices {
		if r.Choices[i].Finish == "" {
			return false
		}
	}
	return len(r.Choices) > 0
}

// judgeStatus judges an answer with a status outside 200..299.
func (x *exchange) judgeStatus() {
	r := &x.result
	code := r.Status
	r.Err = &Error{Code: &code, Type: r.Reason, Message: string(x.answer.body)}
	if r.Err.Type == "" {
		r.Err.Type = statusText(code)
	}
	if r.Err.Message == "" && x.head.location != "" {
		r.Err.Message = "redirects are not followed; this one goes to " + RedactURL(x.head.location)
	}
	if x.answer.cut {
		r.Err.Message += "… (cut" + x.gaveUp() + ")"
	}
	r.Outcome, r.Class = OutcomeError, ClassHTTP
	if overflowStatus(code) {
		x.classify(r.Err.Message)
	}
}

func (x *exchange) judgeInStream(failed *streamFault) {
	r := &x.result
	code := failed.code
	r.Err = &Error{Code: &code, Type: failed.kind, Message: failed.message}
	r.Outcome, r.Class = OutcomeError, ClassInStream
	x.classify(failed.message)
}

// classify makes an error an overflow where its message says so.
func (x *exchange) classify(message string) {
	r := &x.result
	if phrase := matchOverflow(x.options.OverflowPhrases, message); phrase != "" {
		r.Outcome, r.Overflow = OutcomeOverflow, phrase
	} else {
		r.OverflowLike = overflowLike(message)
	}
}

func (x *exchange) refuse(class, kind, message string) {
	x.result.Outcome, x.result.Class, x.result.Err = OutcomeError, class, &Error{Type: kind, Message: message}
}

// judgeStream judges a stream that no error ended.
func (x *exchange) judgeStream() {
	r := &x.result
	content := r.Counts.Content() > 0
	switch {
	case x.answer.broken:
		x.judgeUnstreamed()
	case !content && !x.finished():
		x.refuse(ClassIncompleteStream, typeInvalid, "invalid inference result: the stream brought no content, no finish reason and no [DONE]")
	case !x.finished() && !x.answer.trailing:
		x.refuse(ClassIncompleteStream, typeIncomplete, "the stream ended without a finish reason, [DONE] or final usage")
	case !content:
		r.Outcome, r.Class = OutcomeOK, ClassNoVisibleOutput
	default:
		r.Outcome = OutcomeOK
		if !r.Done && (x.ended == endGrace || x.fault != nil) { // [DONE] is the end, whatever becomes of the body
			r.Class = ClassNoEnd
		}
	}
}

// judgeWhole judges an answer in one piece.
func (x *exchange) judgeWhole() {
	r, a := &x.result, &x.answer
	switch {
	case x.head.encoding != "" && x.head.encoding != "identity":
		x.refuse(ClassIncompleteStream, typeInvalid, "invalid inference result: the body has Content-Encoding "+x.head.encoding+", which was not asked for")
		return
	case a.cut:
		x.refuse(ClassBodyTooLarge, typeTooLarge, fmt.Sprintf("the answer's body is longer than %d bytes%s", x.options.Limits.BodyBytes, x.gaveUp()))
		return
	}
	text := a.body
	chunk, ok := a.parser.Parse(bytes.TrimSpace(bytes.TrimPrefix(text, []byte(byteOrderMark))))
	switch {
	case ok && chunk.Failed:
		failed := &streamFault{kind: typeInvalid, code: codeInStream, message: string(text)}
		failed.describe(chunk)
		x.judgeInStream(failed)
	case ok && len(chunk.Choices) > 0:
		a.event.At, a.event.WireBytes = r.LastByteNs, len(text)
		a.takeChunk(chunk)
		a.flush()
		x.judgeUnstreamed()
	default:
		x.refuse(ClassIncompleteStream, typeInvalid, "invalid inference result: the answer is neither an event stream nor a chat completion")
	}
}

// judgeUnstreamed judges a whole chat completion.
func (x *exchange) judgeUnstreamed() {
	r := &x.result
	r.Outcome = OutcomeOK
	switch {
	case r.Counts.Content() == 0 && x.finished():
		r.Class = ClassNoVisibleOutput
	case r.Counts.Content() == 0:
		x.refuse(ClassIncompleteStream, typeInvalid, "invalid inference result: the answer has no content and no finish reason")
	case x.request.Body.Stream:
		r.Class = ClassNotStreamed
	}
}

// gaveUp tells, where it is so, that the end of too long an answer was not waited for.
func (x *exchange) gaveUp() string {
	if x.ended != endFlooded {
		return ""
	}
	return "; it went on, and the connection was closed"
}

func (x *exchange) lineLimit() int {
	if limit := x.options.Limits.LineBytes; limit > 0 {
		return limit
	}
	return 16 << 20
}

// maxMessage bounds an error's message, in bytes: messages go into logs, and servers put whole pages, or the prompt, into
// them. What a message says of overflows has been looked for in all of it.
const maxMessage = 8 << 10

func shortened(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return fmt.Sprintf("%s… (%d bytes in all)", strings.ToValidUTF8(message[:maxMessage], ""), len(message))
}

// mask takes secrets out of everything that is text of an error, and keeps a failed body's beginning.
func (x *exchange) mask() {
	r, redactor := &x.result, x.client.redactor
	if r.Err == nil {
		return
	}
	r.Err.Type, r.Err.Message, r.Err.Cause = redactor.Text(r.Err.Type), shortened(redactor.Text(r.Err.Message)), redactor.Text(r.Err.Cause)
	r.Reason = redactor.Text(r.Reason)
	if r.Err.Code == nil || r.Outcome != OutcomeCancelled {
		if r.HeadersNs != Unset {
			start := redactor.Answer(x.answer.start)
			r.FailedBody = append([]byte(nil), start...)
		}
	}
}
