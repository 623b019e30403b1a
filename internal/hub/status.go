package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Limits of trying again.
const (
	mostTries   = 6                // in a row without a byte of progress
	firstPause  = time.Second      // doubled at each try
	longestWait = 15 * time.Minute // that a hub may tell us to wait
)

// judge makes an error of a status that is none of those that send returns. It closes the body then.
func (c *Client) judge(response *http.Response, at *url.URL) error {
	status := response.StatusCode
	switch status {
	case http.StatusOK, http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
		return nil
	}
	discard(response.Body)
	e := c.refusal(status, response.Header.Get("X-Error-Code"), at)
	e.Status = status
	e.wait = waitTold(response.Header, time.Now())
	if e.wait > longestWait {
		e.Text += fmt.Sprintf("; it says to wait %s, which is too long: try again then", e.wait.Round(time.Second))
		e.again = false
	}
	return e
}

// refusal is the error that a status means. code is the hub's own word, often missing.
func (c *Client) refusal(status int, code string, at *url.URL) *Error {
	token := "set HF_TOKEN to a token that may read it"
	if c.config.Token != "" {
		token = "the token in HF_TOKEN may not read it"
	}
	if !c.isHub(at) { // a storage host, to which the hub gave us a signed address
		e := failed(Busy, nil, "%s, to which the hub redirects, answers %d", at.Host, status)
		e.again = true // the hub signs a new address
		return e
	}
	what := at.Path
	switch {
	case code == "GatedRepo":
		return failed(Denied, nil, "%s: the repository is gated: ask for access on its page, then %s", what, token)
	case code == "RepoNotFound":
		return failed(Missing, nil, "%s: there is no such repository, or it is private: check the name; for a private one %s", what, token)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return failed(Denied, nil, "%s: the hub answers %d: the repository is gated or private, or its name is wrong; %s", what, status, token)
	case code == "RevisionNotFound":
		return failed(Missing, nil, "%s: the repository has no such revision", what)
	case status == http.StatusNotFound || status == http.StatusGone:
		return failed(Missing, nil, "%s: the hub answers %d: there is no such repository, revision or file; check the name (a private one is not shown without HF_TOKEN)", what, status)
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		e := failed(Busy, nil, "%s: the hub answers %d (%s)", what, status, strings.ToLower(http.StatusText(status)))
		e.again = true
		return e
	}
	return failed(Broken, nil, "%s: the hub answers %d, which was not expected; is HF_ENDPOINT (%s) the address of a hub?", what, status, c.config.Endpoint)
}

// waitTold is how long an answer says to wait: Retry-After in seconds or as a date, or the t of a
// RateLimit header; 0 if it does not say.
func waitTold(header http.Header, now time.Time) time.Duration {
	if told := header.Get("Retry-After"); told != "" {
		if seconds, ok := number(told); ok {
			return time.Duration(min(seconds, 1<<31)) * time.Second
		}
		if date, err := http.ParseTime(told); err == nil {
			return max(0, date.Sub(now))
		}
	}
	for _, part := range strings.Split(header.Get("RateLimit"), ";") {
		if told, ok := strings.CutPrefix(strings.TrimSpace(part), "t="); ok {
			if seconds, ok := number(told); ok {
				return time.Duration(min(seconds, 1<<31)) * time.Second
			}
		}
	}
	return 0
}

// number reads a whole number that is not negative.
func number(text string) (int64, bool) {
	value, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return value, err == nil && value >= 0
}

// persist tries again what fails for a passing reason. try reports whether it got any further: then the
// count of tries begins anew.
func (c *Client) persist(ctx context.Context, try func() (further bool, err error)) error {
	pause, tries := firstPause, 0
	for {
		further, err := try()
		var e *Error
		if err == nil || ctx.Err() != nil || !errors.As(err, &e) || !e.again {
			return err
		}
		if further {
			pause, tries = firstPause, 0
		}
		if tries++; tries >= mostTries {
			e.Text += fmt.Sprintf(" (after %d tries)", tries)
			return err
		}
		wait := pause
		if e.wait > 0 {
			wait = e.wait
		}
		c.config.Notice(fmt.Sprintf("%v; trying again in %s", err, wait))
		if err := c.config.Sleep(ctx, wait); err != nil {
			return err
		}
		pause *= 2
	}
}
