package eventlog

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/zeebo/blake3"
)

// A Reader reads a log, finished, interrupted or being written. Events, Plan and LastSeq may be used by
// several goroutines (a page of events is read at a time, and the connection is theirs for so long);
// Check, Query and Close are for one goroutine while nobody else reads.
type Reader struct {
	path      string
	mu        sync.Mutex // held while db is in use: a connection of SQLite is no place for two
	db        *conn
	version   int
	notes     []string
	immutable string // "1": the WAL is ignored
	temp      string // a temporary folder that goes with the reader, or ""
	unpacker  *unpacker
	verified  bool          // against the chain, when it was opened
	fed       *feed         // waits for a pass over the whole log; nil: no check does
	held      map[Kind]bool // the kinds of all events, once a pass with a check beside it has read them; else nil
	limit     Seq           // the end of the valid prefix of a damaged log; 0: no limit
}

// Path is the log that is read; where a pointer or a temporary copy was followed, a note says so.
func (r *Reader) Path() string { return r.path }

// Notes are what the user should be told about the log: a temporary copy, an end that was cut off.
func (r *Reader) Notes() []string { return r.notes }

// Verified tells whether Open has held the log against its chain, as it does where the log was not closed in
// order.
func (r *Reader) Verified() bool { return r.verified }

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

// LastSeq is the number of the last event, of the valid prefix where the log is damaged; 0 in an empty
// log.
func (r *Reader) LastSeq() (Seq, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, err := r.db.queryInt("SELECT max(seq) FROM events WHERE seq <= ?", int64(orEnd(r.limit)))
	if err != nil {
		return 0, fmt.Errorf("event log %s: %w", r.path, err)
	}
	return Seq(last), nil
}

// Plan gives the plan frame with the digest; ok is false where the log has none. The bytes are
// checked against the digest.
func (r *Reader) Plan(digest Digest) (bytes []byte, ok bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
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
