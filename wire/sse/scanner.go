// Package sse splits an event stream into events, by the standard (WHATWG HTML, server-sent events)
// and with what real servers send besides it.
//
// It promises: the events do not depend on where reads cut the bytes (only their stamps do); CR, LF and
// CRLF end a line, in any mix, and nothing else does; a leading byte-order mark goes; nothing is allocated
// for events that lie whole in one read; memory stays within a small multiple of the limit, whatever comes.
//
// Beyond the standard: an event that the stream's end cuts off counts; lines that are no field are handed
// out as Text (servers put bare JSON errors into streams); a raw line break inside a JSON string is
// repaired; comments are handed out, because they show that the connection lives.
package sse

import "bytes"

// Kind says what an Event is.
type Kind uint8

// The kinds.
const (
	Message Kind = iota + 1 // a dispatched event: Data and Name
	Comment                 // one comment line: Data is its text
	Text                    // one line that is no field: Data is the line
)

// Event is one thing found in a stream. Its slices are valid until the next call of Next or Feed.
type Event struct {
	Kind Kind
	Name []byte // the event field, empty where there was none
	Data []byte // the data fields joined by line feeds
	// Comment is the first comment between the event before and this one.
	Comment []byte
	HasData bool // there was a data field, if an empty one
	TooLong bool // a line, or the event's data, passed the limit: Data is missing
	// At is the stamp of the read that completed the event.
	At int64
	// WireBytes are the bytes of the stream since the event before.
	WireBytes int
}

// DefaultLimit is the longest line, and the most data of one event.
const DefaultLimit = 16 << 20

// keepBuffer is the largest buffer that is kept after a long event.
const keepBuffer = 1 << 20

// maxName bounds the event name and the comment that are kept.
const maxName = 4096

// Scanner takes the stream's bytes as they are read. The zero value is ready.
type Scanner struct {
	// Limit is the longest line, and the most data of one event, in bytes; 0 is DefaultLimit.
	Limit int
	// Spare, where not nil, is shared with other scanners.
	Spare *Spare

	input   []byte // what is left of the bytes of the last Feed
	feed    int    // index of the next line feed in input, -1: not looked for, len(input): none
	at      int64
	started bool // the first line is done
	skipLF  bool // the last byte was a CR that ended a line
	ending  bool // no more bytes will come

	carry    []byte // beginning of a line that the read before cut off
	discard  bool   // the line under way passed the limit
	overlong bool   // some line did

	data     []byte // data of the event under way, as a slice of input or carry
	store    []byte // in its place, where it outlives a read or has several lines
	owned    bool   // it is in store
	hasData  bool
	openJSON bool // the last data field began a JSON object and has not ended it
	tooLong  bool
	name     []byte
	comment  []byte
	consumed int
}

// Reset makes the scanner ready for another stream; buffers are kept.
func (s *Scanner) Reset() {
	carry, store, name, comment, limit, spare := s.carry[:0], s.store[:0], s.name[:0], s.comment[:0], s.Limit, s.Spare
	*s = Scanner{Limit: limit, Spare: spare, carry: carry, store: store, name: name, comment: comment}
}

// Feed takes the bytes of one read, stamped at. Before the next Feed, call Next until it gives false.
func (s *Scanner) Feed(p []byte, at int64) {
	s.input, s.feed, s.at = p, -1, at
}

// End says that no more bytes will come: the line and the event under way count as complete. Call Next
// until it gives false.
func (s *Scanner) End() {
	s.input, s.feed, s.ending = nil, -1, true
}

// Overlong tells whether a line, or the data of an event, has passed the limit.
func (s *Scanner) Overlong() bool { return s.overlong }

// Next gives the next event, or false where more bytes are needed.
func (s *Scanner) Next(event *Event) bool {
	for {
		s.skipBlanks()
		line, ok := s.line()
		if !ok {
			if s.ending && s.pending() {
				s.dispatch(event)
				return true
			}
			s.stash()
			return false
		}
		if s.take(line, event) {
			return true
		}
	}
}

// skipBlanks passes over blank lines that end no event: servers send them to keep connections alive, and
// some send millions.
func (s *Scanner) skipBlanks() {
	if s.skipLF || len(s.carry) > 0 || s.discard || s.pending() {
		return
	}
	n := 0
	for n < len(s.input) && s.input[n] == '\n' {
		n++
	}
	if n > 0 {
		s.started, s.comment = true, s.comment[:0]
		s.advance(n)
		s.consumed += n
	}
}

// line cuts the next whole line off the input.
func (s *Scanner) line() ([]byte, bool) {
	if s.skipLF && len(s.input) > 0 {
		s.skipLF = false
		if s.input[0] == '\n' {
			s.advance(1)
			s.consumed++
		}
	}
	end := s.lineEnd()
	if end < 0 {
		return s.lastLine()
	}
	line := s.input[:end]
	s.skipLF = s.input[end] == '\r'
	s.advance(end + 1)
	s.consumed += end + 1
	if len(s.carry) > 0 || s.discard {
		line = s.joined(line)
	} else if len(line) > s.limit() {
		s.discard = true
	}
	return s.first(line), true
}

// lineEnd is the index of the next CR or LF in input, -1 where there is none.
func (s *Scanner) lineEnd() int {
	if s.feed < 0 {
		if s.feed = bytes.IndexByte(s.input, '\n'); s.feed < 0 {
			s.feed = len(s.input)
		}
	}
	if cr := bytes.IndexByte(s.input[:s.feed], '\r'); cr >= 0 {
		return cr
	}
	if s.feed == len(s.input) {
		return -1
	}
	return s.feed
}

// advance drops n bytes of input and keeps the known place of the next line feed in step.
func (s *Scanner) advance(n int) {
	s.input = s.input[n:]
	if s.feed -= n; s.feed < 0 {
		s.feed = -1
	}
}

// lastLine keeps what is left of the input for the next read, or takes it as a line at the stream's end.
func (s *Scanner) lastLine() ([]byte, bool) {
	if s.ending {
		if len(s.carry) == 0 && !s.discard {
			return nil, false
		}
		line := s.joined(nil)
		return s.first(line), true
	}
	return nil, false
}

// joined gives the carried line with its rest appended. It aliases carry.
func (s *Scanner) joined(rest []byte) []byte {
	if !s.discard && len(s.carry)+len(rest) > s.limit() {
		s.discard = true
	}
	if s.discard {
		s.carry = s.carry[:0]
		return nil
	}
	line := append(s.carry, rest...)
	s.carry = line[:0]
	return line
}

// first takes the byte-order mark off the stream's first line.
func (s *Scanner) first(line []byte) []byte {
	if !s.started {
		s.started = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line
}

// stash saves what the next Feed would overwrite: the event under way and the unfinished line.
func (s *Scanner) stash() {
	if s.hasData && !s.owned {
		s.own()
	}
	if len(s.carry) == 0 {
		s.letGo()
	}
	if len(s.input) == 0 {
		return
	}
	s.consumed += len(s.input)
	if s.discard || len(s.carry)+len(s.input) > s.limit() {
		s.discard, s.overlong = true, true
		s.letGo()
	} else {
		s.carry = append(s.grown(len(s.input)), s.input...)
	}
	s.input, s.feed = nil, -1
}

// own copies the data of the event under way into store.
func (s *Scanner) own() {
	s.store = append(s.store[:0], s.data...)
	s.data, s.owned = nil, true
}

func (s *Scanner) limit() int {
	if s.Limit > 0 {
		return s.Limit
	}
	return DefaultLimit
}

// trimmed empties a buffer, and gives up one that a long event made large.
func trimmed(buffer []byte) []byte {
	if cap(buffer) > keepBuffer {
		return nil
	}
	return buffer[:0]
}
