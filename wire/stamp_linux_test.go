package wire

import (
	"context"
	"testing"
	"time"
)

// TestReadsCarryTheKernelsTime makes the reader late on purpose: the stamp is the arrival, and the delay
// is reported.
func TestReadsCarryTheKernelsTime(t *testing.T) {
	const late = 80 * time.Millisecond
	for _, goStamps := range []bool{false, true} {
		epoch := time.Now()
		sent := make(chan int64, 1)
		server := newServer(t, func(p *peer) {
			for p.request() {
				sent <- int64(time.Since(epoch))
				p.send(goodAnswer())
			}
		})
		client := newClient(t, Options{Clock: NewClock(epoch), Socket: SocketOptions{NoKernelStamp: goStamps}}, server.url)
		waitFor(t, func() bool { // the kernel begins to stamp a little after the first socket asks for it
			r := client.Do(context.Background(), chatRequest())
			<-sent
			return goStamps || r.KernelStamps > 0
		})
		request := chatRequest()
		request.Hooks.Written = func(int64, int64) { time.Sleep(late) }
		r := client.Do(context.Background(), request)
		lateness := r.FirstByteNs - <-sent
		if goStamps {
			if r.KernelStamps != 0 || lateness < int64(late)/2 {
				t.Errorf("Go stamps: %d kernel stamps, first byte %v after it was sent", r.KernelStamps, time.Duration(lateness))
			}
			continue
		}
		if r.KernelStamps != r.Reads || lateness > int64(late)/2 || r.ReadDelayMaxNs < int64(late)/2 {
			t.Errorf("%d kernel stamps of %d reads, first byte %v after it was sent, largest delay %v", r.KernelStamps, r.Reads, time.Duration(lateness), time.Duration(r.ReadDelayMaxNs))
		}
		if summary := client.TakeReadDelays(); summary.Count < 1 || summary.MaxNs < r.ReadDelayMaxNs {
			t.Errorf("%+v", summary)
		}
	}
}

func TestImplausibleKernelTimesAreNotUsed(t *testing.T) {
	const ms = int64(time.Millisecond)
	for _, c := range []struct {
		name               string
		mono, wall, kernel int64
		want               int64
		ok                 bool
	}{
		{"plain", 1000 * ms, 5000 * ms, 4999 * ms, ms, true},
		{"from the future", 1000 * ms, 5000 * ms, 5001 * ms, -ms, false},
		{"an hour ago", 1000 * ms, 5000 * ms, 5000*ms - 3600*1000*ms, 3600 * 1000 * ms, false},
		{"the wall clock was stepped forwards", 1000 * ms, 7000 * ms, 4999 * ms, 2001 * ms, false},
		{"the wall clock was stepped back", 1000 * ms, 4990 * ms, 4989 * ms, ms, false},
	} {
		k := kernelReader{offset: 4000 * ms}
		if delay, ok := k.delay(c.mono, c.wall, c.kernel); delay != c.want || ok != c.ok {
			t.Errorf("%s: %d %v, want %d %v", c.name, delay, ok, c.want, c.ok)
		}
		if delay, ok := k.delay(c.mono+ms, c.wall+ms, c.wall); !ok || delay != ms {
			t.Errorf("%s: the read after it: %d %v", c.name, delay, ok)
		}
	}
}
