package wire

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// systemClock is the clock that all processes of a machine share, in ns.
func systemClock() int64 {
	var now unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return now.Nano()
}

// stampedAnswer answers with one event that says when the request's last byte was read and when this
// event was about to be written.
func stampedAnswer(c net.Conn, read int64) {
	c.Write([]byte(sseHead))
	write := systemClock()
	c.Write([]byte(httpChunk(deltaEvent(fmt.Sprintf(`{"content":"%20d %20d"}`, read, write)))))
	c.Write([]byte(httpChunk(stopDelta+doneEvent) + lastChunk))
}

// BenchmarkTruth compares the client's stamps with the server's own, on one clock: bias is the first
// token's stamp minus the moment before the server wrote it; send gap is the server's reading of the last
// request byte minus "written" (a server that wakes late is not the client's error). Closed loop, the
// server waits 5 ms before each answer; with the kernel's stamps and with Go's.
func BenchmarkTruth(b *testing.B) {
	filler := benchFiller()
	for _, goStamps := range []bool{false, true} {
		for _, size := range []int{1 << 10, 400 << 10} {
			for _, lanes := range []int{1, 8, 32, 128} {
				name := map[bool]string{false: "kernel", true: "go"}[goStamps]
				b.Run(fmt.Sprintf("%s/%dkB/lanes=%d", name, size>>10, lanes), func(b *testing.B) {
					url := startBareServer(b, "stamps 5ms")
					clock := NewClock(time.Now())
					offset := systemClock() - clock.Now()
					client := newClient(b, Options{Clock: clock, Socket: SocketOptions{NoKernelStamp: goStamps}}, url)
					bias, gap := measureTruth(b, client, offset, lanes, func(lane int) *Request { return benchRequest(filler, size, lane) })
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(bias[len(bias)/2], "bias-p50-ms")
					b.ReportMetric(bias[len(bias)*99/100], "bias-p99-ms")
					b.ReportMetric(gap[len(gap)/2], "gap-p50-ms")
				})
			}
		}
	}
}

func measureTruth(b *testing.B, client *Client, offset int64, lanes int, make func(lane int) *Request) (bias, gap []float64) {
	b.Helper()
	var mu sync.Mutex
	var wait sync.WaitGroup
	each := max(b.N/lanes, 20)
	for lane := range lanes {
		wait.Add(1)
		go func() {
			defer wait.Done()
			request := make(lane)
			for range each {
				r := client.Do(context.Background(), request)
				var read, write int64
				if n, _ := fmt.Sscan(textOf(&r), &read, &write); n != 2 {
					b.Error(describeResult(&r))
					return
				}
				mu.Lock()
				bias = append(bias, float64(r.FirstTokenNs+offset-write)/1e6)
				gap = append(gap, float64(read-offset-r.WrittenNs)/1e6)
				mu.Unlock()
			}
		}()
	}
	wait.Wait()
	slices.Sort(bias)
	slices.Sort(gap)
	return bias, gap
}
