// Package exit holds the exit codes of the three programs, and errors that carry one.
package exit

import "errors"

// The exit codes (docs/design.md). Where several apply, the first in the order Usage, Input, Damage,
// Interrupted, Failure, Invalid wins.
const (
	Done        = 0
	Failure     = 1   // the run failed, or any other failure
	Usage       = 2   // usage error or scenario violation
	Invalid     = 3   // done, but the verdict is invalid, or a diff threshold was passed
	Input       = 4   // an input was refused
	Damage      = 5   // a log or bundle is damaged or cannot be written
	Interrupted = 130 // Ctrl+C or SIGTERM
)

// Error is an error with the exit code that it ends the program with.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the error without the code.
func (e *Error) Unwrap() error { return e.Err }

// With gives err the code; nil stays nil.
func With(code int, err error) error {
	if err == nil {
		return nil
	}
	return &Error{code, err}
}

// Code is the exit code of an error: that of the outermost Error in its chain, Done for nil, Failure
// for errors without one.
func Code(err error) int {
	if err == nil {
		return Done
	}
	var coded *Error
	if errors.As(err, &coded) {
		return coded.Code
	}
	return Failure
}
