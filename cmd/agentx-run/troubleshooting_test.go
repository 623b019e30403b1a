package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestTroubleshootingEntriesAreWhatTheProgramSays provokes the entries of docs/troubleshooting.md that are
// about the command line: each part of a heading is in what one of its command lines prints.
func TestTroubleshootingEntriesAreWhatTheProgramSays(t *testing.T) {
	document, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	run := []string{"--bundle", sample(t), "--model", "m"}
	for _, c := range []struct {
		heading     string
		lines       []string
		environment []string
	}{
		{"no bundle: give --bundle FILE · no bundle of this recording is in", []string{"--model m", "--model m --public-dataset semianalysis_cc_traces_weka_062126"}, nil},
		{"is not what these flags ask for", []string{"BUNDLE --num-dataset-entries 1"}, nil},
		{"conflicts", []string{"BUNDLE --scenario inferencex-agentx-mvp --cache-bust none"}, nil},
		{"has no effect with · has no effect:", []string{"BUNDLE --url-scope tree --no-gpu-telemetry"}, nil},
		{"is not of agentx-run", []string{"BUNDLE --request-rate 5"}, nil},
		{"there is no flag", []string{"BUNDLE --concurency 5"}, nil},
		{"environment variables … differ", []string{"BUNDLE"}, []string{"AGENTX_HTTP_IP_VERSION=4", "AIPERF_HTTP_IP_VERSION=6"}},
		{"environment variable … is not known", []string{"BUNDLE"}, []string{"AGENTX_CONCURENCY=4"}},
		{"the runs after the first find their prompts in the server's cache", []string{"BUNDLE --num-profile-runs 2"}, nil},
		{"may end the run before 95 % of its duration", []string{"BUNDLE --scenario agentx --unsafe-override --request-count 4"}, nil},
	} {
		if !headingHas(string(document), c.heading) {
			t.Errorf("docs/troubleshooting.md has no entry %q", c.heading)
		}
		var printed strings.Builder
		for _, line := range c.lines {
			arguments := strings.Fields(line)
			if arguments[0] == "BUNDLE" {
				arguments = append(arguments[1:], run...)
			}
			program := exec.Command("agentx-run", append(arguments, "--dry-run")...)
			program.Env = append(program.Environ(), append(c.environment, fmt.Sprintf("XDG_CACHE_HOME=%s", t.TempDir()))...)
			program.Stdout, program.Stderr = &printed, &printed
			if _, err := codeOf(program.Run()); err != nil {
				t.Fatal(err)
			}
		}
		for alternative := range strings.SplitSeq(c.heading, " · ") {
			for part := range strings.SplitSeq(alternative, " … ") {
				if !strings.Contains(printed.String(), part) {
					t.Errorf("%q is not printed by %v:\n%s", part, c.lines, printed.String())
				}
			}
		}
	}
}

// headingHas reports whether a heading of the document is the text, or has it among its alternatives.
func headingHas(document, text string) bool {
	for line := range strings.Lines(document) {
		if heading, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok && strings.Contains(heading, text) {
			return true
		}
	}
	return false
}
