package eventlog

// From format version 2 on, the payloads of the kinds that every request has are stored as arrays with
// fixed places: their keys and 13-digit instants would be half of a log. Reader gives every payload as
// it was added; the view log does the same for SQL. A payload that does not fit its form is stored as
// the object that it is, so a key that is added here and there costs bytes, never truth.

// codec says how a value stands in the array.
type codec uint8

const (
	asIs        codec = iota // the JSON value
	agoNs                    // an instant: the row's at_ns minus it
	sinceDueNs               // an instant: it minus due_ns; null where they are equal
	flag                     // true: null; no such key: 0
	timerFromAt              // {"due_ns","gap_ns"} with due_ns = at_ns (the key) + gap_ns: gap_ns
)

// column is one key of a payload.
type column struct {
	key   string
	place int // in the array
	codec codec
	usual string // asIs: the value that is stored as null; "": there is no such key
}

// storedColumns gives the keys of each kind that is stored as an array, in the order of the payload. Places
// are part of the file format: new ones may be added behind, a reader leaves out what it does not know.
func storedColumns() map[Kind][]column {
	return map[Kind][]column{
		KindTurnDue:        {{"due_ns", 0, agoNs, ""}},
		KindFirstToken:     {{"at_ns", 0, agoNs, ""}},
		KindRequestWritten: {{"n", 0, asIs, ""}},
		KindFirstContent:   {{"class", 0, asIs, ""}},
		KindEnded: {
			{"at_ns", 0, agoNs, ""},
			{"outcome", 2, asIs, `"ok"`},
			{"answered", 3, flag, ""},
			{"timer", 1, timerFromAt, ""},
		},
		KindDispatch: {
			{"phase", 8, asIs, `"profiling"`},
			{"credit", 0, asIs, ""},
			{"plan", 3, asIs, ""},
			{"c", 4, asIs, ""},
			{"due_ns", 1, agoNs, ""},
			{"ready_ns", 11, sinceDueNs, ""},
			{"slot_wait_ns", 12, asIs, ""},
			{"max", 9, asIs, ""},
			{"primer", 10, asIs, ""},
			{"final", 7, asIs, ""},
			{"waited", 2, asIs, `["gap"]`},
			{"url", 5, asIs, ""},
			{"marker", 6, asIs, ""},
		},
	}
}

// maxPlaces is how many places an array has at most.
const maxPlaces = 13

// exchangeKey is a key of an exchange_end payload. Those that are shared are the same in most requests of
// a connection and are stored as a reference to the event that had them first.
type exchangeKey struct {
	name   string
	shared bool
}

// exchangeKeys lists the keys in the order of the payload.
func exchangeKeys() []exchangeKey {
	return []exchangeKey{
		{"o", false}, {"c", false}, {"why", false}, {"err", false}, {"over", false}, {"id", false},
		{"st", true}, {"p", true},
		{"ns", false}, {"d", false}, {"v", false}, {"b", false}, {"k", false},
		{"fin", true}, {"m", true},
		{"u", false}, {"fct", false}, {"n", false},
		{"no", true}, {"a", true},
	}
}

// sharedKey is the key of the reference: the seq of an earlier exchange_end that has the shared keys.
const sharedKey = "as"
