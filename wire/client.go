package wire

import (
	"context"
	"fmt"

	"agentx/wire/idle"
	"agentx/wire/sse"
)

// Client makes exchanges. Its methods may be called from many goroutines.
type Client struct {
	options   Options
	targets   []*target
	hosts     []*host
	pool      *pool
	redactor  *Redactor
	delays    Delays
	exchanges *idle.List[*exchange]
	sendings  *idle.List[*sending]
	room      *keptRoom
	longLines sse.Spare
	floods    chan struct{} // held by the flood whose turn it is
}

// idleBuffers bounds what is kept for reuse: some 24 MB.
const idleBuffers = 256

// target is one URL of the options, made ready.
type target struct {
	endpoint    Endpoint
	host        *host
	headers     []headerPlan
	requestLine string
}

// New checks the options. Errors name the option and what it may be; they hold no secret.
func New(options Options) (*Client, error) {
	if err := options.fill(); err != nil {
		return nil, fmt.Errorf("wire options: %w", err)
	}
	c := &Client{options: options, room: newKeptRoom(options.Limits.KeptBytes), floods: make(chan struct{}, 1)}
	c.exchanges = idle.New(idleBuffers, func() *exchange { return newExchange(c) })
	c.sendings = idle.New(idleBuffers, newSending)
	dialer, err := newDialer(&c.options, &c.delays)
	if err != nil {
		return nil, err
	}
	c.pool = newPool(&c.options, dialer)
	for _, url := range options.URLs {
		t, err := c.newTarget(url)
		if err != nil {
			return nil, err
		}
		c.targets = append(c.targets, t)
	}
	c.redactor = NewRedactor(options.Secrets()...)
	return c, nil
}

func (c *Client) newTarget(url string) (*target, error) {
	endpoint, err := ParseEndpoint(url, c.options.Path)
	if err != nil {
		return nil, err
	}
	proxy, err := proxyFor(c.options.Proxy, &endpoint)
	if err != nil {
		return nil, err
	}
	if proxy != nil && c.options.HTTP2 && endpoint.Scheme == "http" {
		return nil, fmt.Errorf("url %s: HTTP/2 without TLS does not go through a proxy", endpoint.Redacted())
	}
	t := &target{endpoint: endpoint, headers: planHeaders(&c.options, &endpoint), requestLine: requestLine(&endpoint, proxy)}
	t.host = hostFor(&endpoint, proxy)
	for _, known := range c.hosts {
		if known.key() == t.host.key() {
			t.host = known
		}
	}
	if len(c.hosts) == 0 || c.hosts[len(c.hosts)-1] != t.host {
		c.hosts = append(c.hosts, t.host)
	}
	return t, nil
}

func (c *Client) targetOf(index int) *target {
	return c.targets[max(index, 0)%len(c.targets)]
}

// Do makes one exchange on the calling goroutine and returns when it has ended. When ctx ends, the
// exchange is cancelled: what has arrived is in the Result.
func (c *Client) Do(ctx context.Context, request *Request) Result {
	x := c.exchanges.Get()
	result := x.run(ctx, request)
	c.exchanges.Put(x)
	return result
}

// openers is how many connections are opened at a time.
const openers = 8

// Open opens connections for requests that are about to go out together, one for each entry of urls (as in
// Request.URLIndex) for which none is idle, and makes their buffers. A connection that is opened in a burst
// would wait until no core has anything else to do. It gives how many it opened, and the first error: the
// request that finds none idle opens its own and meets the failure itself. It takes no longer than one
// connection may take, opens no more than MaxConns leaves, and none where idle connections are not for whoever
// comes (ReusePooled), or where the server has been seen to close the connections that it was to keep: its
// threads may be few, and each of them waits for the request of a connection.
func (c *Client) Open(ctx context.Context, urls []int) (opened int, err error) {
	if c.options.Reuse != ReusePooled {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeouts.Connect)
	defer cancel()
	c.exchanges.Fill(len(urls))
	c.sendings.Fill(len(urls))
	lacking := c.lacking(urls)
	failures := make(chan error, len(lacking))
	turns := make(chan struct{}, openers)
	for _, h := range lacking {
		turns <- struct{}{}
		go func() {
			failures <- c.pool.openAhead(ctx, h)
			<-turns
		}()
	}
	for range lacking {
		if failure := <-failures; failure == nil {
			opened++
		} else if err == nil {
			err = failure
		}
	}
	return opened, err
}

// lacking is a host for each of the urls, without those for which a connection is idle or that keep none, and
// without what would be more connections than the limit.
func (c *Client) lacking(urls []int) []*host {
	idle, keeps := map[*host]int{}, map[*host]bool{}
	room, now := c.options.MaxConns-c.pool.underway(), c.options.Clock.Now()
	for _, h := range c.hosts {
		var stale int
		idle[h], stale, keeps[h] = h.sweepIdle(now)
		room -= idle[h]
		c.pool.stale.Add(int64(stale))
	}
	var lacking []*host
	for _, url := range urls {
		h := c.targetOf(url).host
		if idle[h]--; idle[h] < 0 && keeps[h] && len(lacking) < room {
			lacking = append(lacking, h)
		}
	}
	return lacking
}

// EndSession closes the sticky connection of a session that ends without a last turn.
func (c *Client) EndSession(sessionID string) { c.pool.endSession(sessionID) }

// Close closes all idle connections; exchanges that are under way close theirs when they end.
func (c *Client) Close() error {
	c.pool.close(c.hosts)
	return nil
}

// Stats counts connections since New.
func (c *Client) Stats() Stats {
	p := c.pool
	return Stats{Opened: p.opened.Load(), Reused: p.reused.Load(), Stale: p.stale.Load(), Resends: p.resends.Load()}
}

// TakeReadDelays summarises how far reads lay behind the arrival of their bytes since the last call.
func (c *Client) TakeReadDelays() DelaySummary { return c.delays.Take() }

// Redactor masks the client's secrets: its key, the values of custom headers, credentials of URLs.
func (c *Client) Redactor() *Redactor { return c.redactor }

// checkRequest refuses what cannot be sent.
func checkRequest(r *Request) error {
	for _, header := range r.Headers {
		if err := checkHeader(header); err != nil {
			return err
		}
	}
	for _, id := range [...]Header{{"X-Request-ID", r.RequestID}, {"X-Correlation-ID", r.SessionID}, {"of the parent session", r.ParentSessionID}, {"of the tree", r.TreeID}} {
		if err := checkValue(id.Name, id.Value); err != nil {
			return err
		}
	}
	return nil
}
