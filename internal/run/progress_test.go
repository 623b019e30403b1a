package run

import (
	"bytes"
	"strings"
	"testing"
)

func TestALineThatWouldWrapIsCut(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{
		{"Phase warmup", 80, "Phase warmup"},
		{"Phase warmup", 0, "Phase warmup"},
		{"Phase warmup", 8, "Phase …"},
	} {
		if got := fit(c.line, c.width); got != c.want {
			t.Errorf("%q on %d columns is %q, want %q", c.line, c.width, got, c.want)
		}
	}
}

// While the dashboard has the terminal nothing is written to it; what was said comes after, in order, and
// the log file has it at once.
func TestMessagesWaitWhileTheTerminalShowsSomethingElse(t *testing.T) {
	var terminal, file bytes.Buffer
	p := &progress{out: &terminal, logs: &file, terminal: true, stop: make(chan struct{})}
	p.Say("before")
	p.Leave()
	p.draw("a line")
	for n := range heldMost + 2 {
		p.Say("message %d", n)
	}
	if got := terminal.String(); got != "before\n" {
		t.Errorf("the terminal got %q while something else was on it", got)
	}
	if got := strings.Count(file.String(), "\n"); got != heldMost+3 {
		t.Errorf("the log file has %d lines, expected %d", got, heldMost+3)
	}
	p.Return()
	got := terminal.String()
	if !strings.HasPrefix(got, "before\nmessage 0\nmessage 1\n") || !strings.HasSuffix(got, "message 999\n2 further messages are in logs/agentx.log\n") {
		t.Errorf("after the return the terminal has %q … %q", got[:40], got[len(got)-80:])
	}
	p.draw("a line")
	if !strings.HasSuffix(terminal.String(), clearLine+"a line") {
		t.Error("no progress line after the return")
	}
}
