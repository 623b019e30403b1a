package wire

import "time"

// A flood is an answer of which floodBytes came in one go, each read finding at least as much as it could take.
// It never waits for its socket, so that it would keep a core busy.
const floodBytes = 256 << 10

// After each floodStretch a flood rests for floodRest: its core looks then at what else is there to do, sockets
// included, which the scheduler of Go does only where a core runs out of work (else every 10 ms). At most 64 MB/s
// of a flood are read so.
const (
	floodStretch = 64 << 10
	floodRest    = time.Millisecond
)

// takeBody has the answer take body bytes. Floods take turns, and rest: they leave the cores to the requests that
// are due.
func (x *exchange) takeBody(data []byte) {
	if x.input.to < len(x.input.buffer) {
		x.unbroken = 0
	}
	x.unbroken += len(data)
	if x.unbroken <= floodBytes {
		x.answer.take(data, x.meter.stampNs)
		return
	}
	x.client.floods <- struct{}{}
	x.answer.take(data, x.meter.stampNs)
	<-x.client.floods
	if x.unbroken > floodBytes+floodStretch {
		x.unbroken = floodBytes
		time.Sleep(floodRest)
	}
}
