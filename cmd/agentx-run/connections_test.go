package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"agentx/internal/mockserver"
	"agentx/internal/servermodel"
)

// Case 45: a thousand requests of 16 lanes need about as many connections as requests may be in flight at once,
// not hundreds; a request on a kept one has no connecting time, and the report has their number.
func TestAThousandRequestsKeepTheirConnections(t *testing.T) {
	server, err := mockserver.Start(mockserver.Options{Server: servermodel.Config{TokenNs: int64(200 * time.Microsecond), PrefillTokensPerSecond: 1e7}, KeepRecords: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "run")
	program := exec.Command("agentx-run", "--bundle", sample(t), "--url", server.URL(), "--model", "m", "--concurrency", "16", "--request-count", "1000",
		"--burst-phase-starts", "--trace-idle-gap-cap-seconds", "0.01", "--cache-bust", "first_turn_prefix", "--artifact-dir", dir)
	if output, err := program.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	const most = 2 * 16 // a lane may have a subagent beside its root; who the server is and its metrics are asked too
	stats := server.Stats()
	if stats.Requests < 1000 || stats.Connections > most {
		t.Errorf("%d connections for %d requests, at most %d at once", stats.Connections, stats.Requests, stats.MaxInFlight)
	}
	var report struct {
		Population struct {
			Opened int64 `json:"connections_opened"`
			Ahead  int64 `json:"connections_opened_ahead"`
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	if p := report.Population; p.Ahead < 16 || p.Opened+p.Ahead > stats.Connections {
		t.Errorf("the report has %+v, the server accepted %d", p, stats.Connections)
	}
	if n := connected(t, filepath.Join(dir, "profile_export.jsonl")); n > report.Population.Opened {
		t.Errorf("%d requests of profiling took time to connect, %d opened a connection", n, report.Population.Opened)
	}
}

// connected counts the requests of profiling with a connecting time.
func connected(t *testing.T, path string) int64 {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	n, all := int64(0), 0
	for lines.Scan() {
		var record struct {
			Metadata struct {
				Phase string `json:"benchmark_phase"`
			}
			Metrics struct {
				Connecting *struct{ Value float64 } `json:"http_req_connecting"`
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		if record.Metadata.Phase != "profiling" {
			continue
		}
		if record.Metrics.Connecting == nil {
			t.Fatal("a record has no connecting time, not even 0")
		}
		all++
		if record.Metrics.Connecting.Value > 0 {
			n++
		}
	}
	if all < 1000 || lines.Err() != nil {
		t.Fatalf("%d records, %v", all, lines.Err())
	}
	return n
}
