package serverinfo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// ReadyOptions say how to wait for the servers.
type ReadyOptions struct {
	Models   []string
	Timeout  time.Duration // for each pair of server and model
	Interval time.Duration // between tries; default 5 s
	Mode     string        // inference (default), models, both
	// Note, where not nil, is told why it still waits, once per reason.
	Note func(text string)
}

// errHopeless marks an answer that waiting will not change.
var errHopeless = errors.New("not a matter of waiting")

// WaitReady waits until every server answers for every model, one pair after the other. Refused
// connections, errors 500 and above and missing models are waited for; 401, 403 and 404 are failures at
// once. In inference mode it sends real requests of one output token, which touch the server's cache.
func (c *Client) WaitReady(ctx context.Context, options ReadyOptions) error {
	options.Interval = orDefault(options.Interval, 5*time.Second)
	var checks []func(context.Context, target, string, time.Duration) error
	switch options.Mode {
	case "inference", "":
		checks = append(checks, c.answersRequests)
	case "models":
		checks = append(checks, c.listsModel)
	case "both":
		checks = append(checks, c.listsModel, c.answersRequests)
	default:
		return fmt.Errorf("ready check mode %q: expected inference, models or both", options.Mode)
	}
	for _, t := range c.targets {
		for _, model := range options.Models {
			deadline := time.Now().Add(options.Timeout)
			for _, check := range checks {
				if err := c.waitFor(ctx, options, deadline, func(ctx context.Context, interval time.Duration) error { return check(ctx, t, model, interval) }); err != nil {
					return fmt.Errorf("server %s, model %s is not ready: %w", t.endpoint.At(t.endpoint.Base()).Redacted(), model, err)
				}
			}
		}
	}
	return nil
}

// waitFor tries a check until it passes, is hopeless, or the time is up.
func (c *Client) waitFor(ctx context.Context, options ReadyOptions, deadline time.Time, check func(context.Context, time.Duration) error) error {
	bounded, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	said := ""
	var reason error
	for {
		err := check(bounded, options.Interval)
		if err == nil || errors.Is(err, errHopeless) {
			return err
		}
		if reason == nil || bounded.Err() == nil { // a try that the deadline cut knows less than the one before
			reason = err
		}
		if text := err.Error(); options.Note != nil && text != said && ctx.Err() == nil {
			options.Note("waiting for the server: " + text)
			said = text
		}
		select {
		case <-time.After(options.Interval):
		case <-bounded.Done():
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if bounded.Err() != nil {
			return fmt.Errorf("gave up after %s: %w", options.Timeout, reason)
		}
	}
}

// listsModel checks that /v1/models names the model. A server without such a page is ready when its base
// URL answers with a 2xx.
func (c *Client) listsModel(ctx context.Context, t target, model string, interval time.Duration) error {
	a, list, err := c.models(ctx, t, max(interval, 5*time.Second))
	if err != nil {
		return err
	}
	if a.status == http.StatusNotFound {
		base := t.endpoint.At(t.endpoint.Base())
		ctx, cancel := context.WithTimeout(ctx, max(interval, 5*time.Second))
		defer cancel()
		if b, err := c.call(ctx, t.proxied, http.MethodGet, base, nil, true, maxBody); err == nil && b.status/100 == 2 {
			return nil
		}
	}
	if a.status != http.StatusOK {
		return c.refusal(a, t.page("/v1/models").Redacted(), model)
	}
	var ids []string
	for _, entry := range list.Data {
		ids = append(ids, entry.ID)
	}
	if !slices.Contains(ids, model) {
		return fmt.Errorf("it does not list the model; it lists %s", strings.Join(ids, ", "))
	}
	return nil
}

// answersRequests checks that the chat endpoint answers a tiny request with a status below 500.
func (c *Client) answersRequests(ctx context.Context, t target, model string, interval time.Duration) error {
	body, err := json.Marshal(map[string]any{
		"messages": []map[string]string{{"role": "user", "content": "Lo"}}, "max_tokens": 1, "model": model,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, max(interval, 30*time.Second))
	defer cancel()
	a, err := c.call(ctx, t.proxied, http.MethodPost, t.endpoint, body, true, maxBody)
	if err != nil {
		return err
	}
	return c.refusal(a, t.endpoint.Redacted(), model)
}

// refusal is nil for a status below 500 that means "up", and an error otherwise: hopeless for the three
// that waiting does not cure, with what to do.
func (c *Client) refusal(a answer, url, model string) error {
	hopeless := func(remedy string) error {
		return fmt.Errorf("%s: %s; %s (%w)", url, c.excerpt(a), remedy, errHopeless)
	}
	switch {
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		return hopeless("check --api-key")
	case a.status == http.StatusNotFound:
		return hopeless(fmt.Sprintf("check --url, --endpoint and --model %s", model))
	case a.status >= 500:
		return fmt.Errorf("%s: %s", url, c.excerpt(a))
	}
	return nil
}
