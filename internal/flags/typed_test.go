package flags

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

func typedDefinitions() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "request-count", Aliases: []string{"num-requests"}}, &cli.StringFlag{Name: "model", Aliases: []string{"m"}},
		&cli.BoolFlag{Name: "streaming"}, &cli.StringSliceFlag{Name: "url", Aliases: []string{"u"}},
	}
}

func TestAsTypedNamesAFlagAsItWasTyped(t *testing.T) {
	for _, c := range []struct{ line, message, want string }{
		{"--num-requests=0", "--request-count is 0: expected 1", "--num-requests is 0: expected 1"},
		{"-m=x", "no server: give --url URL\n--model: odd", "no server: give --url URL\n-m: odd"},
		{"--request-count=0", "--request-count is 0", "--request-count is 0"},
		{"--num-requests=0", "--request-count-rate, x--request-count", "--request-count-rate, x--request-count"},
		{"--num-requests=0", "--request-count is wrong: make it by agentx-prep build --request-count 5", "--num-requests is wrong: make it by agentx-prep build --request-count 5"},
		{"--num-requests=0", "make it by\n  agentx-prep build --request-count 5", "make it by\n  agentx-prep build --request-count 5"},
	} {
		if got := AsTyped(typedDefinitions(), strings.Fields(c.line))(c.message); got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.line, c.message, got, c.want)
		}
	}
}

func TestTakeUnknownFindsEveryFlagThatDoesNotExist(t *testing.T) {
	rest, unknown := TakeUnknown(typedDefinitions(), strings.Fields("--modle x --model=m --odd=1 -q 7 8 --streaming left -- --odd"))
	if want := strings.Fields("--model=m --streaming left -- --odd"); !slices.Equal(rest, want) {
		t.Errorf("left is %q, want %q", rest, want)
	}
	want := "there is no flag --modle; did you mean \"model\"?\nthere is no flag --odd\nthere is no flag -q"
	if got := errors.Join(unknown...).Error(); got != want {
		t.Errorf("told is %q, want %q", got, want)
	}
	for i, near := range []bool{true, false, false} {
		if _, misspelt := unknown[i].(*Misspelt); misspelt != near {
			t.Errorf("%v: misspelt %v, want %v", unknown[i], misspelt, near)
		}
	}
}

func TestWithoutLeavesFlagsOutByAnyOfTheirNames(t *testing.T) {
	got := Without(typedDefinitions(), strings.Fields("--num-requests=5 -m=x -u=a -u=b --streaming"), []string{"request-count", "url"})
	if want := strings.Fields("-m=x --streaming"); !slices.Equal(got, want) {
		t.Errorf("left is %q, want %q", got, want)
	}
}
