package measure

import (
	"iter"
	"sync"

	"agentx/eventlog"
)

const (
	batchRows    = 512
	batchBytes   = 1 << 20
	batchesAhead = 4
)

// batch is a stretch of rows with memory of their own.
type batch struct {
	events []eventlog.Event
	err    error // after the events
}

// readAhead hands the rows over in batches until they end or stop is closed, and closes batches. A reader
// is for one goroutine at a time: reading is held while rows are read, and free while they are handed over.
func readAhead(events iter.Seq2[eventlog.Event, error], batches chan<- batch, stop <-chan struct{}, reading sync.Locker) {
	defer close(batches)
	var now batch
	var memory []byte
	send := func() bool {
		reading.Unlock()
		defer reading.Lock()
		select {
		case batches <- now:
			now, memory = batch{}, nil
			return true
		case <-stop:
			return false
		}
	}
	keep := func(bytes []byte) []byte {
		if len(bytes) == 0 {
			return nil
		}
		start := len(memory)
		memory = append(memory, bytes...)
		return memory[start:len(memory):len(memory)]
	}
	reading.Lock()
	defer reading.Unlock()
	for event, err := range events {
		if err != nil {
			now.err = err
			break
		}
		if memory == nil {
			memory = make([]byte, 0, batchBytes)
		}
		event.Payload, event.Data = keep(event.Payload), keep(event.Data)
		now.events = append(now.events, event)
		if (len(now.events) == batchRows || len(memory) >= batchBytes) && !send() {
			return
		}
	}
	send()
}
