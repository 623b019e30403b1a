package exit

import (
	"errors"
	"fmt"
	"testing"
)

func TestCodeOfAWrappedError(t *testing.T) {
	err := fmt.Errorf("building: %w", With(Input, errors.New("bad trace")))
	if Code(err) != Input {
		t.Errorf("code is %d, want %d", Code(err), Input)
	}
	if Code(nil) != Done || Code(errors.New("x")) != Failure || With(Usage, nil) != nil {
		t.Error("nil must stay nil and Done, a plain error is a Failure")
	}
}
