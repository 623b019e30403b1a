package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// Limits of one exchange with a hub.
const (
	dialTimeout   = 10 * time.Second // a host without network often answers nothing at all
	headTimeout   = 60 * time.Second
	defaultStall  = time.Minute
	mostRedirects = 10
)

// Client asks one hub. It may be used by several goroutines.
type Client struct {
	config  Config
	origin  *url.URL
	http    *http.Client
	reached atomic.Bool // the hub has answered once, so it exists
}

// New makes a client; nothing is sent before it is asked for something.
func New(config Config) (*Client, error) {
	origin, err := url.Parse(config.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("the hub's address: %w", err)
	}
	if config.Stall <= 0 {
		config.Stall = defaultStall
	}
	if config.Sleep == nil {
		config.Sleep = sleep
	}
	if config.Notice == nil {
		config.Notice = func(string) {}
	}
	transport := config.Transport
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.DialContext = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
		own.ResponseHeaderTimeout = headTimeout
		transport = own
	}
	// Redirects are followed by send, which knows who may see the token.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{config: config, origin: origin, http: &http.Client{Transport: transport, CheckRedirect: stay}}, nil
}

// Offline reports whether the network must not be used.
func (c *Client) Offline() bool { return c.config.Offline }

// Endpoint is the hub's address.
func (c *Client) Endpoint() string { return c.config.Endpoint }

// reply is an answer with what the hub itself, not the host it redirects to, says of the file.
type reply struct {
	*http.Response
	commit string // X-Repo-Commit
	linked Stated // X-Linked-Etag: a digest by definition
	tag    Stated // ETag, which may also be anything else that looks like a digest
	size   int64  // X-Linked-Size, -1 if it is not said
}

// send asks for a URL of the hub and follows its redirects. The caller closes the body. Any status but
// 200, 206 and 416 is an error.
func (c *Client) send(ctx context.Context, address string, from int64) (*reply, error) {
	if c.config.Offline {
		return nil, failed(Offline, nil, "HF_HUB_OFFLINE is set, so %s was not asked", c.config.Endpoint)
	}
	at, err := url.Parse(address)
	if err != nil {
		return nil, failed(Broken, err, "the hub's address")
	}
	answer := &reply{size: -1}
	for range mostRedirects {
		response, err := c.ask(ctx, at, from)
		if err != nil {
			return nil, err
		}
		answer.Response = response
		ours := c.isHub(at)
		if ours {
			answer.note(response.Header)
		}
		if !isRedirect(response.StatusCode) {
			return answer, c.judge(response, at)
		}
		next, err := response.Location()
		discard(response.Body)
		if err != nil {
			return nil, failed(Broken, err, "%s redirects to nowhere", at.Host)
		}
		if next.Scheme != "https" && next.Scheme != "http" || at.Scheme == "https" && next.Scheme != "https" {
			return nil, failed(Broken, nil, "%s redirects to %s, which is less safe; it was not followed", at.Host, next.Scheme+"://"+next.Host)
		}
		at = next
	}
	return nil, failed(Broken, nil, "%s redirects more than %d times", c.config.Endpoint, mostRedirects)
}

// ask sends one request. The token goes to the hub alone.
func (c *Client) ask(ctx context.Context, at *url.URL, from int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, failed(Broken, err, "the hub's address")
	}
	if c.config.Agent != "" {
		request.Header.Set("User-Agent", c.config.Agent)
	}
	if c.config.Token != "" && c.isHub(at) {
		request.Header.Set("Authorization", "Bearer "+c.config.Token)
	}
	// Ranges and sizes are of the file, not of a compressed form of it.
	request.Header.Set("Accept-Encoding", "identity")
	if from > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	response, err := c.http.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, c.unreachable(at, err)
	}
	c.reached.Store(true)
	return response, nil
}

// unreachable tells a missing network, which no second try brings back, from a passing fault.
func (c *Client) unreachable(at *url.URL, err error) *Error {
	var whole *url.Error
	if errors.As(err, &whole) {
		err = whole.Err // without method and URL, which may be signed
	}
	e := failed(Unreachable, err, "%s cannot be reached", at.Host)
	var dial *net.OpError
	isDial := errors.As(err, &dial) && dial.Op == "dial"
	e.again = c.reached.Load() || !isDial
	return e
}

// isHub reports whether the address is of the hub's own origin.
func (c *Client) isHub(at *url.URL) bool {
	return at.Scheme == c.origin.Scheme && at.Host == c.origin.Host
}

// note keeps the first of each statement.
func (r *reply) note(header http.Header) {
	if r.commit == "" {
		r.commit = header.Get("X-Repo-Commit")
	}
	if r.linked == "" {
		r.linked = statedBy(header.Get("X-Linked-Etag"))
	}
	if r.tag == "" {
		r.tag = statedBy(header.Get("ETag"))
	}
	if size, ok := number(header.Get("X-Linked-Size")); ok && r.size < 0 {
		r.size = size
	}
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// discard reads a little, so that the connection can be used again, and closes.
func discard(body io.ReadCloser) {
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 64<<10))
	_ = body.Close()
}
