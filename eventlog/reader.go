package eventlog

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/zeebo/blake3"
)

// A Reader reads a log, finished, interrupted or being written. It is for one goroutine at a time.
type Reader struct {
	path    string
	db      *conn
	version int
	notes   []string
	temp    string // a temporary folder that goes with the reader, or ""
}

// Open opens a log for reading; it never changes it. A live log is read in short transactions, so
// that its writer can fold the WAL in. A log of a newer format is refused, naming both versions.
func Open(path string) (*Reader, error) {
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("event log %s: no such file; expected the run.db of a run: %w", path, err)
		}
		return nil, fmt.Errorf("event log: %w", err)
	}
	db, err := openConn(path, "ro", "busy_timeout(5000)")
	if err != nil {
		return nil, fmt.Errorf("opening event log %s: %w", path, err)
	}
	r := &Reader{path: path, db: db}
	if err := r.checkFormat(); err != nil {
		_ = db.close() // the first error tells more
		return nil, fmt.Errorf("opening event log %s: %w", path, err)
	}
	return r, nil
}

// checkFormat looks at the marks of the file.
func (r *Reader) checkFormat() error {
	id, err := r.db.queryInt("PRAGMA application_id")
	if err != nil {
		return err
	}
	if id != applicationID {
		return fmt.Errorf("this is an SQLite database, but not an agentx log (application_id %#x, expected %#x)", id, applicationID)
	}
	version, err := r.db.queryInt("PRAGMA user_version")
	if err != nil {
		return err
	}
	if version < 1 || version > SchemaVersion {
		return fmt.Errorf("the log has format version %d, this program reads versions 1 to %d; use a newer agentx-analyze",
			version, SchemaVersion)
	}
	r.version = int(version)
	return nil
}

// Path is the log as it was opened; Notes are what the user should be told about how.
func (r *Reader) Path() string    { return r.path }
func (r *Reader) Notes() []string { return r.notes }

// Version is the format version of the log.
func (r *Reader) Version() int { return r.version }

// Close ends the reading and removes a temporary copy.
func (r *Reader) Close() error {
	err := r.db.close()
	if r.temp != "" {
		err = errors.Join(err, os.RemoveAll(r.temp))
	}
	return err
}

// LastSeq is the number of the last event; 0 in an empty log.
func (r *Reader) LastSeq() (Seq, error) {
	last, err := r.db.queryInt("SELECT max(seq) FROM events")
	if err != nil {
		return 0, fmt.Errorf("event log %s: %w", r.path, err)
	}
	return Seq(last), nil
}

// Plan gives the plan frame with the digest; ok is false where the log has none. The bytes are
// checked against the digest.
func (r *Reader) Plan(digest Digest) (bytes []byte, ok bool, err error) {
	err = r.db.query("SELECT bytes FROM plans WHERE digest = ?", []driver.Value{digest[:]}, func(row []driver.Value) error {
		bytes, _ = row[0].([]byte)
		ok = true
		return nil
	})
	if err == nil && ok && Digest(blake3.Sum256(bytes)) != digest {
		err = fmt.Errorf("its bytes have another BLAKE3, %x: the log is damaged", blake3.Sum256(bytes))
	}
	if err != nil {
		return nil, false, fmt.Errorf("event log %s: plan %x: %w", r.path, digest, err)
	}
	return bytes, ok, nil
}
