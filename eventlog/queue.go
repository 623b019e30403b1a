package eventlog

import "time"

const (
	segmentRows  = 512
	segmentArena = 64 << 10
	// commitRows is the most rows of one commit; a cap of 512 would stop a run on a slow disk in
	// seconds, because a commit costs the same whatever it carries.
	commitRows = 8192
	// takeSegments is how many segments one commit takes at most.
	takeSegments = commitRows / segmentRows
)

// segment holds up to segmentRows events and the bytes of their payloads and data. The queue is made
// of segments so that adding never copies what is already queued.
type segment struct {
	events [segmentRows]Event
	n      int
	arena  []byte // capacity segmentArena; what does not fit is allocated on its own
	next   *segment
}

func (s *segment) copyIn(bytes []byte) []byte {
	if len(bytes) == 0 {
		return nil
	}
	if len(s.arena)+len(bytes) > cap(s.arena) {
		return append([]byte(nil), bytes...)
	}
	start := len(s.arena)
	s.arena = append(s.arena, bytes...)
	return s.arena[start:len(s.arena):len(s.arena)]
}

// queuedPlan is a plan that waits for the batch with the event that comes after it.
type queuedPlan struct {
	before Seq
	digest Digest
	bytes  []byte
}

// queue is what was added and not yet taken by the writer goroutine. The Writer's lock guards it.
type queue struct {
	first, last *segment
	events      int
	plans       []queuedPlan
	oldest      time.Time // when the queue last became non-empty
	free        *segment
	freeCount   int
}

// push copies the event to the end.
func (q *queue) push(event *Event) {
	if q.last == nil || q.last.n == segmentRows {
		q.grow()
	}
	into := q.last
	slot := &into.events[into.n]
	*slot = *event
	slot.Payload = into.copyIn(event.Payload)
	slot.Data = into.copyIn(event.Data)
	into.n++
	q.events++
}

func (q *queue) grow() {
	added := q.free
	if added != nil {
		q.free, added.next = added.next, nil
		q.freeCount--
	} else {
		added = &segment{arena: make([]byte, 0, segmentArena)}
	}
	if q.last == nil {
		q.first, q.last = added, added
		return
	}
	q.last.next, q.last = added, added
}

// take removes up to takeSegments segments, and the plans that belong before their last event.
func (q *queue) take() batch {
	var taken batch
	taken.first = q.first
	for count := 0; q.first != nil && count < takeSegments; count++ {
		taken.last = q.first
		taken.events += q.first.n
		q.first = q.first.next
	}
	if q.first == nil {
		q.last = nil
	}
	q.events -= taken.events
	if taken.last == nil {
		return taken
	}
	taken.last.next = nil
	last := taken.lastSeq()
	for len(q.plans) > 0 && q.plans[0].before <= last {
		taken.plans = append(taken.plans, q.plans[0])
		q.plans = q.plans[1:]
	}
	return taken
}

// giveBack keeps some of a batch's segments for later use.
func (q *queue) giveBack(done batch) {
	for s := done.first; s != nil && q.freeCount < takeSegments; {
		next := s.next
		clear(s.events[:s.n])
		s.n, s.arena, s.next = 0, s.arena[:0], q.free
		q.free = s
		q.freeCount++
		s = next
	}
}

// batch is what one commit writes.
type batch struct {
	first, last *segment
	events      int
	plans       []queuedPlan
}

func (b *batch) firstSeq() Seq { return b.first.events[0].Seq }

func (b *batch) lastSeq() Seq { return b.last.events[b.last.n-1].Seq }

// bytes counts as the queue's bound does.
func (b *batch) bytes() int64 {
	var total int64
	for s := b.first; s != nil; s = s.next {
		for i := range s.n {
			total += eventBytes(&s.events[i])
		}
	}
	for _, plan := range b.plans {
		total += int64(len(plan.bytes))
	}
	return total
}

func eventBytes(event *Event) int64 { return int64(len(event.Payload) + len(event.Data)) }
