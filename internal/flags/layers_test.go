package flags

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

func layered() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "bundle", Sources: cli.EnvVars("AGENTX_BUNDLE")},
		&cli.StringFlag{Name: "concurrency", Aliases: []string{"c"}},
		&cli.FloatFlag{Name: "benchmark-duration"},
		&cli.IntFlag{Name: "limit", Sources: cli.EnvVars("AGENTX_HTTP_LIMIT", "AIPERF_HTTP_LIMIT")},
		&cli.BoolFlag{Name: "dynamo", Sources: cli.EnvVars("AGENTX_DYNAMO", "AIPERF_DYNAMO")},
		&cli.StringFlag{Name: "api-key", Sources: cli.EnvVars("AGENTX_API_KEY", "OPENAI_API_KEY")},
		&cli.StringSliceFlag{Name: "header", Aliases: []string{"H"}},
		&cli.BoolFlag{Name: "quiet", Category: "Run", Usage: "no progress"},
	}
}

// config writes a configuration file.
func config(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agentx.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func completed(t *testing.T, layers Layers, line string) string {
	t.Helper()
	full, err := layers.Complete(layered(), strings.Fields(line))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(full, " ")
}

func TestCommandLineWinsOverOursOverThePeersOverTheFile(t *testing.T) {
	file, err := ReadFile(config(t, "limit: 1\nbundle: from-file\nc: [4, 8]\n"), layered())
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ name, line, environment, want string }{
		{"the file alone", "", "", "--limit=1 --bundle=from-file --concurrency=4,8"},
		{"the peer's variable over the file", "", "AIPERF_HTTP_LIMIT=2", "--limit=2 --bundle=from-file --concurrency=4,8"},
		{"ours over the file", "", "AGENTX_HTTP_LIMIT=3", "--limit=3 --bundle=from-file --concurrency=4,8"},
		{"the line over all, by an alias too", "--limit=4 -c=2 --bundle=x", "AGENTX_HTTP_LIMIT=3", "--limit=4 -c=2 --bundle=x"},
		{"an empty variable is none", "", "AGENTX_HTTP_LIMIT=", "--limit=1 --bundle=from-file --concurrency=4,8"},
	}
	for _, c := range cases {
		layers := Layers{Environment: strings.Fields(c.environment), File: file}
		if got := completed(t, layers, c.line); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestVariablesOfTheProjectThatDifferAreRefused(t *testing.T) {
	layers := Layers{Environment: []string{"AGENTX_HTTP_LIMIT=1", "AIPERF_HTTP_LIMIT=2"}}
	_, err := layers.Complete(layered(), nil)
	if err == nil || !strings.Contains(err.Error(), "AGENTX_HTTP_LIMIT and AIPERF_HTTP_LIMIT differ") {
		t.Errorf("error %v", err)
	}
	layers.Environment = []string{"AGENTX_API_KEY=ours", "OPENAI_API_KEY=for others"}
	if got := completed(t, layers, ""); got != "--api-key=ours" {
		t.Errorf("%q, want our key: the other variable is for other programs", got)
	}
}

func TestSwitchVariablesTakeThePeersWords(t *testing.T) {
	for word, want := range map[string]string{"yes": "--dynamo=true", "ON": "--dynamo=true", "0": "--dynamo=false", "off": "--dynamo=false"} {
		if got := completed(t, Layers{Environment: []string{"AIPERF_DYNAMO=" + word}}, ""); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	layers := Layers{Environment: []string{"AIPERF_DYNAMO=perhaps"}}
	if _, err := layers.Complete(layered(), nil); err == nil || !strings.Contains(err.Error(), "AIPERF_DYNAMO") {
		t.Errorf("error %v, want one that names the variable", err)
	}
}

func TestVariableThatStandsForSomethingElse(t *testing.T) {
	layers := Layers{Environment: []string{"AIPERF_QUIETER=1"}, Variables: []Variable{{Names: []string{"AIPERF_QUIETER"}, Flag: "quiet",
		Values: func(value string) ([]string, error) {
			if on, err := Switch(value); !on {
				return nil, err
			}
			return []string{"true"}, nil
		}}}}
	if got := completed(t, layers, ""); got != "--quiet=true" {
		t.Errorf("%q", got)
	}
	layers.Environment = []string{"AIPERF_QUIETER=0"}
	if got := completed(t, layers, ""); got != "" {
		t.Errorf("%q, want nothing", got)
	}
	if names := layers.Names(layered()); !slices.Contains(names, "AIPERF_QUIETER") || !slices.Contains(names, "AGENTX_BUNDLE") {
		t.Errorf("names %v", names)
	}
}

func TestFileTakesListsAndMappingsForListFlags(t *testing.T) {
	file, err := ReadFile(config(t, "header:\n  - 'X-A: 1'\n  - {X-B: two}\nbenchmark_duration: 1.5\nquiet: yes\nbundle: null\n"), layered())
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&Layers{File: file}).Complete(layered(), nil)
	want := []string{"--header=X-A: 1", `--header={"X-B":"two"}`, "--benchmark-duration=1.5", "--quiet=true"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

func TestFileWithOneNameAndEmptyFile(t *testing.T) {
	for text, want := range map[string]string{"quiet: true": "--quiet=true", "": "", "# nothing\n": ""} {
		file, err := ReadFile(config(t, text), layered())
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := completed(t, Layers{File: file}, ""); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestFileIsReadStrictlyAndSaysAllThatIsWrong(t *testing.T) {
	_, err := ReadFile(config(t, "bundel: x\nlimit: many\nquiet: [true]\nconcurrency: 1\nc: 2\napi-key: {a: sk-secret-1}\n"), layered())
	if err == nil {
		t.Fatal("accepted")
	}
	for _, part := range []string{
		`line 1: there is no flag "bundel"; did you mean "bundle"?`, "line 2: limit: \"many\": expected a whole number",
		"line 3: quiet: expected true or false, found a list", "line 5: c is set in line 4 already", "line 6: api-key: expected a text, found a mapping",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q:\n%v", part, err)
		}
	}
}

func TestFileSyntaxErrorsNameTheLineAndQuoteNothing(t *testing.T) {
	for _, text := range []string{"api-key: sk-secret-1\n  bad: [", "api-key: sk-secret-1\napi-key: sk-secret-1\n", "- sk-secret-1\n"} {
		_, err := ReadFile(config(t, text), layered())
		if err == nil || !strings.Contains(err.Error(), "line ") || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%q: error %v, want one with a line and without the key", text, err)
		}
	}
}

func TestTemplateIsAFileThatSetsNothing(t *testing.T) {
	var text strings.Builder
	if err := WriteTemplate(&text, layered()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "# no progress\n# quiet: false\n") {
		t.Errorf("template:\n%s", text.String())
	}
	file, err := ReadFile(config(t, text.String()), layered())
	if err != nil || len(file.entries) != 0 {
		t.Errorf("the template sets %v, %v", file, err)
	}
}
