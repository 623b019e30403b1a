package eventlog

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	sqlite3 "modernc.org/sqlite/lib"
)

// Open opens a log for reading; it never changes it. A live log is read in short transactions, so
// that its writer can fold the WAL in. A log on read-only media that is still in WAL mode is copied to
// a temporary folder first, and a note says so. A log of a newer format is refused, naming both
// versions.
//
// A log that was not closed in order (killed, copied while it was written, cut) is verified against
// its chain first: events after the first damaged batch are not given, and a note says so; where
// nothing is valid the log is refused, naming the place. In a log that was closed in order only Check
// looks for damage.
func Open(path string) (*Reader, error) {
	r, err := openValid(path, "")
	if err == nil || !isDamage(err) {
		return r, err
	}
	wal, statErr := os.Stat(path + "-wal")
	if statErr != nil || wal.Size() == 0 {
		return nil, err
	}
	// A copy may have got a WAL of another instant than the file; the file alone may still be a prefix.
	alone, aloneErr := openValid(path, "1")
	if aloneErr != nil {
		return nil, err
	}
	alone.notes = append(alone.notes, fmt.Sprintf("%s-wal does not fit its file (%v): it is left out; copy both again, when the run is over", path, err))
	return alone, nil
}

// openValid opens a log and limits it to its valid prefix; with immutable "1" the WAL is ignored.
func openValid(path, immutable string) (*Reader, error) {
	r, err := openLog(path, immutable)
	if err != nil {
		return nil, err
	}
	if err := r.limitToValid(); err != nil {
		_ = r.Close() // the first error tells more
		return nil, fmt.Errorf("opening event log %s: %w%s", r.path, err, describeFile(r.path))
	}
	return r, nil
}

// OpenUnverified is Open without the look at the chain, for following a run that is alive.
func OpenUnverified(path string) (*Reader, error) { return openLog(path, "") }

func openLog(path, immutable string) (*Reader, error) {
	path, notes, err := locate(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("event log: %w", err)
	}
	if err := CheckPath(path); err != nil {
		return nil, fmt.Errorf("opening event log %s: %w", path, err)
	}
	if info.Size() < sqliteHead {
		return nil, fmt.Errorf("opening event log %s: it ends at byte %d, before the %d bytes that an SQLite file begins with: copy it again",
			path, info.Size(), sqliteHead)
	}
	r := &Reader{path: path, notes: notes, immutable: immutable}
	err = r.connect()
	if err != nil && isReadOnlyTrouble(err) {
		err = r.connectToCopy(err)
	}
	if err != nil {
		if r.temp != "" {
			_ = os.RemoveAll(r.temp) // the first error tells more
		}
		return nil, fmt.Errorf("opening event log %s: %w%s", path, err, describeFile(path))
	}
	return r, nil
}

// connectToCopy tries again with a copy of a log that is in WAL mode on read-only media; trouble is what
// connect said.
func (r *Reader) connectToCopy(trouble error) error {
	copied, err := r.copyToTemp()
	if err != nil {
		return fmt.Errorf("%w; copying it to a temporary folder: %w", trouble, err)
	}
	if !copied {
		return trouble
	}
	return r.connect()
}

// locate follows the pointer file where the log itself is not there.
func locate(path string) (found string, notes []string, err error) {
	_, err = os.Stat(path)
	if err == nil {
		return path, nil, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("event log: %w", err)
	}
	live, pointerErr := followPointer(path)
	if pointerErr != nil {
		return "", nil, fmt.Errorf("event log %s: %w", path, pointerErr)
	}
	if live == "" {
		return "", nil, fmt.Errorf("event log %s: %w; expected the run.db of a run", path, fs.ErrNotExist)
	}
	return live, []string{fmt.Sprintf("%s was not copied to its place: reading the live log %s", path, live)}, nil
}

// connect opens the database and looks at the marks of the file.
func (r *Reader) connect() error {
	db, err := openConn(r.path, url.Values{"mode": {"ro"}, "immutable": {r.immutable}, "_pragma": {"busy_timeout(5000)"}})
	if err != nil {
		return err
	}
	r.db, r.unpacker = db, newUnpacker(db)
	if err := r.checkFormat(); err != nil {
		_ = db.close() // the first error tells more
		return err
	}
	return nil
}

// ErrForeign is in the error for an SQLite database that is whole and no log, or one of a newer format.
var ErrForeign = errors.New("not an agentx log")

func (r *Reader) checkFormat() error {
	id, err := r.db.queryInt("PRAGMA application_id")
	if err != nil {
		return err
	}
	if id != applicationID {
		return fmt.Errorf("%w: the SQLite file has application_id %#x, expected %#x", ErrForeign, id, applicationID)
	}
	version, err := r.db.queryInt("PRAGMA user_version")
	if err != nil {
		return err
	}
	if version < 1 || version > SchemaVersion {
		return fmt.Errorf("%w that this program reads: the log has format version %d, it reads versions 1 to %d: use the agentx-analyze of that version or a later one",
			ErrForeign, version, SchemaVersion)
	}
	r.version = int(version)
	return r.checkSize()
}

// checkSize refuses a file that is cut: SQLite itself would read the missing part of the last page as
// zeros. In WAL mode the file may be shorter than the database.
func (r *Reader) checkSize() error {
	mode, err := r.journalMode()
	if err != nil || mode != "delete" {
		return err
	}
	expected, err := r.db.queryInt("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
	if err != nil {
		return err
	}
	info, err := os.Stat(r.path)
	if err == nil && info.Size() < expected {
		err = fmt.Errorf("it is cut at byte %d of %d: copy it again", info.Size(), expected)
	}
	return err
}

func (r *Reader) journalMode() (mode string, err error) {
	err = r.db.query("PRAGMA journal_mode", nil, func(row []driver.Value) error {
		mode, _ = row[0].(string)
		return nil
	})
	return mode, err
}

// limitToValid verifies a log that was not closed in order.
func (r *Reader) limitToValid() error {
	orderly, err := r.closedInOrder()
	if err == nil && orderly {
		return nil
	}
	report := &Report{Path: r.path, Version: r.version}
	v, err := r.newVerification(report)
	if err != nil {
		return fmt.Errorf("not one event can be read: %w", err)
	}
	defer v.close()
	v.run()
	r.verified = true
	if v.broken == nil {
		return nil
	}
	first := *v.broken
	if report.ValidTo == 0 {
		return fmt.Errorf("%w: %v; copy the log again, with run.db-wal if there is one", errNothingWhole, first)
	}
	r.limit = report.ValidTo
	r.notes = append(r.notes, fmt.Sprintf("the log is damaged after event %d (%v): only events 1 to %d are used",
		report.ValidTo, first, report.ValidTo))
	return nil
}

// closedInOrder tells whether the log ends with its closing event and has left WAL mode.
func (r *Reader) closedInOrder() (bool, error) {
	kind, err := r.db.queryInt("SELECT kind FROM events ORDER BY seq DESC LIMIT 1")
	if err != nil {
		return false, err
	}
	mode, err := r.journalMode()
	return Kind(kind) == KindRunEnd && mode == "delete", err
}

// errNothingWhole says that a log has not one valid batch.
var errNothingWhole = errors.New("not one batch of events is whole")

// isDamage tells whether err says that the content is damaged.
func isDamage(err error) bool {
	code := primaryCode(err)
	return errors.Is(err, errNothingWhole) || code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_IOERR ||
		code == sqlite3.SQLITE_NOTADB
}

// isReadOnlyTrouble tells whether err may come from a WAL that cannot have its shared memory.
func isReadOnlyTrouble(err error) bool {
	code := primaryCode(err)
	return code == sqlite3.SQLITE_CANTOPEN || code == sqlite3.SQLITE_READONLY
}
