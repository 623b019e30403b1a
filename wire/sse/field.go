package sse

import "bytes"

// take handles one line. It gives true where that completes an event.
func (s *Scanner) take(line []byte, event *Event) bool {
	switch {
	case s.discard:
		s.discard, s.overlong, s.tooLong = false, true, true
		return false
	case len(line) == 0:
		if !s.pending() {
			s.comment = s.comment[:0]
			return false
		}
		s.dispatch(event)
		return true
	case line[0] == ':':
		text := value(line[1:])
		if len(s.comment) == 0 {
			s.comment = append(s.comment, text[:min(len(text), maxName)]...)
		}
		s.emit(event, Comment, text)
		return true
	}
	name, rest, _ := bytes.Cut(line, []byte{':'})
	switch string(name) {
	case "data":
		s.addData(value(rest))
	case "event":
		rest = value(rest)
		s.name = append(s.name[:0], rest[:min(len(rest), maxName)]...)
	case "id", "retry":
	default:
		if s.openJSON {
			s.repair(line)
			return false
		}
		s.emit(event, Text, line)
		return true
	}
	return false
}

// value takes off the one blank that may follow a field's colon.
func value(rest []byte) []byte {
	if len(rest) > 0 && rest[0] == ' ' {
		return rest[1:]
	}
	return rest
}

func (s *Scanner) addData(text []byte) {
	if !s.hasData {
		s.hasData, s.data, s.owned = true, text, false
	} else {
		s.extend("\n", text)
	}
	left := bytes.TrimLeft(text, " \t")
	s.openJSON = len(left) > 0 && left[0] == '{' && !endsObject(text)
}

// repair takes a line that is no field as the rest of a JSON string with a raw line break in it, which
// some servers send: the break goes in as an escape.
func (s *Scanner) repair(line []byte) {
	s.extend(`\n`, line)
	s.openJSON = !endsObject(line)
}

func endsObject(text []byte) bool {
	right := bytes.TrimRight(text, " \t")
	return len(right) > 0 && right[len(right)-1] == '}'
}

func (s *Scanner) extend(separator string, text []byte) {
	if !s.owned {
		s.own()
	}
	if len(s.store)+len(separator)+len(text) > s.limit() {
		s.tooLong, s.overlong = true, true
		s.store = s.store[:0]
		return
	}
	s.store = append(append(s.store, separator...), text...)
}

// pending tells whether the event under way would be dispatched by a blank line.
func (s *Scanner) pending() bool { return s.hasData || s.tooLong || len(s.name) > 0 }

func (s *Scanner) dispatch(event *Event) {
	data := s.data
	if s.owned {
		data = s.store
	}
	if s.tooLong {
		data = nil
	}
	s.emit(event, Message, data)
	event.Name, event.Comment, event.HasData, event.TooLong = s.name, s.comment, s.hasData, s.tooLong
	s.data, s.owned, s.hasData, s.openJSON, s.tooLong = nil, false, false, false, false
	s.store, s.name, s.comment = trimmed(s.store), s.name[:0], s.comment[:0]
}

func (s *Scanner) emit(event *Event, kind Kind, data []byte) {
	*event = Event{Kind: kind, Data: data, At: s.at, WireBytes: s.consumed}
	s.consumed = 0
}
