package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// codeCancelled is the code of a cancelled request in the peer's records.
const codeCancelled = 499

// failWaiting ends an exchange that got no slot.
func (x *exchange) failWaiting(ctx context.Context, err error) {
	if ctx.Err() != nil {
		x.cancelled(context.Cause(ctx))
		return
	}
	if passed := x.limits.passed(x.clock.Now()); passed != nil {
		err = passed
	}
	x.fail(&fault{class: ClassTimeout, err: &Error{Type: typeTimeout, Message: "no connection was free: " + err.Error()}})
}

// failOpening ends an exchange whose connection could not be opened.
func (x *exchange) failOpening(ctx context.Context, err error) {
	if ctx.Err() != nil {
		x.cancelled(context.Cause(ctx))
		return
	}
	if passed := x.limits.passed(x.clock.Now()); passed != nil {
		x.failReading(passed)
		return
	}
	if errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
		text := fmt.Sprintf("no connection within %v: %v", x.options.Timeouts.Connect, err)
		x.fail(&fault{class: ClassTimeout, err: &Error{Type: typeConnTimeout, Message: text}})
		return
	}
	described := transportError(typeConnector, err)
	var opening *openError
	if errors.As(err, &opening) {
		described = opening.describe()
	}
	x.fail(&fault{class: ClassTransport, err: described})
}

// failReading ends an exchange by an error of the connection or a limit that passed.
func (x *exchange) failReading(err error) {
	var timeout *timeoutError
	var body *bodyError
	switch {
	case errors.As(err, &body):
		x.fail(&fault{class: ClassRequest, err: &Error{Type: typeRequest, Message: body.Error()}})
	case errors.Is(err, errGrace):
		x.ended = endGrace
	case errors.Is(err, errContext):
		x.cancelled(x.guard.cause())
	case errors.Is(err, ErrCancelAfter):
		x.cancelled(ErrCancelAfter)
	case errors.As(err, &timeout):
		described := &Error{Type: timeout.kind, Message: timeout.text}
		if timeout.kind == typeSendTimeout {
			described.Code = new(int)
		}
		x.fail(&fault{class: ClassTimeout, err: described})
	default:
		var gone *h2Fault
		unseen := errors.As(err, &gone) && gone.kind == kindGoAway
		x.fail(&fault{class: ClassTransport, err: x.describeBroken(err), closed: isClosed(err) || unseen, unseen: unseen})
	}
}

// describeBroken names what a broken connection is to the peer: before the answer, in its head, in its
// body.
func (x *exchange) describeBroken(err error) *Error {
	var frame *framingError
	var stream *h2Fault
	switch {
	case x.result.HeadersNs != Unset:
		return transportError(typePayload, err)
	case errors.As(err, &frame):
		return transportError(typeResponse, err)
	case errors.As(err, &stream), isReset(err):
		return transportError(typeOS, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		described := transportError(typeDisconnected, err)
		described.Message = "the server closed the connection before it answered"
		return described
	}
	return transportError(typeOS, err)
}

// cancelled ends the exchange at the caller's wish; what has come stays.
func (x *exchange) cancelled(cause error) {
	now := max(x.clock.Now(), x.result.StartNs)
	code := codeCancelled
	x.fail(&fault{cancelled: true, cause: cause, err: &Error{Code: &code, Type: typeCancelled, Message: "the request was cancelled"}})
	if x.result.CancelNs == Unset {
		x.result.CancelNs = now
	}
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}
