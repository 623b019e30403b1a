package e2e

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// folder of the programs, built once.
var programs string

func TestMain(m *testing.M) {
	if os.Getenv("AGENTX_E2E") == "" {
		os.Exit(m.Run()) // each test says that it skips
	}
	dir, err := os.MkdirTemp("", "agentx-e2e-")
	if err == nil {
		programs = dir
		var output []byte
		if output, err = exec.Command("go", "build", "-o", dir, "agentx/cmd/...").CombinedOutput(); err != nil {
			err = fmt.Errorf("building the programs: %w\n%s", err, output)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// wanted skips unless the real servers are asked for.
func wanted(t *testing.T) {
	t.Helper()
	if os.Getenv("AGENTX_E2E") == "" {
		t.Skip("AGENTX_E2E is not set: `make e2e` runs this")
	}
}

// run runs a program and requires exit code 0.
func run(t *testing.T, environment []string, program string, arguments ...string) string {
	t.Helper()
	command := exec.Command(filepath.Join(programs, program), arguments...)
	command.Env = append(os.Environ(), environment...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// shared is a path in the folder of traces and servers.
func shared(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("AGENTX_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	at, err := filepath.Abs(filepath.Join(root, name))
	if err == nil {
		_, err = os.Stat(at)
	}
	if err != nil {
		t.Skipf("no %s: set AGENTX_SHARED to the folder that has it", name)
	}
	return at
}

// traces unpacks some of the recorded traces.
func traces(t *testing.T, names ...string) string {
	t.Helper()
	packed, err := os.Open(shared(t, "traces/kv-cache-tester.tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := zstd.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer unpacked.Close()
	dir := t.TempDir()
	found := 0
	for archive := tar.NewReader(unpacked); found < len(names); {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			t.Fatalf("the archive has %d of %v", found, names)
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(header.Name)
		if !slices.Contains(names, name) {
			continue
		}
		text, err := io.ReadAll(archive)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		found++
	}
	return dir
}

// record is what the tests read of a line of records.jsonl.
type record struct {
	Phase, Outcome, Class, Trace, Session, Kind string
	RootSession                                 string `json:"root_session"`
	RequestID                                   string `json:"request_id"`
	Turn                                        int
	Tokens                                      struct {
		Input       int64
		UsagePrompt *int64 `json:"usage_prompt"`
		Cached      *int64
		Reach       *int64
	}
	Recorded struct {
		In        int64
		HitTokens int64 `json:"hit_tokens"`
	}
	HTTP struct{ Resends int }
}

// lines decodes a file of JSON lines.
func lines[T any](t *testing.T, path string) []T {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	scanner := bufio.NewScanner(bytes.NewReader(text))
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		var one T
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, one)
	}
	if err := scanner.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d lines, %v", path, len(all), err)
	}
	return all
}
