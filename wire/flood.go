package wire

// floodBytes is how much of an answer comes in one go, each read finding at least as much as it can take,
// before the answer counts as a flood.
const floodBytes = 256 << 10

// takeBody has the answer take body bytes. Floods take turns: a flood never waits for its socket, so each
// would keep a core busy. One at a time, they leave the other cores to the requests that are due.
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
}
