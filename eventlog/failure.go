package eventlog

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors of Writer.Add and AddPlan. The event was not taken and has no number.
var (
	ErrQueueFull = errors.New("the event log's queue is full")
	ErrClosed    = errors.New("the event log is closed")
)

// QueueFullError says that the disk did not keep pace. It wraps ErrQueueFull.
type QueueFullError struct {
	Path   string
	Events int64 // waiting
	Bytes  int64 // waiting, of payloads, data and plans
	Acked  Seq
}

func (e *QueueFullError) Error() string {
	return fmt.Sprintf("event log %s: %d events (%d bytes) wait for the disk, which is too slow for this run; "+
		"the queue is full and nothing may be lost, so the run has to stop: events 1 to %d are on disk and the "+
		"rest is being written; use a faster disk (--log-dir) or less load", e.Path, e.Events, e.Bytes, e.Acked)
}

func (e *QueueFullError) Unwrap() error { return ErrQueueFull }

// WriteError says that the log could not be written any more, and what is safe. After it the
// Writer takes nothing but the closing event.
type WriteError struct {
	Path    string
	Acked   Seq // events 1 to Acked are on disk
	Lost    Seq // events Acked+1 to Lost had been added and are not in the log
	Err     error
	Closing bool // the closing event was still written after Acked
}

func (e *WriteError) Error() string {
	text := fmt.Sprintf("event log %s: %v: ", e.Path, e.Err)
	switch {
	case e.Acked == 0:
		text += "no event is on disk"
	default:
		text += fmt.Sprintf("events 1 to %d are safe on disk", e.Acked)
	}
	if e.Lost > e.Acked {
		text += fmt.Sprintf(", events %d to %d are lost", e.Acked+1, e.Lost)
	}
	if e.Closing {
		text += "; the closing event was written"
	}
	return text + "; " + hint(e.Err)
}

func (e *WriteError) Unwrap() error { return e.Err }

// hint says what to do about an error of the database.
func hint(err error) string {
	switch {
	case IsDiskFull(err):
		return "free space on that disk or put the log on another (--log-dir), then run again"
	case primaryCode(err) == sqlite3.SQLITE_IOERR:
		return "check the disk and its limits (kernel log, ulimit -f), then run again; " +
			"agentx-analyze works on the part that is safe"
	default:
		return "agentx-analyze works on the part that is safe"
	}
}

// IsDiskFull tells whether err came from a full disk (or a full quota).
func IsDiskFull(err error) bool { return primaryCode(err) == sqlite3.SQLITE_FULL }

// primaryCode is SQLite's result code of err without its extension; 0 where err is not SQLite's.
func primaryCode(err error) int {
	var fromSQLite *sqlite.Error
	if !errors.As(err, &fromSQLite) {
		return 0
	}
	return fromSQLite.Code() & 0xff
}
