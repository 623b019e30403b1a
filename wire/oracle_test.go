package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// askNetHTTP reads the same server with net/http: the oracle for status, body bytes, and whether the body
// ended as its framing says.
func askNetHTTP(t *testing.T, url string) (status int, body []byte, whole bool) {
	t.Helper()
	transport := &http.Transport{DisableCompression: true, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHead}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequest("POST", url+"/v1/chat/completions", strings.NewReader(strings.Repeat("x", 100)))
	if err != nil {
		t.Fatal(err)
	}
	request.GetBody = nil
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, nil, false
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, body, err == nil
}

// TestSameBytesSameRecordAsNetHTTP holds our client against net/http on every answer of the other tests
// that comes without waiting.
func TestSameBytesSameRecordAsNetHTTP(t *testing.T) {
	serves := map[string]func(p *peer){}
	for _, c := range append(append(statusCases(), framingCases()...), connectionCases()[2:]...) {
		if c.body == 0 && c.name != "101" { // net/http hands a switched connection out
			serves[c.name] = c.serve
		}
	}
	for name, answer := range ownStreams() {
		serves["stream "+name] = sends(answer)
	}
	for name, serve := range serves {
		server := newServer(t, serve)
		client := newClient(t, Options{}, server.url)
		request := chatRequest()
		request.KeepRaw = true
		r := client.Do(context.Background(), request)
		status, body, whole := askNetHTTP(t, server.url)
		ours := r.HeadersNs != Unset && (r.Err == nil || r.Class != ClassTransport) && r.Class != ClassNoEnd
		if strings.Contains(name, "after [DONE]") {
			ours = whole // it was all said; what becomes of the body's framing does not matter to us
		}
		if name == "error body cut" || name == "503 without reason" && status == 0 {
			ours = whole // the status decides here, not the framing of its body
		}
		if r.Status != status || !bytes.Equal(r.RawBody, body) || ours != whole {
			t.Errorf("%s: status %d, %d bytes, whole %v; net/http: %d, %d bytes, whole %v", name, r.Status, len(r.RawBody), ours, status, len(body), whole)
		}
	}
}

// TestAnEventInsideAnHTTPChunkIsStampedOnArrival sends two events in one HTTP chunk, a tenth of a second
// apart: the first may not wait for the second.
func TestAnEventInsideAnHTTPChunkIsStampedOnArrival(t *testing.T) {
	const apart = 100 * time.Millisecond
	first, second := contentA, "data: {\"choices\":[{\"delta\":{\"content\":\"B\"}}]}\n\n"+doneEvent
	epoch := time.Now()
	sent := make(chan int64, 2)
	server := newServer(t, then(func(p *peer) {
		p.send(sseHead)
		p.pause(20 * time.Millisecond)
		sent <- int64(time.Since(epoch))
		p.send(fmt.Sprintf("%x\r\n%s", len(first+second), first))
		p.pause(apart)
		sent <- int64(time.Since(epoch))
		p.send(second + "\r\n" + lastChunk)
	}))
	client := newClient(t, Options{Clock: NewClock(epoch)}, server.url)
	r := client.Do(context.Background(), chatRequest())
	firstSent, secondSent := <-sent, <-sent
	if r.Outcome != OutcomeOK || r.FirstTokenNs < firstSent || r.FirstTokenNs >= secondSent || r.SecondTokenNs < secondSent {
		t.Errorf("%s: sent at %d and %d, stamped %d and %d", describeResult(&r), firstSent, secondSent, r.FirstTokenNs, r.SecondTokenNs)
	}
	if r.HeadersNs >= firstSent || r.FirstBodyNs < firstSent {
		t.Errorf("head at %d, body at %d, first sent at %d", r.HeadersNs, r.FirstBodyNs, firstSent)
	}
}
