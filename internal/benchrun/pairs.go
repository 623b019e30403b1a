package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"

	"agentx/internal/benchhost"
)

// pairTokens makes bodies of 265 kB.
const pairTokens = 54_800

// pair is one run of each client, one after the other, against one server.
type pair struct {
	ours, plain           float64 // requests/s
	bodyBytes             int64   // in the mean, of ours
	oursCPU, plainCPU     float64 // ms a request, in the steady part of both runs
	oursWhole, plainWhole float64 // ms a request: the client's own samples from its first request on; the whole process
}

// compare alternates the two clients against the plain client's own server.
func (s *suite) compare() error {
	if s.probe == "" || s.mock == "" {
		fmt.Println("skipped: bench/probe and bench/mock of the shared folder are not there")
		return nil
	}
	l := &setup{name: "pairs", lanes: 64, promptTokens: pairTokens, outTokens: 16, seconds: s.length(10)}
	bundle, err := s.bundle(s.work, l)
	if err != nil {
		return err
	}
	l.bundle = bundle
	fmt.Println("CPU: processor time a request between 3 and 9 tenths of the run, of both; all: over all of the run (agentx: from the first request on)")
	fmt.Printf("%6s %8s %12s %12s %10s %10s %10s %8s %10s %10s %8s %6s\n", "pair", "body kB", "agentx req/s", "plain req/s", "rate", "agentx ms", "plain ms", "CPU", "agentx all", "plain all", "CPU all", "load")
	var all []pair
	bodyBytes := int64(0)
	for i := range s.pairs {
		p, err := s.pair(l, bodyBytes, i%2 == 1)
		if err != nil {
			return err
		}
		all, bodyBytes = append(all, p), p.bodyBytes
		fmt.Printf("%6d %8.1f %12.0f %12.0f %9.3fx %10.3f %10.3f %7.2fx %10.3f %10.3f %7.2fx %6s\n", i+1, float64(p.bodyBytes)/1000, p.ours, p.plain, p.ours/p.plain,
			p.oursCPU, p.plainCPU, p.oursCPU/p.plainCPU, p.oursWhole, p.plainWhole, p.oursWhole/p.plainWhole, benchhost.Load())
	}
	fmt.Printf("median of %d pairs: rate %.3f x, CPU a request %.2f x the plain client's (%.2f x over all of the run); a client that takes no time makes 1,280 requests/s\n", len(all),
		median(all, func(p pair) float64 { return p.ours / p.plain }), median(all, func(p pair) float64 { return p.oursCPU / p.plainCPU }),
		median(all, func(p pair) float64 { return p.oursWhole / p.plainWhole }))
	return nil
}

// pair makes one run of each, with bodies of the same length; the order changes from pair to pair. bodyBytes
// is the length in the pair before: the plain client sends that where it goes first.
func (s *suite) pair(l *setup, bodyBytes int64, plainFirst bool) (p pair, err error) {
	p.bodyBytes = bodyBytes
	server, url, err := s.servePlain()
	if err != nil {
		return p, err
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	plain := func() error {
		beside, err := s.ask(url, l.lanes, int(p.bodyBytes), l.seconds)
		if err == nil {
			p.plain, p.plainCPU, p.plainWhole = beside.RPS, 1000*beside.cores/beside.RPS, 1000*beside.cpu/beside.TTFT.N
		}
		return err
	}
	ours := func() error {
		dir, err := os.MkdirTemp(s.work, "pair-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		used, err := s.replay(l, url, filepath.Join(dir, "run"))
		if err != nil {
			return err
		}
		t, err := readTruth(filepath.Join(dir, "run"), "")
		if err != nil {
			return err
		}
		if len(t.errors) > 0 {
			return fmt.Errorf("requests failed: %v", t.errors)
		}
		p.ours, p.oursWhole = float64(t.requests)/t.seconds, 1000*t.clientCPU/float64(t.requests)
		p.oursCPU, p.bodyBytes = 1000*used.cores/p.ours, t.bytes/int64(t.requests)
		return nil
	}
	if plainFirst {
		return p, errors.Join(plain(), ours())
	}
	return p, errors.Join(ours(), plain())
}

func median(all []pair, of func(pair) float64) float64 {
	if len(all) == 0 {
		return 0
	}
	values := make([]float64, len(all))
	for i, p := range all {
		values[i] = of(p)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// freePort is a port that nobody listens on now.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}
