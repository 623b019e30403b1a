package corpus_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentx/corpus"
)

// An absurd length or block size is refused with its place, and asks for no memory first.
func TestTextWithoutEndIsRefused(t *testing.T) {
	for _, c := range []struct{ script, field, says string }{
		{"0 1000000000/1 [1,2]", "requests[0].in", "999999872 tokens to be made up"},
		{"0 64/1 [1]\nsub a 1\n  1 64/1 [2]\n  2 1099511627776/1 []\n9 128/1 [1,2]", "requests[1].requests[1].in", "1099511627776 tokens to be made up"},
		{"0 134217729/1 []", "requests[0].in", "134217729 tokens of different text"},
		{"0 134217664/1 []\n1 65/1 []", "requests[0].in", "in 2097153 windows"},
	} {
		for name, look := range map[string]func() error{
			"survey": func() error {
				_, err := corpus.Survey(parseTrace(t, c.script), corpus.DefaultOptions())
				return err
			},
			"build": func() error {
				_, _, _, err := corpus.Build(parseTrace(t, c.script), corpus.DefaultOptions())
				return err
			},
		} {
			var refused *corpus.TraceError
			if err := look(); !errors.As(err, &refused) || refused.Field != c.field || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s of %q: error %v, want one at %s that says %q", name, c.script, err, c.field, c.says)
			}
		}
	}
}

// The bound is on tokens too: few large blocks have as much text as many small ones.
func TestLargeBlocksAreBoundedByTheirTokens(t *testing.T) {
	huge := func(options *corpus.Options) { options.BlockSize = corpus.MaxBlockSize }
	var ids []string
	for id := range 2048 {
		ids = append(ids, fmt.Sprint(id))
	}
	script := fmt.Sprintf("0 %d/1 [%s]", 2048*corpus.MaxBlockSize, strings.Join(ids, ","))
	options := corpus.DefaultOptions()
	huge(&options)
	if _, err := corpus.Survey(parseTrace(t, script), options); err != nil {
		t.Errorf("%d tokens are refused: %v", 2048*corpus.MaxBlockSize, err)
	}
	script = fmt.Sprintf("0 %d/1 [%s]\n1 65535/1 [9000]\n2 65535/1 [9001]", 2048*corpus.MaxBlockSize, strings.Join(ids, ","))
	_, err := corpus.Survey(parseTrace(t, script), options)
	if err == nil || !strings.Contains(err.Error(), "requests: are too many") {
		t.Errorf("%d tokens: error %v", 2050*corpus.MaxBlockSize, err)
	}
}

// What is within the bound is surveyed.
func TestTextAtTheBoundIsAccepted(t *testing.T) {
	summary, err := corpus.Survey(parseTrace(t, "0 134217728/1 []"), corpus.DefaultOptions())
	if err != nil || summary.Windows != corpus.MaxWindows {
		t.Errorf("%d windows, %v", summary.Windows, err)
	}
}
