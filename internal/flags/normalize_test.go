package flags

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

func definitions() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "server-metrics"},
		&cli.StringFlag{Name: "bundle", Aliases: []string{"b"}},
		&cli.IntFlag{Name: "concurrency"},
		&cli.BoolFlag{Name: "quiet"},
	}
}

func TestNormalize(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"list flag takes several words", "--server-metrics A B --quiet", "--server-metrics=A --server-metrics=B --quiet"},
		{"list flag given twice adds up", "--server-metrics A --server-metrics=B C", "--server-metrics=A --server-metrics=B --server-metrics=C"},
		{"single value takes one word", "--bundle A RUN", "--bundle=A RUN"},
		{"a value may begin with a dash", "--concurrency -1 --quiet", "--concurrency=-1 --quiet"},
		{"a switch takes no word", "--quiet RUN", "--quiet RUN"},
		{"the same value twice is no conflict", "--bundle A -b A", "--bundle=A -b=A"},
		{"nothing is touched after --", "-- --server-metrics A B", "-- --server-metrics A B"},
		{"a missing value is the parser's to report", "--bundle", "--bundle"},
		{"unknown flags pass", "--other X", "--other X"},
	}
	for _, c := range cases {
		got, err := Normalize(definitions(), strings.Fields(c.in))
		if err != nil || !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: %q becomes %q, %v; want %q", c.name, c.in, got, err, c.want)
		}
	}
}

func TestNormalizeRefusesASingleValuedFlagWithTwoValues(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"--bundle A -b B", "--bundle and -b are one flag, given twice"},
		{"-b A -b B", "-b is given twice"},
	} {
		_, err := Normalize(definitions(), strings.Fields(c.line))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %s", c.line, err, c.want)
		}
	}
}

func TestCommaList(t *testing.T) {
	if got := CommaList([]string{"a, b", "", "c,"}); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("list is %q", got)
	}
}
