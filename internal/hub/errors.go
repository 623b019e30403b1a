package hub

import (
	"fmt"
	"time"
)

// Fault says what kind of trouble an Error is.
type Fault int

// The faults.
const (
	Unreachable Fault = iota // no answer from the hub: most likely there is no network
	Offline                  // HF_HUB_OFFLINE forbids the network
	Denied                   // 401 or 403: gated or private
	Missing                  // no such repository, revision or file
	Busy                     // 429, 408 or 5xx, again and again
	Broken                   // the hub does not speak as such hubs do, or contradicts itself
	Corrupt                  // a file is not what the hub states
	Unfit                    // the repository has nothing that can be used, or more than one choice
	Local                    // the disk
)

// Error is a failure to get something from a hub. Its text says what to do.
type Error struct {
	Fault  Fault
	Status int // of the HTTP answer, 0 for none
	Text   string
	Err    error // below it, nil for none

	wait  time.Duration // how long the hub told us to wait; 0: it did not
	again bool          // worth another try
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", e.Text, e.Err)
	}
	return e.Text
}

// Unwrap is the error below.
func (e *Error) Unwrap() error { return e.Err }

func failed(fault Fault, err error, format string, arguments ...any) *Error {
	return &Error{Fault: fault, Err: err, Text: fmt.Sprintf(format, arguments...)}
}
