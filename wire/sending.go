package wire

import "net"

// sending is what an exchange needs while it writes its request: some 100 KiB with a large prompt. It is
// given back as soon as the request is written, so that thousands of waiting exchanges stay small.
type sending struct {
	plan    bodyPlan
	headers []Header
	body    bodyReader
	gather  []byte // what the next write carries
	parts   net.Buffers
	storage [1 + keptParts][]byte // of parts
}

// keptParts is how many kept blocks one write carries: a quarter of a megabyte.
const keptParts = 4

func newSending() *sending { return &sending{gather: make([]byte, 0, gatherSize)} }

// layOut makes the request ready to be written.
func (x *exchange) layOut() {
	x.send = x.client.sendings.Get()
	x.send.plan.plan(x.options, &x.request.Body)
	x.send.headers = appendHeaders(x.send.headers[:0], x.target.headers, x.request)
}

// letGo gives back what only writing needs, and lets go of the caller's bytes.
func (x *exchange) letGo() {
	if x.send == nil {
		return
	}
	clear(x.send.plan.segments)
	x.send.body.letGo()
	clear(x.send.headers)
	clear(x.send.storage[:])
	x.send.parts = nil
	x.client.sendings.Put(x.send)
	x.send = nil
}
