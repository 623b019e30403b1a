package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// heard is what a header worker says of a request: which worker it was, and the headers that reached it.
type heard struct {
	session string
	worker  string
	headers map[string]string
}

// rawRecord is what the tests read of a line of profile_export_raw.jsonl.
type rawRecord struct {
	Metadata struct {
		Session string `json:"x_correlation_id"`
		Parent  string `json:"parent_correlation_id"`
	}
	Responses []struct {
		Packets []struct{ Name, Value string }
	}
}

// through replays the sample corpus against header workers and gives what each request met there.
func through(t *testing.T, environment []string, url string, arguments ...string) ([]heard, map[string]string) {
	t.Helper()
	work := t.TempDir()
	bundle, dir := filepath.Join(work, "sample.bundle"), filepath.Join(work, "run")
	run(t, nil, "agentx-prep", "build", "--quiet", "--no-cache", "--input-file", filepath.Join("..", "..", "testdata", "corpus"), "-o", bundle)
	run(t, environment, "agentx-run", append([]string{"--quiet", "--bundle", bundle, "--url", url, "--model", "tiny", "--concurrency", "4",
		"--random-seed", "1", "--burst-phase-starts", "--trace-idle-gap-cap-seconds", "0.2", "--system-idle-gap-cap-seconds", "0.1", "--benchmark-duration", "8",
		"--export-level", "raw", "--artifact-dir", dir}, arguments...)...)
	records := lines[record](t, filepath.Join(dir, "records.jsonl"))
	checkOutcomes(t, records, true)
	var all []heard
	parents := map[string]string{}
	for _, raw := range lines[rawRecord](t, filepath.Join(dir, "profile_export_raw.jsonl")) {
		all = append(all, read(t, &raw))
		parents[raw.Metadata.Session] = raw.Metadata.Parent
	}
	return all, parents
}

// read finds the worker's words, "worker PORT {headers}", in an answer.
func read(t *testing.T, raw *rawRecord) heard {
	t.Helper()
	for _, response := range raw.Responses {
		for _, packet := range response.Packets {
			var chunk struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			if json.Unmarshal([]byte(packet.Value), &chunk) != nil || len(chunk.Choices) == 0 {
				continue
			}
			words := strings.SplitN(chunk.Choices[0].Delta.Content, " ", 3)
			h := heard{session: raw.Metadata.Session}
			if len(words) == 3 && json.Unmarshal([]byte(words[2]), &h.headers) == nil {
				h.worker = words[1]
				return h
			}
		}
	}
	t.Fatalf("an answer without the worker's words: %+v", raw.Responses)
	return heard{}
}

// TestRouterKeepsSessions: sglang-router's manual policy goes by X-SMG-Routing-Key; every request of a
// session meets the same worker, and sessions are spread over both.
func TestRouterKeepsSessions(t *testing.T) {
	wanted(t)
	installed(t, "router/bin/sglang-router", "router")
	router := start(t, nil, "router", "manual", start(t, nil, "headerworker"), start(t, nil, "headerworker"))
	requests, _ := through(t, []string{"AGENTX_HTTP_X_SMG_ROUTING_KEY_FROM_CORRELATION_ID=1"}, router)
	worker, perWorker, repeats := map[string]string{}, map[string]int{}, 0
	for _, r := range requests {
		if r.headers["x-smg-routing-key"] != r.session {
			t.Errorf("session %s has the routing key %q", r.session, r.headers["x-smg-routing-key"])
		}
		before, known := worker[r.session]
		if known && before != r.worker {
			t.Errorf("session %s met worker %s and worker %s", r.session, before, r.worker)
		}
		if known {
			repeats++
		}
		worker[r.session] = r.worker
		perWorker[r.worker]++
	}
	t.Logf("%d requests of %d sessions, %d of them after the session's first; per worker %v", len(requests), len(worker), repeats, perWorker)
	if len(perWorker) != 2 || repeats < 10 {
		t.Errorf("workers %v, %d repeats: this shows nothing", perWorker, repeats)
	}
}

// TestEveryAffinityHeaderReachesTheWorker: with all switched on, as the worker received them.
func TestEveryAffinityHeaderReachesTheWorker(t *testing.T) {
	wanted(t)
	url := start(t, nil, "headerworker")
	requests, parents := through(t, []string{
		"AGENTX_HTTP_X_SESSION_ID_FROM_CORRELATION_ID=1", "AGENTX_HTTP_X_SMG_ROUTING_KEY_FROM_CORRELATION_ID=1", "AGENTX_HTTP_X_DYNAMO_SESSION_ID_FROM_CORRELATION_ID=1",
	}, url, "--tree-affinity-header", "X-Tree")
	children := 0
	for _, r := range requests {
		for _, name := range []string{"x-correlation-id", "x-session-affinity", "x-session-id", "x-smg-routing-key", "x-dynamo-session-id"} {
			if r.headers[name] != r.session {
				t.Errorf("%s of session %s is %q", name, r.session, r.headers[name])
			}
		}
		parent, sent := r.headers["x-dynamo-parent-session-id"]
		if parent != parents[r.session] || sent != (parents[r.session] != "") {
			t.Errorf("session %s has the parent %q, its header says %q (sent: %v)", r.session, parents[r.session], parent, sent)
		}
		root := r.session
		for parents[root] != "" {
			root = parents[root]
		}
		if r.headers["x-tree"] != root {
			t.Errorf("session %s of tree %s has the tree header %q", r.session, root, r.headers["x-tree"])
		}
		if sent {
			children++
		}
	}
	t.Logf("%d requests, %d of them of subagents", len(requests), children)
	if children == 0 {
		t.Error("no subagent: this shows nothing of parents")
	}
}

// TestSessionAffinityIsOffByItsVariable, and the others are off unless asked for.
func TestSessionAffinityIsOffByItsVariable(t *testing.T) {
	wanted(t)
	url := start(t, nil, "headerworker")
	requests, _ := through(t, []string{"AGENTX_HTTP_X_SESSION_AFFINITY_FROM_CORRELATION_ID=0"}, url)
	for _, r := range requests {
		if r.headers["x-correlation-id"] != r.session {
			t.Errorf("session %s has the correlation id %q", r.session, r.headers["x-correlation-id"])
		}
		for _, name := range []string{"x-session-affinity", "x-session-id", "x-smg-routing-key", "x-dynamo-session-id", "x-dynamo-parent-session-id"} {
			if value, sent := r.headers[name]; sent {
				t.Errorf("%s is sent: %s", name, value)
			}
		}
	}
}
