package wire

import (
	"context"
	"errors"
	"os"

	"agentx/wire/sse"
)

// exchange is one Do under way. Its buffers are reused from exchange to exchange.
type exchange struct {
	client  *Client
	options *Options
	clock   Clock
	request *Request
	target  *target
	result  Result

	guard    guard
	meter    meter
	conn     *conn
	limits   deadlines
	send     *sending // nil once the request is written
	input    inbox
	headText []byte // head of the answer under way
	head     head
	known    head // of the answer before, on any connection
	decoder  chunkDecoder
	bodyLeft int64 // of a body with a length
	unbroken int   // bytes of the body since a read found less than it could take
	stream   h2stream
	lastPart int64 // ns: before the write that carried the request's last byte
	answer   answer
	burst    *Burst
	begun    bool           // its burst, if it has one, knows that it has begun
	early    bool           // it was taken up before its burst is due, and nothing of it counts yet
	aside    chan asideRead // a read under TLS that was begun while a write stalled
	fault    *fault         // the first thing that went wrong
	ended    endKind
}

// inbox holds bytes that were read and not yet used.
type inbox struct {
	buffer []byte
	from   int
	to     int
}

const inboxSize = 16 << 10

func (i *inbox) unread() []byte { return i.buffer[i.from:i.to] }

// room is where the next read goes.
func (i *inbox) room() []byte {
	if i.from == i.to {
		i.from, i.to = 0, 0
	} else if i.to == len(i.buffer) && i.from > 0 {
		i.from, i.to = 0, copy(i.buffer, i.unread())
	}
	return i.buffer[i.to:]
}

// endKind says how an answer ended.
type endKind uint8

const (
	notEnded   endKind = iota
	endFramed          // by its length, or its last chunk
	endClosed          // the connection closed, which ends an answer without length
	endGrace           // finished, but no end came within the grace
	endFlooded         // given up: it had passed its limit and went on
)

// fault is why an exchange failed.
type fault struct {
	class     string
	err       *Error
	cancelled bool
	cause     error
	closed    bool // the peer closed or reset the connection
	unseen    bool // it said that it has not looked at the request
}

func newExchange(c *Client) *exchange {
	x := &exchange{client: c, options: &c.options, clock: c.options.Clock}
	x.input.buffer = make([]byte, inboxSize)
	x.answer = answer{scanner: sse.Scanner{Limit: c.options.Limits.LineBytes, Spare: &c.longLines}}
	return x
}

// run makes the exchange.
func (x *exchange) run(ctx context.Context, request *Request) Result {
	x.request = request
	x.target = x.client.targetOf(request.URLIndex)
	x.result = emptyResult(request, len(x.client.targets))
	x.fault, x.ended = nil, notEnded
	now := x.takeUp(x.clock.Now())
	defer x.begin()
	x.result.StartNs, x.result.FirstStartNs = now, now
	x.answer.reset(x)
	if err := x.prepare(request); err != nil {
		x.fail(&fault{class: ClassRequest, err: &Error{Type: typeRequest, Message: err.Error()}})
		return x.judge()
	}
	x.limits.begin(x.options, request, now)
	x.guard.watch(ctx)
	if request.StreamBody != nil {
		request.StreamBody.begin(x.client.room, x.send.plan.length, x.send.plan.kept)
		defer request.StreamBody.end()
	}
	x.work(ctx)
	x.guard.release()
	return x.judge()
}

// takeUp tells the request's burst that a core has taken it up. It gives when the exchange begins: not before
// it is due.
func (x *exchange) takeUp(now int64) (start int64) {
	x.burst = x.request.Burst
	if x.begun, x.early = x.burst == nil, false; x.begun {
		return now
	}
	x.burst.takeUp()
	x.early = now < x.burst.due
	return max(now, x.burst.due)
}

// holdBack waits, before the first write, for the instant at which the request is due. What it waited for
// before is not counted: the exchange, and its limits, begin then.
func (x *exchange) holdBack() error {
	if !x.early {
		return nil
	}
	waited, err := x.burst.hold(x.guard.ctx)
	if err != nil {
		return errContext
	}
	now := max(x.clock.Now(), x.result.StartNs)
	if waited {
		x.result.StartNs, x.result.FirstStartNs = now, now
		x.limits.begin(x.options, x.request, now)
	}
	x.countFromDue(now)
	return nil
}

// countFromDue takes out of the times of opening what lay before the exchange began: what came last is kept.
func (x *exchange) countFromDue(now int64) {
	if !x.early {
		return
	}
	x.early = false
	r, left := &x.result, now-x.result.StartNs
	for _, part := range [...]*int64{&r.TLSNs, &r.ConnectNs, &r.DNSNs, &r.ConnWaitNs} {
		*part = min(*part, left)
		left -= max(*part, 0)
	}
}

// begin tells the request's burst, once, that this request keeps nobody back any more.
func (x *exchange) begin() {
	if !x.begun {
		x.begun = true
		x.burst.begin()
	}
}

// beginTogether is called when the beginning of a larger body is out: the rest waits until the others that
// are due now have begun too.
func (x *exchange) beginTogether() error {
	x.begin()
	if x.burst != nil && x.burst.wait(x.guard.ctx) != nil {
		return errContext
	}
	return nil
}

// prepare makes the request ready, and refuses what cannot be sent.
func (x *exchange) prepare(request *Request) error {
	if err := checkRequest(request); err != nil {
		return err
	}
	x.layOut()
	return nil
}

// work waits for a slot and makes the attempts: one, and a second where the first met a dead connection.
func (x *exchange) work(ctx context.Context) {
	waited, err := x.client.pool.enter(ctx, x.limits.request)
	x.result.ConnWaitNs = waited
	if err != nil {
		x.failWaiting(ctx, err)
		return
	}
	defer x.client.pool.leave()
	x.attempt(ctx, false)
	if !x.mayResend() {
		x.dispose()
		return
	}
	x.dispose()
	x.client.pool.resends.Add(1)
	x.again()
	x.attempt(ctx, true)
	x.dispose()
}

// attempt sends the request on one connection and reads the answer.
func (x *exchange) attempt(ctx context.Context, fresh bool) {
	x.answer.reset(x)
	x.meter.reset(x.request.KeepReads)
	c, err := x.client.pool.get(ctx, x.target.host, x.request.SessionID, fresh, x.limits.request)
	x.noteConn(c)
	if err != nil {
		x.failOpening(ctx, err)
		return
	}
	x.attach(c)
	if x.send == nil {
		x.layOut()
	}
	if c.h2 != nil {
		x.exchangeH2()
	} else {
		x.exchangeH1()
	}
	x.noteMeter()
}

// attach gives the exchange its connection.
func (x *exchange) attach(c *conn) {
	x.conn = c
	c.lower.meter, c.lower.guard, c.lower.stall = &x.meter, &x.guard, x.stalled
	x.input.from, x.input.to = 0, 0
	x.limits.armed = 0
	x.guard.attach(c.lower)
}

// dispose gives the connection back or closes it.
func (x *exchange) dispose() {
	x.guard.attach(nil)
	c := x.conn
	if c == nil {
		return
	}
	x.conn = nil
	if x.aside == nil && x.reusable(c) {
		x.client.pool.put(c, x.request.SessionID, x.request.LastTurn, x.head.keep)
		return
	}
	c.close()
	if x.aside != nil { // a read that was begun aside ends with the connection
		<-x.aside
		x.aside = nil
	}
}

// reusable tells whether the connection is at the border between two exchanges.
func (x *exchange) reusable(c *conn) bool {
	if x.options.Reuse == ReuseNever || x.ended != endFramed || x.fault != nil || x.result.Early || x.guard.over() {
		return false
	}
	if c.h2 != nil {
		return c.h2.usable()
	}
	return !x.head.close && len(x.input.unread()) == 0
}

// read reads once from the connection, within the limits that hold now.
func (x *exchange) read(p []byte) (int, error) {
	for {
		if until := x.limits.next(); until != x.limits.armed {
			x.limits.armed = until
			x.guard.readUntil(x.clock.at(until))
		}
		n, err := x.conn.Read(p)
		if n > 0 {
			x.limits.heard(x.meter.stampNs)
			return n, nil
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return 0, err
		}
		if passed := x.passed(); passed != nil {
			return 0, passed
		}
		x.limits.armed = 0
	}
}

// fill reads more of the answer into the inbox.
func (x *exchange) fill() error {
	if x.aside != nil {
		return x.takeAside()
	}
	n, err := x.read(x.input.room())
	x.input.to += n
	return err
}

// passed gives the limit that has passed, nil where none has.
func (x *exchange) passed() error {
	if x.guard.over() {
		return errContext
	}
	return x.limits.passed(x.clock.Now())
}

// fail keeps the first fault.
func (x *exchange) fail(f *fault) {
	if x.fault == nil {
		x.fault = f
		x.result.EndNs = max(x.clock.Now(), x.result.StartNs)
		x.countFromDue(x.result.EndNs)
	}
}

// noteConn records how the connection came to be.
func (x *exchange) noteConn(c *conn) {
	r := &x.result
	r.Protocol, r.LocalAddr, r.RemoteAddr = c.protocol, c.local, c.remote
	r.Reused = c.uses > 1
	if c.lower == nil {
		r.Protocol = ""
	}
	if !r.Reused {
		r.DNSNs, r.ConnectNs, r.TLSNs = c.dnsNs, c.connectNs, c.tlsNs
	}
}

// noteMeter records what passed through the socket.
func (x *exchange) noteMeter() {
	r, m := &x.result, &x.meter
	r.Writes, r.Reads = m.writes, m.reads
	r.SendStartNs = m.firstWriteNs
	r.ReadDelayMaxNs, r.KernelStamps = m.delayMaxNs, m.kernelStamps
	r.WriteList, r.ReadList = m.writeList, m.readList
	if r.FirstByteNs != Unset && r.WrittenNs != Unset && r.FirstByteNs < r.WrittenNs {
		// The answer bounds the moment from above: the stamp after the last write came late. Where it came
		// before that write began, the server answered without having the whole request.
		r.Early = r.Early || r.FirstByteNs < x.lastPart
		r.WrittenNs = max(r.FirstByteNs, x.lastPart)
	}
}
