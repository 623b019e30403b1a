package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/eventlog"
	"agentx/internal/measure/logtest"
)

// Every connect of the latency probe is a line, also one that failed; those that came give the mean that is
// taken off the latencies (spec wire 12).
func TestEveryConnectOfTheLatencyProbeIsALine(t *testing.T) {
	log := logtest.New()
	config := logtest.Config("", map[string]any{"url": []string{"http://user:pa55w0rd@server:8000/base", "https://other"}, "network-latency-automatic": true})
	log.Row(eventlog.KindRunConfig, 0, logtest.Nowhere(), config)
	log.Row(eventlog.KindAnchor, 0, logtest.Nowhere(), eventlog.Anchor{WallNs: 1_700_000_000e9})
	for i, sample := range []eventlog.NetworkSample{
		{Target: "server:8000", ConnectNs: 2e6}, {Target: "other:443", ConnectNs: 5e9, Error: "no route to host"}, {Target: "server:8000", ConnectNs: 4e6},
	} {
		log.Row(eventlog.KindNetworkSample, int64(i+1)*1e9, logtest.Nowhere(), sample)
	}
	a := analyzed(t, log)
	if rtt := a.Basis.RTTNs; rtt != 3e6 {
		t.Errorf("round trip %v ns, want the mean of the two that came", rtt)
	}
	dir := exported(t, a, Set{Level: "summary", Prefix: "mine"})
	path := filepath.Join(dir, "mine_network_latency.jsonl")
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"timestamp_ns":1700000001000000000,"target_url":"http://server:8000/base","target_host":"server","target_port":8000,"probe_type":"tcp_connect","rtt_ns":2000000,"success":true}
{"timestamp_ns":1700000002000000000,"target_url":"https://other","target_host":"other","target_port":443,"probe_type":"tcp_connect","success":false,"error":{"message":"no route to host"}}
{"timestamp_ns":1700000003000000000,"target_url":"http://server:8000/base","target_host":"server","target_port":8000,"probe_type":"tcp_connect","rtt_ns":4000000,"success":true}
`
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if n, err := Validate(path); n != 3 || err != nil {
		t.Errorf("validate: %d records, %v", n, err)
	}
}

// A connection that was opened before there was a request for it is none of a request's, and is counted all
// the same.
func TestConnectionsOpenedAheadAreCounted(t *testing.T) {
	log := logtest.Mixed()
	for i, opened := range []int{16, 1} {
		log.Row(eventlog.KindNotice, int64(i), logtest.Nowhere(), eventlog.Notice{Level: "info", Code: "connections_opened", Text: "opened", Facts: map[string]any{"opened": opened}})
	}
	a := analyzed(t, log)
	var text bytes.Buffer
	if err := pretty(&text, population(a)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), `"connections_opened_ahead": 17`) {
		t.Errorf("the population does not have 17:\n%s", &text)
	}
	text.Reset()
	if err := Summary(&text, a, ConsoleOptions{}); err != nil || !strings.Contains(text.String(), "connections opened, 17 of them before there was a request for them\n") {
		t.Errorf("%v\n%s", err, &text)
	}
}
