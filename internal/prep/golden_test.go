package prep

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"agentx/internal/synth/filler"
)

// sharedFolder is where reference material lies beside the project, if it does.
func sharedFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("AGENTX_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(folder, "golden")); err != nil {
		t.Skipf("no reference material: %v", err)
	}
	return folder
}

// unpackTraces stores the wanted members of a packed folder of traces, and stops when it has them all.
func unpackTraces(t *testing.T, archive string, want map[string]bool) string {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Skipf("no real traces: %v", err)
	}
	defer file.Close()
	unpacked, err := zstd.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer unpacked.Close()
	folder := t.TempDir()
	have := 0
	for members := tar.NewReader(unpacked); have < len(want); {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			return folder
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(header.Name)
		if header.Typeflag != tar.TypeReg || !want[name] {
			continue
		}
		text, err := io.ReadAll(members)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		have++
	}
	return folder
}

// Traces print line by line as the golden files, which have two configured models. Seams are compared
// in traces without subagents only: inside those the peer counts none.
func TestInspectPrintsTracesInTheGoldenShape(t *testing.T) {
	shared := sharedFolder(t)
	golden, err := filepath.Glob(filepath.Join(shared, "golden", "trace_*.json"))
	if err != nil || len(golden) == 0 {
		t.Skip("no golden traces")
	}
	names := map[string]bool{}
	for _, path := range golden {
		names[filepath.Base(path)] = true
	}
	options := sampleOptions(t, unpackTraces(t, filepath.Join(shared, "traces", "kv-cache-tester.tar.zst"), names))
	options.fillerLengths = filler.Lengths()
	path := mustBuild(t, options).Path
	for _, file := range golden {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(filepath.Base(file), ".json")
		var got strings.Builder
		if err := Inspect(&got, path, InspectOptions{Trace: id, JSON: true, Models: []string{"m0", "m1"}}); err != nil {
			t.Fatal(err)
		}
		gotLines, wantLines := strings.Split(strings.TrimSpace(got.String()), "\n"), strings.Split(strings.TrimSpace(string(want)), "\n")
		if len(gotLines) != len(wantLines) {
			t.Errorf("%s: %d lines, want %d", id, len(gotLines), len(wantLines))
			continue
		}
		for i := range wantLines {
			if gotLines[i] != wantLines[i] && !(i == 0 && onlySeamsDiffer(gotLines[i], wantLines[i])) {
				t.Errorf("%s, line %d:\n%s, want\n%s", id, i+1, gotLines[i], wantLines[i])
				break
			}
		}
	}
}

// onlySeamsDiffer: the two head lines of a trace with subagents are equal but for the count of seams.
func onlySeamsDiffer(got, want string) bool {
	cut := func(line string) string {
		before, after, _ := strings.Cut(line, `"seams": `)
		_, after, _ = strings.Cut(after, ",")
		return before + after
	}
	return cut(got) == cut(want) && !strings.Contains(want, `"n_subagents": 0`)
}
