package eventlog

import (
	"database/sql/driver"
	"fmt"
	"iter"
	"math"
	"strings"
)

// Filter chooses events; its zero value chooses all.
type Filter struct {
	From  Seq    // first number; 0: from the beginning
	To    Seq    // last number; 0: to the end
	Kinds []Kind // empty: all
	// NoData leaves Data nil, for folds that need no chunks.
	NoData bool
}

const (
	pageRows  = 4096
	pageBytes = 4 << 20
)

// Events gives the chosen events in order. Payload and Data are valid until the next one is asked
// for: Clone keeps them. Each page is read in a transaction of its own that is over before its events
// are given out, so a slow consumer never holds up the writer; events that are added meanwhile are
// given too. Where the log is damaged and Open found how far it is valid, they end there. After an
// error the iteration ends.
func (r *Reader) Events(filter Filter) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if r.lacks(filter.Kinds) {
			return
		}
		feed := r.takeFeed(filter)
		if feed != nil {
			defer close(feed.pages)
		}
		scan, err := r.newScan(filter, feed)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer scan.close()
		scan.each(yield)
	}
}

// scan reads a log page by page.
type scan struct {
	r     *Reader
	next  *statement
	args  []driver.NamedValue
	dense bool  // no number may be missing
	raw   bool  // payloads and data as they are stored
	feed  *feed // gets all rows as they are stored; nil: nobody
	kinds []Kind
	bare  bool // no data
	at    Seq  // the first number that was not looked at yet
	to    Seq
	page  []Event
}

// newScan reads all rows where a feed wants them, and else the chosen ones.
func (r *Reader) newScan(filter Filter, feed *feed) (*scan, error) {
	data := "data"
	if filter.NoData && feed == nil {
		data = fmt.Sprintf("CASE kind WHEN %d THEN substr(data, 1, %d) END", int(KindExchangeEnd), headBytes)
	}
	sql := "SELECT seq, at_ns, kind, lane, play, stream, turn, exchange, cause, CAST(payload AS BLOB), " + data +
		" FROM events WHERE seq >= ? AND seq <= ?"
	if len(filter.Kinds) > 0 && feed == nil {
		numbers := make([]string, len(filter.Kinds))
		for i, kind := range filter.Kinds {
			numbers[i] = fmt.Sprint(int(kind))
		}
		sql += " AND kind IN (" + strings.Join(numbers, ",") + ")"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	prepared, err := r.db.prepare(sql + fmt.Sprintf(" ORDER BY seq LIMIT %d", pageRows))
	if err != nil {
		return nil, fmt.Errorf("event log %s: %w", r.path, err)
	}
	s := &scan{r: r, next: prepared, args: named(make([]driver.Value, 2)), dense: len(filter.Kinds) == 0, bare: filter.NoData, feed: feed, kinds: filter.Kinds}
	s.seek(filter.From, min(orEnd(filter.To), orEnd(r.limit)))
	return s, nil
}

func orEnd(seq Seq) Seq {
	if seq == 0 {
		return math.MaxInt64
	}
	return seq
}

func (s *scan) seek(from, to Seq) { s.at, s.to = max(from, 1), to }

func (s *scan) close() {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	_ = s.next.close() // reading has no result to lose
}

// each yields the events up to s.to, then the error if there was one.
func (s *scan) each(yield func(Event, error) bool) {
	for more := true; more; {
		var err error
		more, err = s.read()
		for i := range s.page {
			if !yield(s.page[i], nil) {
				return
			}
		}
		if err != nil {
			yield(Event{}, err)
			return
		}
	}
}

// read fills the page; more is false after the last one and after an error.
func (s *scan) read() (more bool, err error) {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	if s.feed != nil {
		s.page = s.feed.empty()
	}
	more, err = s.fetch()
	if s.feed != nil {
		s.page = s.feed.share(s.page, s.kinds)
		if !more && err == nil {
			s.r.held = s.feed.held
		}
	}
	if unpackErr := s.unpack(); unpackErr != nil {
		return false, fmt.Errorf("event log %s: %w", s.r.path, unpackErr)
	}
	return more, err
}

// fetch fills the page with rows as they are stored.
func (s *scan) fetch() (more bool, err error) {
	s.page = s.page[:0]
	bytes := 0
	s.args[0].Value, s.args[1].Value = int64(s.at), int64(s.to)
	err = s.next.query(s.args, func(row []driver.Value) error {
		event := scanEvent(row)
		if event.Seq < s.at {
			return fmt.Errorf("event %d comes after event %d: the table is damaged", event.Seq, s.at-1)
		}
		if s.dense && event.Seq != s.at {
			return fmt.Errorf("events %d to %d are missing", s.at, event.Seq-1)
		}
		s.at = event.Seq + 1
		s.page = append(s.page, event)
		if bytes += len(event.Payload) + len(event.Data); bytes > pageBytes {
			return errStop
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("event log %s: reading event %d: %w", s.r.path, s.at, err)
	}
	return len(s.page) == pageRows || bytes > pageBytes, nil
}

// unpack gives the page's payloads and data as they were added; after an error the page ends before the event.
func (s *scan) unpack() error {
	if s.raw {
		return nil
	}
	for i := range s.page {
		if err := s.r.unpacker.unpack(&s.page[i]); err != nil {
			s.page = s.page[:i]
			return err
		}
		if s.bare {
			s.page[i].Data = nil
		}
	}
	return nil
}

func scanEvent(row []driver.Value) Event {
	event := Event{
		Seq: Seq(scanInt(row[0], 0)), AtNs: scanInt(row[1], 0), Kind: Kind(scanInt(row[2], 0)),
		Lane: scanInt(row[3], None), Play: scanInt(row[4], None), Stream: scanInt(row[5], None),
		Turn: scanInt(row[6], None), Exchange: scanInt(row[7], None), Cause: Seq(scanInt(row[8], 0)),
	}
	event.Payload, _ = row[9].([]byte)
	event.Data, _ = row[10].([]byte)
	return event
}

func scanInt(value driver.Value, absent int64) int64 {
	if number, ok := value.(int64); ok {
		return number
	}
	return absent
}
