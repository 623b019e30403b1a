package analyze

import (
	"errors"
	"io"
	"testing"
)

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestAVerdictThatCannotBeWrittenIsAnError: a script that sends it to a full disk must not read success.
func TestAVerdictThatCannotBeWrittenIsAnError(t *testing.T) {
	const log = "../../eventlog/testdata/v2.db"
	if err := Verify(io.Discard, io.Discard, log, VerifyOptions{LogOnly: true}); err != nil {
		t.Fatal(err)
	}
	if err := Verify(full{}, io.Discard, log, VerifyOptions{LogOnly: true}); !errors.Is(err, errFull) {
		t.Errorf("%v, expected the error of writing", err)
	}
}
