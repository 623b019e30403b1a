package corpus

import (
	"encoding/json"
	"math"
)

// Millis is a time or a duration of the recording in float64 milliseconds, computed in the
// operation order of the peer (spec decision 13a). NaN means absent; use Absent and Present.
// In JSON an absent value is null.
type Millis float64

// Absent is the Millis of a time that the recording does not have.
func Absent() Millis { return Millis(math.NaN()) }

// Present reports whether the value was recorded.
func (m Millis) Present() bool { return !math.IsNaN(float64(m)) }

// Or returns the value, or alternative when it is absent.
func (m Millis) Or(alternative float64) float64 {
	if m.Present() {
		return float64(m)
	}
	return alternative
}

// MarshalJSON writes null for an absent value.
func (m Millis) MarshalJSON() ([]byte, error) {
	if !m.Present() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(m))
}

// UnmarshalJSON reads null as absent.
func (m *Millis) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*m = Absent()
		return nil
	}
	return json.Unmarshal(text, (*float64)(m))
}
