package eventlog

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/gofrs/flock"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	insertRows   = 50 // rows of one multi-row INSERT: 1.5 times the rows a second of single ones
	someRows     = 10 // of one for the rest
	eventColumns = 11
	journalRetry = 2 * time.Second
	journalPause = 50 * time.Millisecond
)

// disk is the database as the writer goroutine sees it.
type disk struct {
	path   string
	lock   *flock.Flock // says that the log is being written
	db     *conn
	hook   func(Point, Seq)
	chain  *chain
	packer *packer
	many   *statement // insertRows events
	some   *statement // someRows
	one    *statement
	manyIn []driver.NamedValue
	someIn []driver.NamedValue
	oneIn  []driver.NamedValue
	plan   *statement
	batch  *statement
	begin  *statement
	commit *statement
	acked  Seq
}

// createDisk makes the file, its schema and the statements. After an error nothing is left of them.
func createDisk(path string, options Options) (*disk, error) {
	if err := createFile(path); err != nil {
		return nil, err
	}
	lock, err := lockLog(path)
	if err == nil {
		var d *disk
		if d, err = openDisk(path, options); err == nil {
			d.path, d.lock = path, lock
			return d, nil
		}
		unlockLog(path, lock)
	}
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		if removeErr := os.Remove(path + suffix); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}
	return nil, err
}

func openDisk(path string, options Options) (*disk, error) {
	db, err := openConn(path, url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(5000)"}})
	if err != nil {
		return nil, err
	}
	d := &disk{db: db, hook: options.Hook, packer: newPacker()}
	if err := d.prepare(options); err != nil {
		_ = db.close() // the first error tells more
		return nil, err
	}
	return d, nil
}

func (d *disk) prepare(options Options) error {
	// The schema comes before WAL mode, so that the file alone always says what it is.
	if err := d.set(options.pragmasBeforeSchema()); err != nil {
		return err
	}
	if err := createSchema(d.db); err != nil {
		return err
	}
	if err := d.set(options.pragmasAfterSchema()); err != nil {
		return err
	}
	kinds, err := readKinds(d.db)
	if err != nil {
		return err
	}
	d.chain = newChain(genesis(SchemaVersion, kinds))
	return d.statements()
}

func (d *disk) set(pragmas []string) error {
	for _, pragma := range pragmas {
		if err := d.db.exec("PRAGMA " + pragma); err != nil {
			return fmt.Errorf("setting %s: %w", pragma, err)
		}
	}
	return nil
}

func (d *disk) statements() error {
	row := "(?" + strings.Repeat(",?", eventColumns-1) + ")"
	for _, wanted := range []struct {
		into **statement
		sql  string
	}{
		{&d.many, "INSERT INTO events VALUES " + row + strings.Repeat(","+row, insertRows-1)},
		{&d.some, "INSERT INTO events VALUES " + row + strings.Repeat(","+row, someRows-1)},
		{&d.one, "INSERT INTO events VALUES " + row},
		{&d.plan, "INSERT INTO plans (before_seq, digest, bytes) VALUES (?,?,?)"},
		{&d.batch, "INSERT INTO batches VALUES (?,?,?)"},
		{&d.begin, "BEGIN IMMEDIATE"},
		{&d.commit, "COMMIT"},
	} {
		prepared, err := d.db.prepare(wanted.sql)
		if err != nil {
			return err
		}
		*wanted.into = prepared
	}
	d.manyIn = named(make([]driver.Value, insertRows*eventColumns))
	d.someIn = named(make([]driver.Value, someRows*eventColumns))
	d.oneIn = named(make([]driver.Value, eventColumns))
	return nil
}

// write commits one batch. After an error the transaction is rolled back.
func (d *disk) write(taken *batch) error {
	last := taken.lastSeq()
	closes := taken.last.events[taken.last.n-1].Kind == KindRunEnd
	err := d.transaction(func() error {
		if err := d.insert(taken); err != nil {
			return err
		}
		digest := d.chain.sum()
		if err := d.batch.exec(named([]driver.Value{int64(taken.firstSeq()), int64(last), digest[:]})); err != nil {
			return err
		}
		d.chain.next(digest)
		if closes {
			d.hook(PointBeforeClosingEvent, last)
		}
		d.hook(PointBeforeCommit, last)
		return nil
	})
	if err != nil {
		return fmt.Errorf("committing events %d to %d: %w", taken.firstSeq(), last, err)
	}
	d.acked = last
	d.hook(PointAfterCommit, last)
	if closes {
		d.hook(PointAfterClosingEvent, last)
	}
	return nil
}

// transaction runs work between BEGIN and COMMIT, or rolls back and leaves the chain as it was.
func (d *disk) transaction(work func() error) error {
	before := d.chain.previous
	err := d.begin.exec(nil)
	if err == nil {
		err = work()
	}
	if err == nil {
		err = d.commit.exec(nil)
	}
	if err != nil {
		_ = d.db.exec("ROLLBACK") // SQLite may have rolled back by itself
		d.chain.next(before)
	}
	return err
}

// insert writes the rows and plans of a batch and adds them to the chain, a plan before its event.
func (d *disk) insert(taken *batch) error {
	plans := taken.plans
	filled := 0
	for s := taken.first; s != nil; s = s.next {
		for i := range s.n {
			event := s.events[i] // a copy: the queue's bound counts payloads as they were added
			for ; len(plans) > 0 && plans[0].before <= event.Seq; plans = plans[1:] {
				if err := d.insertPlan(plans[0]); err != nil {
					return err
				}
				d.chain.addPlan(plans[0].before, plans[0].digest)
			}
			d.packer.pack(&event)
			d.chain.addEvent(&event)
			fillRow(d.manyIn[filled*eventColumns:], &event)
			if filled++; filled == insertRows {
				if err := d.many.exec(d.manyIn); err != nil {
					return err
				}
				filled = 0
			}
		}
	}
	return d.insertRest(d.manyIn[:filled*eventColumns])
}

// insertRest writes rows that are too few for the large statement.
func (d *disk) insertRest(rows []driver.NamedValue) error {
	for len(rows) > 0 {
		statement, in := d.one, d.oneIn
		if len(rows) >= len(d.someIn) {
			statement, in = d.some, d.someIn
		}
		for i := range in {
			in[i].Value = rows[i].Value
		}
		if err := statement.exec(in); err != nil {
			return err
		}
		rows = rows[len(in):]
	}
	return nil
}

func (d *disk) insertPlan(plan queuedPlan) error {
	return d.plan.exec(named([]driver.Value{int64(plan.before), plan.digest[:], plan.bytes}))
}

// fillRow puts the event's columns into the first eventColumns of row.
func fillRow(row []driver.NamedValue, event *Event) {
	row[0].Value = int64(event.Seq)
	row[1].Value = event.AtNs
	row[2].Value = int64(event.Kind)
	row[3].Value = intOr(event.Lane, None)
	row[4].Value = intOr(event.Play, None)
	row[5].Value = intOr(event.Stream, None)
	row[6].Value = intOr(event.Turn, None)
	row[7].Value = intOr(event.Exchange, None)
	row[8].Value = intOr(int64(event.Cause), 0)
	row[9].Value, row[10].Value = nil, nil
	if len(event.Payload) > 0 {
		row[9].Value = string(event.Payload)
	}
	if len(event.Data) > 0 {
		row[10].Value = event.Data
	}
}

func intOr(value, absent int64) driver.Value {
	if value == absent {
		return nil
	}
	return value
}

// writeTrailingPlans stores plans that no event came after.
func (d *disk) writeTrailingPlans(plans []queuedPlan) error {
	if len(plans) == 0 {
		return nil
	}
	return d.transaction(func() error {
		for _, plan := range plans {
			if err := d.insertPlan(plan); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeFarewell tries to append the closing event after a failure: folding the WAL in first gives its
// room back, which may be all that is needed.
func (d *disk) writeFarewell(event Event) error {
	_ = d.db.exec("PRAGMA wal_checkpoint(TRUNCATE)") // if it fails the WAL may still have room
	s := &segment{arena: make([]byte, 0, segmentArena)}
	s.events[0] = event
	s.n = 1
	return d.write(&batch{first: s, last: s, events: 1})
}

// close folds the WAL into the file and leaves WAL mode, so that the log is one file; oneFile is false
// where another connection still has the log open.
func (d *disk) close() (oneFile bool, err error) {
	d.hook(PointBeforeCheckpoint, d.acked)
	_ = d.db.exec(fmt.Sprintf("PRAGMA busy_timeout = %d", journalRetry.Milliseconds())) // cannot fail
	if err = d.db.exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		err = fmt.Errorf("folding the write-ahead log into the file: %w", err)
	}
	d.hook(PointAfterCheckpoint, d.acked)
	for _, statement := range []*statement{d.many, d.some, d.one, d.plan, d.batch, d.begin, d.commit} {
		if closeErr := statement.close(); err == nil {
			err = closeErr
		}
	}
	if err == nil {
		oneFile, err = d.leaveWAL()
	}
	if closeErr := d.db.close(); err == nil {
		err = closeErr
	}
	unlockLog(d.path, d.lock)
	d.hook(PointClosed, d.acked)
	return oneFile, err
}

// leaveWAL switches to journal mode DELETE, trying for two seconds while readers hold the log.
func (d *disk) leaveWAL() (bool, error) {
	if err := d.db.exec("PRAGMA busy_timeout = 0"); err != nil {
		return false, err
	}
	for deadline := time.Now().Add(journalRetry); ; time.Sleep(journalPause) {
		mode := ""
		err := d.db.query("PRAGMA journal_mode = DELETE", nil, func(row []driver.Value) error {
			mode, _ = row[0].(string)
			return nil
		})
		switch {
		case err == nil && mode == "delete":
			return true, nil
		case err != nil && primaryCode(err) != sqlite3.SQLITE_BUSY && primaryCode(err) != sqlite3.SQLITE_LOCKED:
			return false, fmt.Errorf("leaving WAL mode: %w", err)
		case time.Now().After(deadline):
			return false, nil
		}
	}
}
