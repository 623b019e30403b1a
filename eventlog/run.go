package eventlog

import "time"

const (
	// groupRows and groupDelay say when a commit starts: at so many queued events, or so long after
	// the first of them.
	groupRows  = 512
	groupDelay = 20 * time.Millisecond
)

// run is the writer goroutine.
func (w *Writer) run(disk *disk) {
	defer close(w.finished)
	for w.await() {
		w.commit(disk)
	}
	w.finish(disk)
}

// await returns true when a commit is due, false when all is written (or cannot be) and Close waits.
func (w *Writer) await() bool {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		w.mu.Lock()
		queued, closing, broken := w.queue.events, w.closing, w.failure != nil
		syncing, oldest := w.syncing > 0, w.queue.oldest
		w.mu.Unlock()
		switch {
		case broken || queued == 0:
			if closing {
				return false
			}
			<-w.wake
		case closing || syncing || queued >= groupRows:
			return true
		default:
			left := groupDelay - time.Since(oldest)
			if left <= 0 {
				return true
			}
			timer.Reset(left)
			select {
			case <-timer.C:
			case <-w.wake:
			}
		}
	}
}

// commit takes what is queued, writes it and acknowledges it, or records the failure.
func (w *Writer) commit(disk *disk) {
	w.mu.Lock()
	taken := w.queue.take()
	w.queue.oldest = time.Now() // of what is left; it is due at once or by its count
	w.mu.Unlock()
	err := disk.write(&taken)
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.committed.Broadcast()
	if err != nil {
		w.fail(err)
		return
	}
	w.acked = taken.lastSeq()
	w.bytes -= taken.bytes()
	w.queue.giveBack(taken)
}

// fail keeps the first failure and gives up what is queued. The lock is held.
func (w *Writer) fail(err error) {
	if w.failure != nil {
		return
	}
	w.failure = &WriteError{Path: w.path, Acked: w.acked, Lost: w.next - 1, Err: err}
	w.queue = queue{}
	w.bytes = 0
	close(w.failed)
}

// finish writes what may still be written and closes the database.
func (w *Writer) finish(disk *disk) {
	w.mu.Lock()
	plans, farewell, failure := w.queue.plans, w.farewell, w.failure
	w.mu.Unlock()
	var err error
	if failure == nil {
		err = disk.writeTrailingPlans(plans)
	}
	wroteFarewell := false
	if failure != nil && farewell != nil {
		farewell.Seq = failure.Acked + 1
		wroteFarewell = disk.writeFarewell(*farewell) == nil
	}
	oneFile, closeErr := disk.close()
	if err == nil {
		err = closeErr
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.committed.Broadcast()
	if err != nil {
		w.fail(err)
	}
	if wroteFarewell {
		w.failure.Closing = true
	}
	w.oneFile = oneFile
}
