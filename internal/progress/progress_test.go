package progress

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestPlainLinesComeEveryFewSeconds(t *testing.T) {
	var out strings.Builder
	clock := time.Unix(0, 0)
	p := Plain(&out, func() time.Time { return clock })
	work := p.Start("reading", 4)
	for range 4 {
		clock = clock.Add(3 * time.Second)
		work.Step()
	}
	work.End()
	p.Line("read %d traces", 4)
	p.Close()
	if got, want := out.String(), "reading: 2 of 4 (50 %)\nread 4 traces\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestQuietAndPipesGetNoBars(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for _, quiet := range []bool{true, false} {
		p := New(writer, quiet)
		if p.bars != nil {
			t.Errorf("quiet %v: bars on a pipe", quiet)
		}
		work := p.Start("x", 1)
		work.Step()
		work.End()
		p.Line("said when not quiet")
		p.Close()
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 1000)
	n, err := reader.Read(buffer)
	if err != nil || string(buffer[:n]) != "said when not quiet\n" {
		t.Errorf("printed %q, %v", buffer[:n], err)
	}
}
