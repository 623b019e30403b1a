package mockserver

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentx/internal/servermodel"
)

// TestTLSAndHTTP2: the certificate that the server hands out is enough to trust it, and both protocols
// reach the same handler; a fault needs HTTP/1.1 and says so.
func TestTLSAndHTTP2(t *testing.T) {
	for _, withTLS := range []bool{false, true} {
		s := start(t, Options{TLS: withTLS, HTTP2: true})
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM(s.CertificatePEM())
		for _, version := range []int{1, 2} {
			transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, Protocols: new(http.Protocols)}
			transport.Protocols.SetHTTP1(version == 1)
			transport.Protocols.SetHTTP2(version == 2 && withTLS)
			transport.Protocols.SetUnencryptedHTTP2(version == 2 && !withTLS)
			for i, order := range []string{"", "in_stream_error", ""} {
				r, err := http.NewRequest("POST", s.URL()+chatPath, strings.NewReader(chatBody))
				if err != nil {
					t.Fatal(err)
				}
				if order != "" {
					r.Header.Set("X-Mock-Fault", order)
				}
				response, err := transport.RoundTrip(r)
				if err != nil {
					t.Fatalf("tls %v, version %d: %v", withTLS, version, err)
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				want := []string{"[DONE]", "the engine died", "[DONE]"}[i]
				if version == 2 && order != "" {
					want = "this fault is for HTTP/1.1"
				}
				if err != nil || response.ProtoMajor != version || !strings.Contains(string(body), want) {
					t.Errorf("tls %v, %s: %q, %v; expected %q", withTLS, response.Proto, body, err, want)
				}
			}
			transport.CloseIdleConnections()
		}
		for _, record := range s.Records() {
			if record.FirstByteNs == 0 || record.ArrivalNs > record.BodyReadNs || record.EndNs < record.FirstByteNs {
				t.Errorf("tls %v: record %+v", withTLS, record)
			}
		}
	}
}

// TestConnectionsAreReusedAfterFaults: a fault that leaves the connection usable costs no new one.
func TestConnectionsAreReusedAfterFaults(t *testing.T) {
	s := start(t, Options{})
	for range 5 {
		post(t, s, chatBody, "X-Mock-Fault", "status")
		post(t, s, chatBody)
	}
	if stats := s.Stats(); stats.Connections != 1 || stats.Requests != 10 || stats.InFlight != 0 {
		t.Errorf("%+v; expected 10 requests on one connection", stats)
	}
}

// sharedFolder is the folder of test material outside the project, or a skip.
func sharedFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("AGENTX_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no shared test material here (AGENTX_SHARED)")
	}
	return folder
}

// TestPlaysTheScriptsOfReportedFaults: each mock.json of the collection of reported faults is accepted,
// and its responses come as written: the bytes of its writes, in order, then the ordered ending.
func TestPlaysTheScriptsOfReportedFaults(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join(sharedFolder(t), "bugs", "*", "mock.json"))
	if err != nil || len(scripts) == 0 {
		t.Skip("no scripts there")
	}
	var plays sync.WaitGroup
	for _, path := range scripts {
		faults, err := readFaults(Faults{}, path)
		if err != nil {
			t.Error(err)
		}
		for i, response := range faults.Responses {
			for k := range response.Writes {
				response.Writes[k].AtMs /= 20 // their times are somebody else's test
			}
			s := start(t, Options{Faults: Faults{Responses: []Response{response}}})
			plays.Go(func() { playScript(t, s, fmt.Sprintf("%s, response %d", path, i), response) })
		}
	}
	plays.Wait()
}

func playScript(t *testing.T, s *Server, name string, response Response) {
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", chatPath, len(chatBody), chatBody)
	var want []byte
	var last, pause float64
	for _, write := range response.Writes {
		want = append(want, write.Data...)
		pause, last = max(pause, write.AtMs-last), write.AtMs
	}
	var got transcript
	for buffer := make([]byte, 1<<20); got.end == ""; {
		_ = conn.SetReadDeadline(time.Now().Add(time.Duration(pause+700) * time.Millisecond))
		n, err := conn.Read(buffer)
		got.bytes = append(got.bytes, buffer[:n]...)
		if err != nil {
			got.end = err.Error()
		}
	}
	_, content, framing := split(got.bytes)
	wantFraming := "cut"
	if response.End == "" || response.End == "close" {
		wantFraming = "whole"
	}
	if content != string(want) || framing != wantFraming {
		t.Errorf("%s: %d bytes, %s; expected %d, %s", name, len(content), framing, len(want), wantFraming)
	}
}

// TestScriptsAreChosenByOutputLimit: by_max_tokens goes before order.
func TestScriptsAreChosenByOutputLimit(t *testing.T) {
	s := start(t, Options{Faults: Faults{Responses: []Response{{Status: 501}, {Status: 502}, {Status: 503}}, ByMaxTokens: map[string]int{"3": 2, "1": 1}}})
	cycling := start(t, Options{Faults: Faults{Responses: []Response{{Status: 501}, {Status: 502}}, Cycle: true}})
	lasting := start(t, Options{Faults: Faults{Responses: []Response{{Status: 501}, {Status: 502}}}})
	var got []int
	for _, row := range []struct {
		server *Server
		limit  int
	}{{s, 3}, {s, 1}, {s, 9}, {cycling, 1}, {cycling, 1}, {cycling, 1}, {lasting, 1}, {lasting, 1}, {lasting, 1}} {
		response, _ := post(t, row.server, request("x", fmt.Sprintf(`,"max_tokens":%d`, row.limit)))
		got = append(got, response.StatusCode)
	}
	if fmt.Sprint(got) != "[503 502 501 501 502 501 501 502 502]" {
		t.Errorf("statuses %v", got)
	}
}

// TestRecordFileHasEveryRequest: one JSON line a request, the same as Records.
func TestRecordFileHasEveryRequest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.jsonl")
	s := start(t, Options{RecordFile: path, KeepRecords: 3})
	for i := range 5 {
		post(t, s, chatBody, "X-Request-ID", fmt.Sprint(i))
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var written []Record
	kept := s.Records()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var record Record
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		written = append(written, record)
	}
	if len(written) != 5 || len(kept) != 3 {
		t.Fatalf("%d written, %d kept; expected 5 and 3", len(written), len(kept))
	}
	for i, record := range kept {
		if record.RequestID != fmt.Sprint(i+2) || written[i+2].EndNs != record.EndNs {
			t.Errorf("kept record %d is %+v; written %+v", i, record, written[i+2])
		}
	}
}

// TestErrorAndAbortRates: the share of the model's failures is seen by clients, as a 500 or as an error
// in the stream.
func TestErrorAndAbortRates(t *testing.T) {
	s := start(t, Options{Server: servermodel.Config{ErrorRate: 0.3, AbortRate: 0.3, Seed: 3}})
	counts := map[string]int{}
	for i := range 200 {
		response, body := post(t, s, chatBody, "X-Request-ID", fmt.Sprint(i))
		switch {
		case response.StatusCode == 500:
			counts["refused"]++
		case strings.Contains(body, "failed in mid-answer"):
			counts["aborted"]++
		case strings.Contains(body, `"finish_reason":"length"`):
			counts["finished"]++
		}
	}
	stats, _ := s.engine.snapshot()
	if int64(counts["refused"]) != stats.Ended[servermodel.Refused] || int64(counts["aborted"]) != stats.Ended[servermodel.Aborted] ||
		int64(counts["finished"]) != stats.Ended[servermodel.Finished] || counts["refused"] < 30 || counts["aborted"] < 30 {
		t.Errorf("clients saw %v, the model counted %v", counts, stats.Ended)
	}
}

// TestRunServesUntilItsContextEnds: it prints its address, serves, lets what is in flight end, and is gone.
func TestRunServesUntilItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	ended := make(chan error)
	go func() {
		ended <- Run(ctx, Options{Out: writer, Server: servermodel.Config{OverheadNs: 50e6}})
		writer.Close()
	}()
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil || !strings.Contains(line, "bytes/4") {
		t.Fatalf("first line %q, %v", line, err)
	}
	url := strings.Fields(line)[3]
	response, err := http.Post(url+chatPath, "", strings.NewReader(request("x", `,"max_tokens":2`)))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || !strings.HasSuffix(string(body), "data: [DONE]\n\n") {
		t.Errorf("the answer in flight was cut: %q, %v", body, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(url + "/health"); err == nil {
		t.Error("the server still answers")
	}
}

// TestClosingTwiceIsHarmless: as a deferred Close after a Shutdown does.
func TestClosingTwiceIsHarmless(t *testing.T) {
	s := start(t, Options{})
	if err := errors.Join(s.Shutdown(t.Context()), s.Close()); err != nil {
		t.Error(err)
	}
}

// TestAddressInUseIsAnError: with the address in it.
func TestAddressInUseIsAnError(t *testing.T) {
	s := start(t, Options{})
	port := s.listener.Addr().(*net.TCPAddr).Port
	if _, err := Start(Options{Port: port}); err == nil || !strings.Contains(err.Error(), fmt.Sprint(port)) {
		t.Errorf("second server on port %d: %v", port, err)
	}
}

// TestManyClientsAtOnce: with a small batch and cache, under load, every request is answered whole and
// the model's books balance.
func TestManyClientsAtOnce(t *testing.T) {
	s := start(t, Options{Server: servermodel.Config{BatchLimit: 8, PrefillLimit: 1, PrefillTokensPerSecond: 5e6, TokenNs: 1e5, DecodeSlowdown: 0.1, CacheTokens: 4096}})
	var clients sync.WaitGroup
	for c := range 40 {
		clients.Go(func() {
			text := fmt.Sprint(c%5, strings.Repeat(" and on", 100))
			for range 5 {
				text += strings.Repeat(" again", 50)
				_, body := post(t, s, request(text, `,"max_tokens":6,"stream_options":{"include_usage":true}`))
				if chunks := events(t, body); chunks[len(chunks)-1].Usage.Completion != 6 {
					t.Errorf("usage %+v", chunks[len(chunks)-1].Usage)
				}
			}
		})
	}
	clients.Wait()
	records := s.Records()
	var prompt, cached int64
	for _, record := range records {
		prompt += int64(record.PromptTokens)
		cached += int64(record.CachedTokens)
	}
	stats, load := s.engine.snapshot()
	if len(records) != 200 || stats.QueriedTokens != prompt || stats.HitTokens != cached || cached == 0 || load.HeldTokens != 0 {
		t.Errorf("%d records, %d of %d tokens cached; the model: %+v %+v", len(records), cached, prompt, stats, load)
	}
	if slices.ContainsFunc(records, func(r Record) bool { return r.Outcome != "finished" }) {
		t.Error("some request did not finish")
	}
}

// TestStreamForms: what servers do differently, by option.
func TestStreamForms(t *testing.T) {
	plain := start(t, Options{NoRoleChunk: true, NoUsageDetails: true, ReasoningTokens: 1, ReasoningKey: "reasoning"})
	_, body := post(t, plain, request("x", `,"max_tokens":2,"stream_options":{"include_usage":true}`))
	chunks := events(t, body)
	if len(chunks) != 3 || chunks[0].Choices[0].Delta.Role != "" || !strings.Contains(body, `"delta":{"reasoning":" the"}`) {
		t.Errorf("without a role chunk, reasoning under its short name: %s", body)
	}
	if u := chunks[2].Usage; u.Details != nil || u.Output == nil || u.Output.Reasoning != 1 {
		t.Errorf("usage %+v; expected no prompt details, one reasoning token", u)
	}
	early := start(t, Options{EarlyHeaders: true, Server: servermodel.Config{OverheadNs: int64(time.Hour)}})
	response, err := http.Post(early.URL()+chatPath, "", strings.NewReader(request("x", `,"max_tokens":1`)))
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(response.Body).ReadString('\n') // an hour before the first token
	response.Body.Close()
	if err != nil || response.StatusCode != 200 || !strings.Contains(line, `"role":"assistant"`) {
		t.Errorf("early head: %d, %q, %v", response.StatusCode, line, err)
	}
	for _, bad := range []Options{{Port: -1}, {Port: 70000}, {TokensPerChunk: -1}, {Server: servermodel.Config{BatchLimit: -1}}, {FaultsFile: "no such file"}, {RecordFile: "no/such/folder/x"}} {
		if s, err := Start(bad); err == nil {
			s.Close()
			t.Errorf("%+v is accepted", bad)
		}
	}
}
