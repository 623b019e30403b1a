package eventlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/zeebo/blake3"
)

// A Writer appends events to a log. Add never waits for the disk; one goroutine, started by Create
// and awaited by Close, commits what was added in groups. All methods may be called from any
// goroutine.
type Writer struct {
	path    string
	options Options

	mu        sync.Mutex
	committed sync.Cond // acked, failure or finished changed
	queue     queue
	next      Seq // the number of the next event
	acked     Seq
	bytes     int64 // of what is added and not yet acknowledged
	ended     bool  // the closing event was added
	closing   bool
	syncing   int // callers that wait in Sync
	failure   *WriteError
	farewell  *Event // a copy of the closing event, for an attempt after a failure
	plans     map[Digest]bool
	oneFile   bool

	wake     chan struct{} // capacity 1: there is something to do
	failed   chan struct{} // closed at the first failure
	finished chan struct{} // closed when the goroutine is done
}

// Create makes a new log at path and starts its writer. A file that exists is never touched: an
// error of kind os.ErrExist.
func Create(path string, options Options) (*Writer, error) {
	options = options.withDefaults()
	if err := CheckPath(path); err != nil {
		return nil, fmt.Errorf("creating event log %s: %w", path, err)
	}
	disk, err := createDisk(path, options)
	if err != nil {
		return nil, fmt.Errorf("creating event log %s: %w", path, err)
	}
	w := &Writer{
		path: path, options: options, next: 1, plans: map[Digest]bool{},
		wake: make(chan struct{}, 1), failed: make(chan struct{}), finished: make(chan struct{}),
	}
	w.committed.L = &w.mu
	go w.run(disk)
	return w, nil
}

// createFile makes sure that the log is new, and that its name survives a crash.
func createFile(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Add gives the event the next number, copies it into the queue and returns; the caller may reuse
// Payload and Data. It refuses with a *QueueFullError, a *WriteError or ErrClosed, and then the run
// has to stop: nothing is ever dropped silently. The closing event (KindRunEnd) is taken even when the
// queue is full or the disk has failed, and nothing is taken after it.
func (w *Writer) Add(event Event) (Seq, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.refusal(&event); err != nil {
		return 0, err
	}
	if event.Kind == KindRunEnd {
		farewell := event.Clone()
		w.ended, w.farewell = true, &farewell
		if w.failure != nil {
			return w.failure.Acked + 1, nil
		}
	}
	event.Seq = w.next
	w.next++
	w.bytes += eventBytes(&event)
	if w.queue.events == 0 {
		w.queue.oldest = time.Now()
	}
	w.queue.push(&event)
	if w.queue.events == 1 || w.queue.events == groupRows {
		w.poke()
	}
	return event.Seq, nil
}

// AddWaiting is Add that waits for room in the queue: for programs that make a log faster than real time.
// A run must not use it.
func (w *Writer) AddWaiting(event Event) (Seq, error) {
	for {
		seq, err := w.Add(event)
		if !errors.Is(err, ErrQueueFull) {
			return seq, err
		}
		w.waitForRoom()
	}
}

// waitForRoom returns after the next commit, or at once where nothing waits any more.
func (w *Writer) waitForRoom() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting() > 0 && w.failure == nil {
		w.committed.Wait()
	}
}

// refusal says why an event cannot be added. The lock is held. The first event that waits is always
// taken, however long it is: plans before it can only be written with it.
func (w *Writer) refusal(event *Event) error {
	if w.closing || w.ended {
		return ErrClosed
	}
	if event.Kind == KindRunEnd {
		return nil
	}
	if w.failure != nil {
		return w.failure
	}
	waiting := w.waiting()
	if waiting >= int64(w.options.QueueEvents) || (waiting > 0 && w.bytes+eventBytes(event) > w.options.QueueBytes) {
		return w.full()
	}
	return nil
}

// waiting is how many events are added and not acknowledged. The lock is held.
func (w *Writer) waiting() int64 { return int64(w.next - 1 - w.acked) }

func (w *Writer) full() error {
	return &QueueFullError{Path: w.path, Events: w.waiting(), Bytes: w.bytes, Acked: w.acked}
}

// AddPlan stores a plan frame, or other bytes that events refer to by digest, before the next event; a
// digest that was added before is left alone. The digest is the BLAKE3 of bytes, which is checked; bytes
// are copied. It refuses as Add does.
func (w *Writer) AddPlan(digest Digest, bytes []byte) error {
	if computed := Digest(blake3.Sum256(bytes)); computed != digest {
		return fmt.Errorf("plan frame of %d bytes has the BLAKE3 %x, not %x as given", len(bytes), computed, digest)
	}
	if len(bytes) == 0 {
		return errors.New("a plan frame is empty")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closing || w.ended:
		return ErrClosed
	case w.failure != nil:
		return w.failure
	case w.plans[digest]:
		return nil
	case w.bytes > 0 && w.bytes+int64(len(bytes)) > w.options.QueueBytes:
		return w.full()
	}
	w.plans[digest] = true
	w.bytes += int64(len(bytes))
	w.queue.plans = append(w.queue.plans, queuedPlan{w.next, digest, append([]byte(nil), bytes...)})
	return nil
}

// Acked is the last event whose COMMIT has returned; all before it are on disk too. 0: none yet.
func (w *Writer) Acked() Seq {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acked
}

// Depth is what was added and is not on disk yet: events, and bytes of payloads, data and plans.
func (w *Writer) Depth() (events, bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.waiting(), w.bytes
}

// Failed is closed when the log can no longer be written; Err then says why and what is safe.
func (w *Writer) Failed() <-chan struct{} { return w.failed }

// Err is the *WriteError of the first failure, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err()
}

func (w *Writer) err() error {
	if w.failure == nil {
		return nil
	}
	return w.failure
}

// Path is where the log is being written.
func (w *Writer) Path() string { return w.path }

// Sync has everything added so far committed without delay and waits for it, or for the log's failure.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.syncing++
	defer func() { w.syncing-- }()
	w.poke()
	for target := w.next - 1; w.acked < target && w.failure == nil; {
		w.committed.Wait()
	}
	return w.err()
}

// Close commits what is queued, folds the WAL into the file and turns the log into one file; after
// it nothing can be added. It waits for the writer goroutine. The error is that of the first failure;
// a second call gives the same.
func (w *Writer) Close() error {
	w.mu.Lock()
	w.closing = true
	w.poke()
	w.mu.Unlock()
	<-w.finished
	return w.Err()
}

// OneFile tells, after Close, whether the log is now a single file that opens from read-only media.
// It is not where another program still had it open: then run.db-wal belongs to it.
func (w *Writer) OneFile() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.oneFile
}

// poke wakes the writer goroutine; the lock is held.
func (w *Writer) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
