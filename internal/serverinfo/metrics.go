package serverinfo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"agentx/internal/promtext"
	"agentx/wire"
)

// Scrape is one reading of a metrics page.
type Scrape struct {
	URL    string // credentials masked
	At     time.Time
	Took   time.Duration
	Status int
	Body   []byte
	Err    error
}

// MetricsPage is a page that can be scraped.
type MetricsPage struct {
	endpoint wire.Endpoint
	client   *http.Client
	ours     bool
}

// URL is the page's address, credentials masked.
func (p MetricsPage) URL() string { return p.endpoint.Redacted() }

// FindMetrics says which pages to scrape. Without URLs it looks at <origin>/metrics of every server and
// leaves out, without a word, those that have none. With URLs, each must be readable now; the ones that
// are not are in the error. A URL may leave out its scheme and, where it has no path, /metrics.
func (c *Client) FindMetrics(ctx context.Context, urls []string) ([]MetricsPage, error) {
	var pages []MetricsPage
	if len(urls) == 0 {
		for _, t := range c.origins() {
			page := MetricsPage{t.endpoint.At("/metrics"), t.direct, true}
			if s := c.Scrape(ctx, page, identityTimeout); s.Err == nil {
				pages = append(pages, page)
			}
		}
		return pages, nil
	}
	var problems []error
	for _, text := range urls {
		none := ""
		endpoint, err := wire.ParseEndpoint(text, &none)
		if err != nil {
			problems = append(problems, fmt.Errorf("--server-metrics: %w", err))
			continue
		}
		if endpoint.Path == "" {
			endpoint.Path = "/metrics"
		}
		page := MetricsPage{endpoint: endpoint, client: c.plain}
		for _, t := range c.targets { // the key is for the run's servers only
			if t.endpoint.Origin() == endpoint.Origin() {
				page.client, page.ours = t.direct, true
			}
		}
		if s := c.Scrape(ctx, page, identityTimeout); s.Err != nil {
			problems = append(problems, fmt.Errorf("--server-metrics %s: %w; expected a page in Prometheus' text form", page.URL(), s.Err))
			continue
		}
		pages = append(pages, page)
	}
	return pages, errors.Join(problems...)
}

// Scrape reads a page once. Its error is also set for a status other than 200 and for a page that holds
// no metrics.
func (c *Client) Scrape(ctx context.Context, page MetricsPage, timeout time.Duration) Scrape {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s := Scrape{URL: page.URL(), At: time.Now()}
	a, err := c.call(ctx, page.client, http.MethodGet, page.endpoint, nil, page.ours, promtext.MaxPage)
	s.Took = time.Since(s.At)
	s.Status, s.Body, s.Err = a.status, a.body, err
	if err != nil {
		return s
	}
	if a.status != http.StatusOK {
		s.Err = errors.New(c.excerpt(a))
		return s
	}
	// A page with a line that cannot be read is half a page: what is missing there would look like a fact.
	if parsed, _, damage := promtext.Parse(a.body); damage != nil {
		s.Err = damage
	} else if len(parsed) == 0 {
		s.Err = errors.New("metrics page: no metrics on it")
	}
	return s
}

// ScrapeLoop reads every page at once and then at the interval, until ctx ends; it returns when no
// reading is under way any more. deliver is called from one goroutine per page. A reading that takes
// longer than the interval delays the next one; readings never pile up.
func (c *Client) ScrapeLoop(ctx context.Context, pages []MetricsPage, interval time.Duration, deliver func(Scrape)) {
	var loops sync.WaitGroup
	for _, page := range pages {
		loops.Go(func() {
			ticker := time.NewTicker(interval)
			defer ticker.Stop()
			for {
				s := c.Scrape(ctx, page, max(interval, 30*time.Second))
				if ctx.Err() != nil {
					return // cut short by the end, not by the server
				}
				deliver(s)
				select {
				case <-ticker.C:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	loops.Wait()
}
