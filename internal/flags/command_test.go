package flags

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

func TestCheckCommandRefusesAWordThatIsNoCommand(t *testing.T) {
	program := &cli.Command{Name: "tool", Commands: []*cli.Command{
		{Name: "build", Aliases: []string{"b"}}, {Name: "secret", Hidden: true},
		{Name: "cache", Commands: []*cli.Command{{Name: "ls"}, {Name: "rm"}}},
	}}
	for line, want := range map[string]string{
		"":                                "",
		"--version":                       "",
		"build anything":                  "",
		"b --flag":                        "",
		"secret":                          "",
		"cache":                           "",
		"cache rm key":                    "",
		"cac --generate-shell-completion": "",
		"completion bash":                 "",
		"help":                            "",
		"help cache ls":                   "",
		"buld --input-file x":             `there is no command "buld" (did you mean "build"?); tool has build, cache`,
		"x.db":                            `there is no command "x.db"; tool has build, cache`,
		"cache list":                      `there is no command "list" (did you mean "ls"?); tool cache has ls, rm`,
		"help cache everything":           `there is no command "everything"; tool cache has ls, rm`,
	} {
		got := ""
		if err := CheckCommand(program, strings.Fields(line)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
