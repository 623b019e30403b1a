package main

import (
	"fmt"
	"strconv"

	"agentx/internal/benchhost"
	"agentx/internal/mockserver"
)

// firstTokenMs is how long the built-in server waits before its first token, in the part truth.
const firstTokenMs = 50

// bytesPerToken is about how long the text of a token is.
const bytesPerToken = 4.2

func (s *suite) truth() error {
	fmt.Println("bias: client's first content minus the server's write of it (kernel stamps); go: Go stamp minus kernel stamp, the greatest of a request;")
	fmt.Println("gap: server's last request byte read minus client's last byte written (a server that wakes late, not the client)")
	fmt.Println("plain: the plain client's time to first byte less 50 ms. AIPerf 0.13 on a quiet machine: 32 lanes 21 p50, 98 p99; 64 lanes 55, 611")
	fmt.Printf("%-22s %7s %8s %8s %8s %8s %8s %8s %9s %9s %6s  %s\n", "load", "req", "bias p50", "bias p99", "go p50", "go p99", "gap p50", "gap p99", "plain p50", "plain p99", "load", "errors")
	for _, size := range []struct {
		name   string
		tokens int
	}{{"1 kB", 192}, {"400 kB", 96_000}} {
		for _, lanes := range []int{1, 8, 32, 128} {
			l := &setup{name: fmt.Sprintf("%d lanes %s", lanes, size.name), lanes: lanes, promptTokens: size.tokens, outTokens: 16,
				server: []string{"--overhead-ms", strconv.Itoa(firstTokenMs), "--token-ms", "0"}, seconds: s.length(8)}
			if !s.wants(l.name) {
				continue
			}
			t, err := s.measure(l)
			if err != nil {
				return err
			}
			p50, p99 := "-", "-"
			if s.probe != "" {
				beside, err := s.askBuiltIn(l, int(float64(size.tokens)*bytesPerToken))
				if err != nil {
					return err
				}
				p50, p99 = fmt.Sprintf("%.3f", beside.TTFT.P50-firstTokenMs), fmt.Sprintf("%.3f", beside.TTFT.P99-firstTokenMs)
			}
			fmt.Printf("%-22s %7d %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f %9s %9s %6s  %v\n", l.name, t.requests, quantile(t.bias, 0.5), quantile(t.bias, 0.99),
				quantile(t.readDelay, 0.5), quantile(t.readDelay, 0.99), quantile(t.sendGap, 0.5), quantile(t.sendGap, 0.99), p50, p99, benchhost.Load(), t.errors)
		}
	}
	return nil
}

func (s *suite) split() error {
	faults, err := s.faultsFile(mockserver.Faults{Rules: []mockserver.Rule{{Fault: "split_chunk", Args: mockserver.Args{DelayMs: 100}}}})
	if err != nil {
		return err
	}
	l := &setup{name: "split", lanes: 8, promptTokens: 192, outTokens: 4, seconds: s.length(6), server: []string{"--faults", faults, "--overhead-ms", "0", "--token-ms", "0"}}
	t, err := s.measure(l)
	if err != nil {
		return err
	}
	fmt.Printf("%d requests: first event bias p50 %.3f, p99 %.3f ms; second event after the first p50 %.3f, p99 %.3f ms; load %s; errors %v\n",
		t.requests, quantile(t.bias, 0.5), quantile(t.bias, 0.99), quantile(t.second, 0.5), quantile(t.second, 0.99), benchhost.Load(), t.errors)
	fmt.Println("(a client that reads whole HTTP chunks stamps the first event 100 ms late and both alike)")
	return nil
}

func (s *suite) rates() error {
	fmt.Println("late: first byte handed to the socket minus due; rows: most events that name one exchange; ev/req: all events over requests")
	fmt.Println("AIPerf 0.13: 5 ms CPU a request with server counts, 150 ms by default; 365 requests/s at 64 lanes")
	fmt.Printf("%-22s %8s %8s %8s %9s %9s %8s %8s %5s %7s %6s  %s\n", "load", "req", "req/s", "MB/s", "late p50", "late p99", "CPU ms", "srv ms", "rows", "ev/req", "load", "errors")
	for _, size := range []struct {
		name          string
		lanes, tokens int
	}{{"64 lanes 1 kB", 64, 192}, {"64 lanes 40 kB", 64, 9_600}, {"64 lanes 400 kB", 64, 96_000}, {"16 lanes 4 MB", 16, 960_000}} {
		if !s.wants(size.name) {
			continue
		}
		l := &setup{name: size.name, lanes: size.lanes, promptTokens: size.tokens, outTokens: 1, server: []string{"--overhead-ms", "0", "--token-ms", "0"}, seconds: s.length(8)}
		t, err := s.measure(l)
		if err != nil {
			return err
		}
		perRequest := 1000 / float64(max(t.requests, 1))
		fmt.Printf("%-22s %8d %8.0f %8.1f %9.3f %9.3f %8.3f %8.3f %5d %7.2f %6s  %v\n", l.name, t.requests, float64(t.requests)/t.seconds, float64(t.bytes)/1e6/t.seconds,
			quantile(t.lateness, 0.5), quantile(t.lateness, 0.99), t.clientCPU*perRequest, t.serverCPU*perRequest, t.mostRows(), float64(t.events)/float64(max(t.requests, 1)), benchhost.Load(), t.errors)
	}
	return nil
}
