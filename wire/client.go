package wire

import "context"

// Client makes exchanges. Its methods may be called from many goroutines.
type Client struct {
	options Options
}

// New checks the options. Errors name the option and what it may be.
func New(options Options) (*Client, error) {
	return &Client{options: options}, nil
}

// Do makes one exchange on the calling goroutine and returns when it has ended. When ctx ends, the
// exchange is cancelled: what has arrived is in the Result.
func (c *Client) Do(ctx context.Context, request *Request) Result {
	return Result{Outcome: OutcomeError, Class: ClassRequest, Err: &Error{Type: "NotImplemented", Message: "the exchange is not built yet"}}
}

// EndSession closes the sticky connection of a session that ends without a last turn.
func (c *Client) EndSession(sessionID string) {}

// Close closes all idle connections. It must not be called while an exchange is under way.
func (c *Client) Close() error { return nil }
