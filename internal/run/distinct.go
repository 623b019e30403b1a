package run

import (
	"errors"

	"agentx/eventlog"
)

// joinDistinct joins errors. A log that cannot be written fails the run and its closing alike: of all errors that say
// so the last is kept, which knows most (whether the closing event was written).
func joinDistinct(list ...error) error {
	var distinct []error
	refused := -1 // where the log's failure stands in distinct
	for _, err := range parts(errors.Join(list...)) {
		var failure *eventlog.WriteError
		switch isFailure := errors.As(err, &failure); {
		case isFailure && refused >= 0:
			distinct[refused] = failure
		case isFailure:
			refused = len(distinct)
			distinct = append(distinct, failure)
		default:
			distinct = append(distinct, err)
		}
	}
	return errors.Join(distinct...)
}

// parts takes what errors.Join made apart.
func parts(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var list []error
	for _, part := range joined.Unwrap() {
		list = append(list, parts(part)...)
	}
	return list
}
