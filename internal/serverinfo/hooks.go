package serverinfo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ResetOptions say how to empty the servers' prefix caches.
type ResetOptions struct {
	Path    string        // default /reset_prefix_cache
	Timeout time.Duration // of one POST; default 30 s
	Budget  time.Duration // of all tries at one server; default 60 s
	// Backoff is the first pause between tries; it doubles up to eight times itself. Default 1 s.
	Backoff time.Duration
}

// ResetCache empties the prefix cache of every server (each origin once). Transport errors and the
// statuses 409, 423, 429 and 503 are tried again while the budget lasts; any other failure is final.
func (c *Client) ResetCache(ctx context.Context, options ResetOptions) error {
	if options.Path == "" {
		options.Path = "/reset_prefix_cache"
	}
	if err := checkHookPath("--reset-kv-cache-path", options.Path); err != nil {
		return err
	}
	options.Timeout = orDefault(options.Timeout, 30*time.Second)
	options.Budget = orDefault(options.Budget, 60*time.Second)
	options.Backoff = orDefault(options.Backoff, time.Second)
	for _, t := range c.origins() {
		if err := c.reset(ctx, t, options); err != nil {
			return fmt.Errorf("emptying the cache of %s: %w", t.endpoint.Origin(), err)
		}
	}
	return nil
}

func (c *Client) reset(ctx context.Context, t target, options ResetOptions) error {
	deadline := time.Now().Add(options.Budget)
	for pause := options.Backoff; ; pause = min(2*pause, 8*options.Backoff) {
		a, err := c.hook(ctx, t, options.Path, options.Timeout)
		retry := err != nil
		if err == nil {
			switch a.status {
			case http.StatusConflict, http.StatusLocked, http.StatusTooManyRequests, http.StatusServiceUnavailable:
				retry = true
			}
			if a.status/100 == 2 {
				return nil
			}
			err = fmt.Errorf("%s; expected 2xx from a server that can (vLLM: VLLM_SERVER_DEV_MODE=1)", c.excerpt(a))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !retry {
			return err
		}
		if time.Now().Add(pause).After(deadline) {
			return fmt.Errorf("gave up after %s: %w", options.Budget, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ProfilerOptions say how to switch the servers' profilers.
type ProfilerOptions struct {
	StartPath string        // default /start_profile
	StopPath  string        // default /stop_profile
	Timeout   time.Duration // of one POST; default 30 s
}

func (o ProfilerOptions) withDefaults() (ProfilerOptions, error) {
	if o.StartPath == "" {
		o.StartPath = "/start_profile"
	}
	if o.StopPath == "" {
		o.StopPath = "/stop_profile"
	}
	o.Timeout = orDefault(o.Timeout, 30*time.Second)
	return o, errors.Join(checkHookPath("--server-profiler-start-path", o.StartPath), checkHookPath("--server-profiler-stop-path", o.StopPath))
}

// StartProfiler starts the profiler of every server. Where one fails, those that were started are
// stopped again, the last one first.
func (c *Client) StartProfiler(ctx context.Context, options ProfilerOptions) error {
	options, err := options.withDefaults()
	if err != nil {
		return err
	}
	origins := c.origins()
	for i, t := range origins {
		if err := c.switchProfiler(ctx, t, options.StartPath, options.Timeout); err != nil {
			failures := []error{fmt.Errorf("starting the profiler of %s: %w", t.endpoint.Origin(), err)}
			for k := i - 1; k >= 0; k-- {
				// also when ctx has ended: a profiler left running slows the server down
				if err := c.switchProfiler(context.WithoutCancel(ctx), origins[k], options.StopPath, options.Timeout); err != nil {
					failures = append(failures, fmt.Errorf("stopping the profiler of %s: %w", origins[k].endpoint.Origin(), err))
				}
			}
			return errors.Join(failures...)
		}
	}
	return nil
}

// StopProfiler stops the profiler of every server, also when ctx has ended, and returns what went wrong,
// which is a warning: the run is over.
func (c *Client) StopProfiler(ctx context.Context, options ProfilerOptions) error {
	options, err := options.withDefaults()
	if err != nil {
		return err
	}
	var failures []error
	for _, t := range c.origins() {
		if err := c.switchProfiler(context.WithoutCancel(ctx), t, options.StopPath, options.Timeout); err != nil {
			failures = append(failures, fmt.Errorf("stopping the profiler of %s: %w", t.endpoint.Origin(), err))
		}
	}
	return errors.Join(failures...)
}

func (c *Client) switchProfiler(ctx context.Context, t target, path string, timeout time.Duration) error {
	a, err := c.hook(ctx, t, path, timeout)
	if err == nil && a.status/100 != 2 {
		err = fmt.Errorf("%s; expected 2xx", c.excerpt(a))
	}
	return err
}

// hook POSTs nothing to a path below the origin, past any proxy.
func (c *Client) hook(ctx context.Context, t target, path string, timeout time.Duration) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return c.call(ctx, t.direct, http.MethodPost, t.endpoint.At(path), nil, true, maxBody)
}

func checkHookPath(flag, path string) error {
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "://") {
		return fmt.Errorf("%s %q: expected a path that starts with /", flag, path)
	}
	return nil
}
