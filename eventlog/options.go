package eventlog

import "fmt"

// Options of a Writer. The zero value is what a run uses.
type Options struct {
	// QueueEvents and QueueBytes bound what waits for the disk: events, and bytes of payloads, data
	// and plans. 0 stands for 262,144 events and 64 MiB. An event that would pass a bound is refused.
	QueueEvents int
	QueueBytes  int64

	// Hook, where set, is called by the writer goroutine at the named points, for crash tests and for
	// disks slowed on purpose. It may sleep or kill the process; it must not call the Writer.
	Hook func(point Point, last Seq)

	// MaxPages limits the database to so many pages (PRAGMA max_page_count), for tests of a full disk;
	// 0: no limit.
	MaxPages int

	noSync         bool // for tests that are not about durability: they would wait for the disk
	pageSize       int  // 0: SQLite's own; smaller in tests that touch every byte
	autoCheckpoint int  // pages; 0: SQLite's own, 1,000
}

const (
	defaultQueueEvents = 262_144
	defaultQueueBytes  = 64 << 20
)

func (options Options) withDefaults() Options {
	if options.QueueEvents == 0 {
		options.QueueEvents = defaultQueueEvents
	}
	if options.QueueBytes == 0 {
		options.QueueBytes = defaultQueueBytes
	}
	if options.Hook == nil {
		options.Hook = func(Point, Seq) {}
	}
	return options
}

func (options Options) pragmasBeforeSchema() []string {
	pragmas := []string{"synchronous = FULL"}
	if options.noSync {
		pragmas[0] = "synchronous = OFF"
	}
	if options.pageSize > 0 {
		pragmas = append(pragmas, fmt.Sprintf("page_size = %d", options.pageSize))
	}
	return pragmas
}

func (options Options) pragmasAfterSchema() []string {
	pragmas := []string{"journal_mode = WAL"}
	if options.autoCheckpoint > 0 {
		pragmas = append(pragmas, fmt.Sprintf("wal_autocheckpoint = %d", options.autoCheckpoint))
	}
	if options.MaxPages > 0 {
		pragmas = append(pragmas, fmt.Sprintf("max_page_count = %d", options.MaxPages))
	}
	return pragmas
}

// Point is a place in the writer's work where a crash test may strike.
type Point string

// The points, in the order in which a run passes them. The Seq that goes with them is the last of
// the batch at the commit points, the last acknowledged one at the others.
const (
	PointBeforeCommit       Point = "before_commit"        // rows inserted, COMMIT not yet given
	PointAfterCommit        Point = "after_commit"         // COMMIT returned, nothing acknowledged yet
	PointBeforeClosingEvent Point = "before_closing_event" // as before_commit, of the batch with run_end
	PointAfterClosingEvent  Point = "after_closing_event"  // as after_commit, of the batch with run_end
	PointBeforeCheckpoint   Point = "before_checkpoint"    // everything committed, WAL not yet folded in
	PointAfterCheckpoint    Point = "after_checkpoint"     // folded in, journal mode still WAL
	PointClosed             Point = "closed"               // one file, journal mode DELETE
)

// Points lists the points, for tests that strike at each.
func Points() []Point {
	return []Point{
		PointBeforeCommit, PointAfterCommit, PointBeforeClosingEvent, PointAfterClosingEvent,
		PointBeforeCheckpoint, PointAfterCheckpoint, PointClosed,
	}
}
