package mockserver

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"time"
)

// stage is when a behaviour takes a request over.
type stage uint8

const (
	afterBody  stage = iota // the request was read and understood as far as possible
	beforeBody              // only the head was read
)

// playEarly chooses the request's fault and plays it where it comes before the body is read. It says
// whether the request is done with.
func (x *exchange) playEarly() bool {
	chosen, err := x.server.faults.choose(x.r, x.record.Index)
	if err != nil {
		x.reject(http.StatusBadRequest, "BadRequestError", "X-Mock-Fault", err.Error())
		return true
	}
	x.order = chosen
	if chosen == nil || chosen.behaviour.stage != beforeBody {
		return false
	}
	x.perform(chosen)
	return true
}

// playOther plays the fault of a request to another path than the chat endpoint, where it has one.
func (s *Server) playOther(w http.ResponseWriter, r *http.Request) bool {
	chosen, err := s.faults.choose(r, 0)
	if err != nil || chosen == nil {
		if err != nil {
			writeError(w, http.StatusBadRequest, "BadRequestError", "X-Mock-Fault", err.Error())
		}
		return err != nil
	}
	x := s.newExchange(w, r)
	x.unlisted = true
	defer x.finish()
	if chosen.behaviour.stage == afterBody && !x.readBody() {
		return true
	}
	x.perform(chosen)
	return true
}

// playLate plays a fault that comes after the request was read, or a scripted response.
func (x *exchange) playLate() bool {
	if x.order != nil {
		x.perform(x.order)
		return true
	}
	if response := x.server.faults.response(x.request.MaxTokens); response != nil {
		p := x.newPlay(Args{})
		p.scripted(response)
		x.record.Fault = "scripted"
		x.act(p)
		return true
	}
	return false
}

func (x *exchange) newPlay(args Args) *play {
	if args.DelayMs == 0 {
		args.DelayMs = 100
	}
	model := x.request.Model
	if model == "" {
		model = x.server.modelNames()[0]
	}
	return &play{
		args: args, request: x.request, apiKey: x.r.Header.Get("Authorization"), path: x.r.URL.Path,
		stream: newChunkWriter(x.answerID(), model, time.Now().Unix(), x.server.options.ReasoningKey),
	}
}

func (x *exchange) perform(chosen *order) {
	x.record.Fault = chosen.behaviour.Name
	p := x.newPlay(chosen.args)
	chosen.behaviour.build(p)
	x.act(p)
}

// act takes the connection over and does what the play says.
func (x *exchange) act(p *play) {
	x.record.Outcome = "fault"
	conn, buffered, err := http.NewResponseController(x.w).Hijack()
	if err != nil { // HTTP/2 has no connection to take over
		x.reject(http.StatusNotImplemented, "NotImplementedError", "", "this fault is for HTTP/1.1: "+err.Error())
		return
	}
	// From here on the connection is ours: it is closed, or given back, on every path.
	_ = conn.SetDeadline(time.Time{})
	var body io.Reader = http.NoBody
	if x.record.BodyReadNs == 0 {
		body = io.LimitReader(buffered, x.r.ContentLength)
		if x.r.ContentLength < 0 {
			body = httputil.NewChunkedReader(buffered)
		}
	}
	x.soonOver = p.ending != endHang && p.ending != endLinger
	ok := p.body != bodyPaced || x.readPaced(body, p.args.Bytes)
	if ok {
		ok = x.writeSteps(conn, p.steps)
	}
	if ok && p.body == bodyAfter {
		_, err := io.Copy(io.Discard, body)
		ok = err == nil
	}
	if !ok {
		_ = conn.Close()
		return
	}
	x.sleeper.until(x.server.stopping, x.beganNs+p.atNs)
	x.end(conn, p.ending, func() []byte {
		unread, _ := buffered.Peek(buffered.Reader.Buffered())
		return slices.Clone(unread)
	})
}

// readPaced reads a request body at a rate in bytes a second.
func (x *exchange) readPaced(body io.Reader, rate int64) bool {
	piece := make([]byte, max(1, rate/100))
	for {
		n, err := io.ReadFull(body, piece)
		x.record.BodyBytes += int64(n)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			x.record.BodyReadNs = x.server.clock.now()
			return true
		}
		if err != nil || !x.sleeper.until(x.server.stopping, x.server.clock.now()+int64(10*time.Millisecond)) {
			return false
		}
	}
}

// writeSteps writes each step at its time; false when the client is gone or the server goes down.
func (x *exchange) writeSteps(conn net.Conn, steps []step) bool {
	x.beganNs = x.server.clock.now()
	for number, s := range steps {
		if !x.sleeper.until(x.server.stopping, x.beganNs+s.atNs) {
			return false
		}
		if number == len(steps)-1 && s.times == 1 && x.soonOver {
			x.beforeLastWrite()
		}
		for i := int64(0); i != s.times; i++ {
			if i > 0 && s.apart > 0 && !x.sleeper.until(x.server.stopping, x.server.clock.now()+s.apart) {
				return false
			}
			if _, err := conn.Write(s.data); err != nil {
				return false
			}
		}
	}
	return true
}

// end does to the connection what the play ends with. unread is what the client sent beyond the request.
func (x *exchange) end(conn net.Conn, how ending, unread func() []byte) {
	switch how {
	case endKeep:
		if waiting := unread(); len(waiting) > 0 {
			conn = &unreadConn{Conn: conn, unread: waiting}
		}
		x.giveBack = conn // once the record is made
		return
	case endReset:
		resetOnClose(x.tap.Conn)
		_ = x.tap.Close() // below TLS: no farewell
		return
	case endLinger:
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		drain(x.server.stopping, conn)
	case endHang:
		drain(x.server.stopping, conn)
	}
	_ = conn.Close()
}

// drain reads until the client closes. The server's end closes the connection, which ends it too.
func drain(stopping context.Context, conn net.Conn) {
	if stopping.Err() == nil {
		_, _ = io.Copy(io.Discard, conn)
	}
}

func sortedNames(headers map[string]string) []string {
	return slices.Sorted(maps.Keys(headers))
}
