package eventlog

import (
	"encoding/json"
	"fmt"
)

// Seq is the dense number of an event: the first event of a log is 1. 0 stands for "none".
type Seq int64

// None is the value of Lane, Play, Stream, Turn and Exchange where an event has none; NULL in the
// database. Their first number is 0, so a zero value would not do.
const None = -1

// Event is one fact in the log. Start from New, which marks every id as absent.
type Event struct {
	Seq      Seq   // given by Writer.Add; ignored there
	AtNs     int64 // monotonic, since run start; need not ascend with Seq
	Kind     Kind
	Lane     int64 // None where absent
	Play     int64 // None where absent
	Stream   int64 // None where absent
	Turn     int64 // None where absent
	Exchange int64 // None where absent
	Cause    Seq   // the input that led to this event; 0 (NULL in the database) where there is none
	Payload  []byte
	Data     []byte
}

// New is an event without ids, payload and data.
func New(kind Kind, atNs int64) Event {
	return Event{AtNs: atNs, Kind: kind, Lane: None, Play: None, Stream: None, Turn: None, Exchange: None}
}

// NewPayload is New with a payload, marshalled to JSON. The error is that of the marshaller, naming
// the kind; the payload types of this package marshal unless they hold a NaN or an infinity.
func NewPayload(kind Kind, atNs int64, payload any) (Event, error) {
	event := New(kind, atNs)
	switch of := payload.(type) { // what every request has; json.Marshal would look at the bytes once more
	case ExchangeEnd:
		event.Payload = of.appendJSON(make([]byte, 0, exchangeEndBytes))
		return event, nil
	case *ExchangeEnd:
		event.Payload = of.appendJSON(make([]byte, 0, exchangeEndBytes))
		return event, nil
	case RequestWritten:
		event.Payload = of.appendJSON(make([]byte, 0, 32))
		return event, nil
	case FirstContent:
		event.Payload = of.appendJSON(make([]byte, 0, 32))
		return event, nil
	}
	encoded, err := json.Marshal(payload)
	if err != nil {
		return Event{}, fmt.Errorf("payload of a %v event: %w", kind, err)
	}
	event.Payload = encoded
	return event, nil
}

// exchangeEndBytes is a little more than an exchange_end payload usually has.
const exchangeEndBytes = 512

// Decode reads the event's payload into a T; keys it does not know are left out, so that logs of
// later programs stay readable. An event without a payload gives the zero T.
func Decode[T any](event Event) (T, error) {
	var payload T
	if len(event.Payload) == 0 {
		return payload, nil
	}
	err := error(nil)
	if own, ok := any(&payload).(json.Unmarshaler); ok {
		err = own.UnmarshalJSON(event.Payload) // encoding/json would look through it twice before
	} else {
		err = json.Unmarshal(event.Payload, &payload)
	}
	if err != nil {
		return payload, fmt.Errorf("event %d (%v): payload: %w", event.Seq, event.Kind, err)
	}
	return payload, nil
}

// Clone is the event with its own copy of payload and data; the reader reuses its buffers.
func (event Event) Clone() Event {
	event.Payload = append([]byte(nil), event.Payload...)
	event.Data = append([]byte(nil), event.Data...)
	return event
}
