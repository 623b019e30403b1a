package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkBesideTheProbe sends 265 kB bodies to the 50 ms server of the shared folder, closed loop,
// alternating with the plain net/http probe that lies beside it: pairs in the same minutes, medians over
// the pairs. It runs once, whatever b.N.
func BenchmarkBesideTheProbe(b *testing.B) {
	folder := sharedFolder(b, "bench")
	mock, probe := buildTool(b, folder, "mock"), buildTool(b, folder, "probe")
	const pairs, lasting = 3, 6 * time.Second
	for _, lanes := range []int{1, 32, 64} {
		b.Run(fmt.Sprintf("lanes=%d", lanes), func(b *testing.B) {
			url := startMock(b, mock)
			var rates, costs, ours []float64
			for range pairs {
				probeRate, probeCost := runProbe(b, probe, url, lanes, lasting)
				rate, cost, ttft := runBeside(b, url, lanes, lasting)
				rates, costs, ours = append(rates, rate/probeRate), append(costs, cost/probeCost), append(ours, cost)
				b.Logf("%d lanes: probe %.0f req/s, %.0f cpu-us/req; ours %.0f req/s, %.0f cpu-us/req, time to first token p50 %.2f ms p99 %.2f ms",
					lanes, probeRate, probeCost, rate, cost, ttft[len(ttft)/2], ttft[len(ttft)*99/100])
			}
			b.ReportMetric(median(rates), "rate/probe")
			b.ReportMetric(median(costs), "cpu/probe")
			b.ReportMetric(median(ours), "cpu-us/req")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func buildTool(b *testing.B, folder, name string) string {
	b.Helper()
	out := filepath.Join(b.TempDir(), name)
	command := exec.Command("go", "build", "-o", out, ".")
	command.Dir = filepath.Join(folder, name)
	if text, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, text)
	}
	return out
}

func startMock(b *testing.B, mock string) string {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	command := exec.Command(mock, "-addr", address, "-ttft", "50ms")
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { command.Process.Kill(); command.Wait() })
	waitFor(b, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return "http://" + address
}

func runProbe(b *testing.B, probe, url string, lanes int, lasting time.Duration) (rate, cost float64) {
	b.Helper()
	command := exec.Command(probe, "-url", url, "-n", fmt.Sprint(lanes), "-every", "0", "-dur", lasting.String(), "-size", fmt.Sprint(265<<10))
	out, err := command.Output()
	if err != nil {
		b.Fatal(err)
	}
	var said struct {
		RPS  float64             `json:"rps"`
		TTFT struct{ N float64 } `json:"ttft_ms"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		b.Fatal(err)
	}
	used := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	return said.RPS, float64(used.Microseconds()) / said.TTFT.N
}

// runBeside drives the same load with our client, hashing bodies as a replay does.
func runBeside(b *testing.B, url string, lanes int, lasting time.Duration) (rate, cost float64, ttft []float64) {
	b.Helper()
	client := newClient(b, Options{}, url)
	filler := benchFiller()
	var mu sync.Mutex
	var wait sync.WaitGroup
	begin, before := time.Now(), cpuTime()
	for lane := range lanes {
		wait.Add(1)
		go func() {
			defer wait.Done()
			request := benchRequest(filler, 265<<10, lane)
			request.StreamBody = new(StreamBody)
			request.Body.KeptMessages = len(request.Body.Messages) * 95 / 100
			var mine []float64
			for time.Since(begin) < lasting {
				r := client.Do(context.Background(), request)
				if r.Outcome != OutcomeOK {
					b.Error(describeResult(&r))
					return
				}
				mine = append(mine, float64(r.FirstTokenNs-r.WrittenNs)/1e6)
			}
			mu.Lock()
			ttft = append(ttft, mine...)
			mu.Unlock()
		}()
	}
	wait.Wait()
	elapsed, used := time.Since(begin), cpuTime()-before
	slices.Sort(ttft)
	return float64(len(ttft)) / elapsed.Seconds(), float64(used.Microseconds()) / float64(len(ttft)), ttft
}
