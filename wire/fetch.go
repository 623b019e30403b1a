package wire

import (
	"context"
	"fmt"
	"time"
)

// Fetch is a plain request besides the replay: a list of models, a metrics page, a control hook.
type Fetch struct {
	Method   string // default GET
	Endpoint Endpoint
	Body     []byte // JSON; nil for none
	// Credentials sends the client's key and custom headers too. Leave it off for other servers.
	Credentials bool
	Headers     []Header
	Timeout     time.Duration // default: the client's connect timeout plus 30 s
	Proxy       bool          // go through the client's proxy; default: directly
}

// Fetched is a server's answer to a Fetch, whatever its status.
type Fetched struct {
	Status      int
	Reason      string
	ContentType string
	Server      string
	Body        []byte
	Cut         bool // Body ends at Limits.BodyBytes
	Took        time.Duration
}

const fetchWait = 30 * time.Second

// Fetch makes a request on a connection of its own, which it closes: it never meets the replay's. The
// error says why there is no whole answer; a status outside 200..299 is none.
func (c *Client) Fetch(ctx context.Context, f Fetch) (Fetched, error) {
	x := newExchange(c)
	if f.Timeout <= 0 {
		f.Timeout = c.options.Timeouts.Connect + fetchWait
	}
	t, err := c.fetchTarget(&f)
	if err != nil {
		return Fetched{}, err
	}
	x.once, x.target = true, t
	x.request = &Request{KeepRaw: true}
	x.result = emptyResult(x.request, 1)
	if f.Body != nil {
		x.plan.segments, x.plan.length = [][]byte{f.Body}, int64(len(f.Body))
	}
	x.headers = appendHeaders(nil, t.headers, x.request)
	begin := c.options.Clock.Now()
	x.limits.begin(&c.options, x.request, begin)
	x.limits.request = begin + int64(f.Timeout)
	x.guard.watch(ctx)
	x.attempt(ctx, true)
	x.dispose()
	x.guard.release()
	r := &x.result
	fetched := Fetched{Status: r.Status, Reason: r.Reason, ContentType: r.ContentType, Server: r.Server, Body: r.RawBody, Cut: r.RawCut, Took: time.Duration(c.options.Clock.Now() - begin)}
	if x.fault == nil {
		return fetched, nil
	}
	x.fault.err.Message = c.redactor.Text(x.fault.err.Message)
	return fetched, fmt.Errorf("%s %s: %w", t.method, f.Endpoint.Redacted(), x.fault.err)
}

// fetchTarget makes the endpoint ready.
func (c *Client) fetchTarget(f *Fetch) (*target, error) {
	setting := ""
	if f.Proxy {
		setting = c.options.Proxy
	}
	proxy, err := proxyFor(setting, &f.Endpoint)
	if err != nil {
		return nil, err
	}
	if f.Method == "" {
		f.Method = "GET"
	}
	bare := Options{UserAgent: c.options.UserAgent, SessionHeader: c.options.SessionHeader}
	if f.Credentials {
		bare.Headers, bare.APIKey = c.options.Headers, c.options.APIKey
	}
	bare.Headers = append(append([]Header{}, bare.Headers...), f.Headers...)
	for _, header := range f.Headers {
		if err := checkHeader(header); err != nil {
			return nil, err
		}
	}
	return &target{
		endpoint: f.Endpoint, method: f.Method, host: hostFor(&f.Endpoint, proxy),
		headers: planHeaders(&bare, &f.Endpoint), requestLine: requestLine(f.Method, &f.Endpoint, proxy),
	}, nil
}

// ConnectTime opens a TCP connection to an endpoint, without TLS, and closes it: the time is one trip to
// the server and back. The name is looked up before the clock starts.
func (c *Client) ConnectTime(ctx context.Context, e Endpoint) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeouts.Connect)
	defer cancel()
	e.Scheme = "http"
	probe := &conn{dnsNs: Unset, connectNs: Unset}
	raw, err := c.pool.dialer.connect(ctx, hostFor(&e, nil), probe)
	if err != nil {
		return 0, fmt.Errorf("connecting to %s: %w", e.Redacted(), err)
	}
	return time.Duration(probe.connectNs), raw.Close()
}
