package prep

import (
	"errors"

	"agentx/corpus/bundle"
)

// Class says whose fault an error is.
type Class int

// The classes.
const (
	Failure     Class = iota // anything else
	Usage                    // the command line
	Input                    // traces, tokenizer or bundle cannot be used
	Damage                   // a bundle is damaged or cannot be written
	Interrupted              // the user stopped the work
	Different                // a comparison that was to fail found a difference
)

// Error is an error with its class.
type Error struct {
	Class Class
	Err   error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap is the error without the class.
func (e *Error) Unwrap() error { return e.Err }

func classed(class Class, err error) error {
	if err == nil {
		return nil
	}
	return &Error{class, err}
}

// ClassOf is the class of an error.
func ClassOf(err error) Class {
	var own *Error
	var damaged *bundle.Damaged
	switch {
	case errors.As(err, &own):
		return own.Class
	case errors.As(err, &damaged):
		return Damage
	case bundle.Refused(err):
		return Input
	}
	return Failure
}
