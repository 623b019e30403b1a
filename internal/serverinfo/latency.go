package serverinfo

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

// LatencySample is the time that one TCP connection took to open: a round trip.
type LatencySample struct {
	Target string // host:port
	At     time.Time
	Took   time.Duration
	Err    error
}

// LatencyOptions say how to measure round trips; 0 stands for the default.
type LatencyOptions struct {
	Interval   time.Duration // between samples of one target; default 1 s
	Timeout    time.Duration // of one connection; default 5 s
	MinSamples int           // successes that the end tops up to, over all targets; default 5
	TopUp      time.Duration // time for that; default 3 s
}

func (o LatencyOptions) withDefaults() LatencyOptions {
	o.Interval = orDefault(o.Interval, time.Second)
	o.Timeout = orDefault(o.Timeout, 5*time.Second)
	o.TopUp = orDefault(o.TopUp, 3*time.Second)
	if o.MinSamples == 0 {
		o.MinSamples = 5
	}
	return o
}

// MeasureLatency opens, at the interval, a connection of its own to every distinct host and port of the
// servers (no TLS), until ctx ends; then it tops up to the least number of successes. Names are looked up
// once. Each sample, failures too, goes to deliver, which is called from one goroutine per target. The
// result is the mean of all successes; ok is false where there was none, or where no server is reached
// by TCP.
func (c *Client) MeasureLatency(ctx context.Context, options LatencyOptions, deliver func(LatencySample)) (mean time.Duration, ok bool) {
	options = options.withDefaults()
	var tally latencyTally
	var probes sync.WaitGroup
	targets := c.latencyTargets()
	for _, host := range targets {
		probes.Go(func() {
			address := resolveOnce(ctx, host)
			for ctx.Err() == nil {
				tally.take(ctx, connect(ctx, host, address, options.Timeout), deliver)
				select {
				case <-time.After(options.Interval):
				case <-ctx.Done():
				}
			}
		})
	}
	probes.Wait()
	top, cancel := context.WithTimeout(context.WithoutCancel(ctx), options.TopUp)
	defer cancel()
	for i := 0; len(targets) > 0 && tally.count() < options.MinSamples && top.Err() == nil; i++ {
		host := targets[i%len(targets)]
		sample := connect(top, host, resolveOnce(top, host), options.Timeout)
		tally.take(top, sample, deliver)
		if sample.Err != nil {
			time.Sleep(50 * time.Millisecond) // a refusal comes at once; TopUp ends this
		}
	}
	return tally.mean()
}

// latencyTargets are the distinct host:port pairs of the servers.
func (c *Client) latencyTargets() []string {
	var list []string
	seen := map[string]bool{}
	for _, t := range c.targets {
		host := net.JoinHostPort(t.endpoint.Host, strconv.Itoa(int(t.endpoint.Port)))
		if t.endpoint.Socket == "" && !seen[host] {
			seen[host] = true
			list = append(list, host)
		}
	}
	return list
}

// resolveOnce is an address for a host:port, or the pair itself where the look-up failed (connecting
// will say why).
func resolveOnce(ctx context.Context, hostPort string) string {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return hostPort
	}
	addresses, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil || len(addresses) == 0 {
		return hostPort
	}
	return net.JoinHostPort(addresses[0], port)
}

func connect(ctx context.Context, host, address string, timeout time.Duration) LatencySample {
	sample := LatencySample{Target: host, At: time.Now()}
	dialer := net.Dialer{Timeout: timeout}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	sample.Took = time.Since(sample.At)
	if err != nil {
		sample.Err = fmt.Errorf("connecting to %s: %w", host, err)
		return sample
	}
	_ = conn.Close()
	return sample
}

// latencyTally adds up successes of several goroutines.
type latencyTally struct {
	mu  sync.Mutex
	sum time.Duration
	n   int
}

// take counts and delivers a sample, unless its context ended it.
func (t *latencyTally) take(ctx context.Context, sample LatencySample, deliver func(LatencySample)) {
	if sample.Err != nil && ctx.Err() != nil {
		return
	}
	if sample.Err == nil {
		t.mu.Lock()
		t.sum += sample.Took
		t.n++
		t.mu.Unlock()
	}
	deliver(sample)
}

func (t *latencyTally) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

func (t *latencyTally) mean() (time.Duration, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n == 0 {
		return 0, false
	}
	return t.sum / time.Duration(t.n), true
}
