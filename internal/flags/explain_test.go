package flags

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/urfave/cli/v3"
)

func TestExplainNamesTheFlagThatWasMeantAndTheKindThatWasExpected(t *testing.T) {
	definitions := []cli.Flag{
		&cli.IntFlag{Name: "random-seed"}, &cli.FloatFlag{Name: "benchmark-duration"}, &cli.BoolFlag{Name: "streaming"},
		&cli.StringFlag{Name: "export-level"}, &cli.IntFlag{Name: "concurrency", Aliases: []string{"c"}},
	}
	for _, c := range []struct{ parser, want string }{
		{"flag provided but not defined: -concurency", `there is no flag --concurency; did you mean "concurrency"?`},
		{"flag provided but not defined: -level", `there is no flag --level; did you mean "export-level"?`},
		{"flag provided but not defined: -stream", `there is no flag --stream; did you mean "streaming"?`},
		{"flag provided but not defined: -service-kind", "there is no flag --service-kind"},
		{"flag provided but not defined: -x", "there is no flag -x"},
		{`invalid value "1.5" for flag -random-seed: strconv.ParseInt: parsing "1.5": invalid syntax`, `--random-seed is "1.5": expected a whole number`},
		{`invalid value "5\"m" for flag -benchmark-duration: strconv.ParseFloat`, `--benchmark-duration is "5\"m": expected a number`},
		{`invalid value "maybe" for flag -streaming: parse error`, `--streaming is "maybe": expected true or false`},
		{`invalid value "z" for flag -export-level: reason`, `invalid value "z" for flag -export-level: reason`},
		{"flag needs an argument: -concurrency", "--concurrency needs a value"},
	} {
		if got := Explain(definitions, errors.New(c.parser)).Error(); got != c.want {
			t.Errorf("%s: %s, want %s", c.parser, got, c.want)
		}
	}
}

func TestExplainKnowsTheParsersWords(t *testing.T) {
	for argument, want := range map[string]string{
		"--concurency=3":     `there is no flag --concurency; did you mean "concurrency"?`,
		"--concurrency=1.5":  `--concurrency is "1.5": expected a whole number`,
		"--duration=5 \"m\"": `--duration is "5 \"m\"": expected a number`,
		"--streaming=maybe":  `--streaming is "maybe": expected true or false`,
	} {
		var explained error
		command := &cli.Command{
			Name: "program", Writer: io.Discard, ErrWriter: io.Discard, ExitErrHandler: func(context.Context, *cli.Command, error) {},
			Flags: []cli.Flag{&cli.IntFlag{Name: "concurrency"}, &cli.FloatFlag{Name: "duration"}, &cli.BoolFlag{Name: "streaming"}},
			OnUsageError: func(_ context.Context, command *cli.Command, err error, _ bool) error {
				explained = Explain(command.Flags, err)
				return explained
			},
		}
		if err := command.Run(t.Context(), []string{"program", argument}); err == nil || explained == nil || explained.Error() != want {
			t.Errorf("%s: %v, want %s", argument, explained, want)
		}
	}
}
