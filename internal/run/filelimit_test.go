package run

import (
	"strings"
	"testing"
)

func TestFileLimitIsRefusedBelowTheLanesAndWarnedBelowTheirFanOut(t *testing.T) {
	for _, c := range []struct {
		limit         uint64
		refused, warn bool
	}{{163, true, false}, {164, false, true}, {563, false, true}, {564, false, false}} {
		warning, err := checkFileLimit(c.limit, 100, 5)
		if (err != nil) != c.refused || (warning != "") != c.warn {
			t.Errorf("limit %d: warning %q, error %v", c.limit, warning, err)
		}
		if text := warning; c.warn && (!strings.Contains(text, "564") || !strings.Contains(text, "is "+itoa(c.limit))) {
			t.Errorf("the warning does not name both values: %q", text)
		}
		if c.refused && (!strings.Contains(err.Error(), "164") || !strings.Contains(err.Error(), "is 163")) {
			t.Errorf("the refusal does not name both values: %v", err)
		}
	}
}

func itoa(value uint64) string { return strings.ReplaceAll(grouped(int64(value)), ",", "") }

func TestFileLimitIsRaised(t *testing.T) {
	if limit, err := raiseFileLimit(); err != nil || limit < spareFiles {
		t.Errorf("limit %d, %v", limit, err)
	}
}
