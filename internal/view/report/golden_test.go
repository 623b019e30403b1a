package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

var update = flag.Bool("update", false, "write the golden reports instead of comparing with them")

func analyzed(t *testing.T, log *logtest.Log) *measure.Analysis {
	t.Helper()
	second := 5.0
	a, err := measure.Analyze(log, measure.Options{SliceSeconds: &second})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestGoldenReports(t *testing.T) {
	dir := t.TempDir()
	written, err := Export(dir, analyzed(t, logtest.Mixed()), Set{Level: "raw", Raw: handRaw{}, Outputs: true, HTTPTrace: true, ShowTrace: true, Everything: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(written) != len(namesOf()) {
		t.Errorf("%d files written, want all %d", len(written), len(namesOf()))
	}
	for _, path := range append(written, filepath.Join(dir, Marker)) {
		if filepath.Ext(path) == ".parquet" {
			continue // read back by a test of its own
		}
		compare(t, path)
	}
}

func compare(t *testing.T, path string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "mixed", "golden_"+filepath.Base(path))
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from %s; if the change is meant, run go test ./internal/view/report -update and read the difference", filepath.Base(path), golden)
	}
}
