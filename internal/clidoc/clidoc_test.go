package clidoc

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

func TestReferenceNamesEveryVisibleFlagWithDefaultAndMeaning(t *testing.T) {
	program := &cli.Command{
		Name:  "tool",
		Usage: "does things",
		Commands: []*cli.Command{{
			Name:      "go",
			Usage:     "goes",
			ArgsUsage: "PLACE",
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "speed", Aliases: []string{"s"}, Value: 3, Usage: "how fast | how slow"},
				&cli.StringFlag{Name: "secret", Hidden: true, Usage: "not shown"},
				&cli.StringFlag{Name: "road", Category: "Ways", Usage: "which road"},
			},
		}},
	}
	var text strings.Builder
	if err := Write(&text, program); err != nil {
		t.Fatal(err)
	}
	want := "# tool\n\nDoes things.\n\n## tool go\n\nGoes.\n\n    tool go PLACE\n\n" +
		"| flag | default | meaning |\n|---|---|---|\n| `--speed`, `-s` | `3` | how fast \\| how slow |\n\n" +
		"**Ways**\n\n| flag | default | meaning |\n|---|---|---|\n| `--road` |  | which road |\n\n"
	if text.String() != want {
		t.Errorf("reference is\n%q\nwant\n%q", text.String(), want)
	}
}
