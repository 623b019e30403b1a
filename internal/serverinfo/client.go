package serverinfo

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"agentx/wire"
)

// Client talks to the servers of a run. It is safe for concurrent use.
type Client struct {
	targets  []target // distinct base URLs, in the order given
	headers  []wire.Header
	redactor *wire.Redactor
	plain    *http.Client // for pages on other hosts
}

// target is one base URL.
type target struct {
	endpoint wire.Endpoint
	proxied  *http.Client // through the run's proxy, where it has one
	direct   *http.Client
}

// New makes a client for the servers of the wire's options, with their headers, key, TLS and proxy.
func New(options wire.Options) (*Client, error) {
	config, err := tlsConfig(options.TLS)
	if err != nil {
		return nil, err
	}
	headers := append([]wire.Header(nil), options.Headers...)
	if options.APIKey != "" {
		headers = append(headers, wire.Header{Name: "Authorization", Value: "Bearer " + options.APIKey})
	}
	if options.UserAgent != "" {
		headers = append(headers, wire.Header{Name: "User-Agent", Value: options.UserAgent})
	}
	c := &Client{headers: headers, plain: newHTTPClient(options, config, "", false)}
	seen := map[string]bool{}
	for _, base := range options.URLs {
		endpoint, err := wire.ParseEndpoint(base, options.Path)
		if err != nil {
			return nil, err
		}
		if seen[endpoint.String()] {
			continue
		}
		seen[endpoint.String()] = true
		c.targets = append(c.targets, target{
			endpoint,
			newHTTPClient(options, config, endpoint.Socket, true),
			newHTTPClient(options, config, endpoint.Socket, false),
		})
	}
	c.redactor = wire.NewRedactor(options.Secrets()...)
	return c, nil
}

// Close closes idle connections.
func (c *Client) Close() {
	c.plain.CloseIdleConnections()
	for _, t := range c.targets {
		t.proxied.CloseIdleConnections()
		t.direct.CloseIdleConnections()
	}
}

func tlsConfig(options wire.TLSOptions) (*tls.Config, error) {
	config := &tls.Config{InsecureSkipVerify: options.SkipVerify}
	if options.CAFile == "" {
		return config, nil
	}
	pem, err := os.ReadFile(options.CAFile)
	if err != nil {
		return nil, fmt.Errorf("certificate authority: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("certificate authority %s: no certificate in it; expected a PEM file", options.CAFile)
	}
	return config, nil
}

func newHTTPClient(options wire.Options, config *tls.Config, socket string, proxied bool) *http.Client {
	transport := &http.Transport{TLSClientConfig: config.Clone(), DisableCompression: true, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(!options.HTTP2)
	transport.Protocols.SetHTTP2(options.HTTP2)
	transport.Protocols.SetUnencryptedHTTP2(options.HTTP2)
	network := map[wire.IPVersion]string{wire.IPv4: "tcp4", wire.IPv6: "tcp6"}[options.IP]
	if network == "" {
		network = "tcp"
	}
	dialer := &net.Dialer{Timeout: orDefault(options.Timeouts.Connect, 10*time.Second)}
	transport.DialContext = func(ctx context.Context, _, address string) (net.Conn, error) {
		if socket != "" {
			return dialer.DialContext(ctx, "unix", socket)
		}
		return dialer.DialContext(ctx, network, address)
	}
	if proxied && options.Proxy == "environment" {
		transport.Proxy = http.ProxyFromEnvironment
	} else if proxied && options.Proxy != "" {
		transport.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(options.Proxy) }
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func orDefault(value, fallback time.Duration) time.Duration {
	if value == 0 {
		return fallback
	}
	return value
}

// answer is a response with its whole body.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// maxBody bounds what is read of a body that is not a metrics page.
const maxBody = 4 << 20

// call makes one request. ours says that the URL is one of the run's servers, which get the run's headers.
func (c *Client) call(ctx context.Context, client *http.Client, method string, endpoint wire.Endpoint, body []byte, ours bool, limit int64) (answer, error) {
	address := endpoint
	address.User = "" // it goes into a header, not into error texts
	text := address.String()
	if endpoint.Socket != "" {
		text = "http://localhost" + endpoint.Path
	}
	request, err := http.NewRequestWithContext(ctx, method, text, bytes.NewReader(body))
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", endpoint.Redacted(), err)
	}
	if ours {
		if endpoint.User != "" {
			name, password, _ := strings.Cut(endpoint.User, ":")
			request.SetBasicAuth(unescape(name), unescape(password))
		}
		for _, header := range c.headers {
			request.Header.Set(header.Name, header.Value)
		}
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, c.clean(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s: answer is larger than %d bytes", endpoint.Redacted(), limit)
	}
	return c.masked(answer{response.StatusCode, response.Header, content}), c.clean(err)
}

// masked takes the run's secrets out of an answer: some servers and routers send back what they were sent,
// and what a server says of itself is logged and shown.
func (c *Client) masked(a answer) answer {
	a.body = c.redactor.Bytes(a.body)
	for _, values := range a.header {
		for i := range values {
			values[i] = c.redactor.Text(values[i])
		}
	}
	return a
}

// unescape undoes percent escapes of a URL's userinfo; what is none stays as written.
func unescape(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// clean masks the secrets in an error's text; the cause stays reachable for errors.Is.
func (c *Client) clean(err error) error {
	if err == nil {
		return nil
	}
	text := c.redactor.Text(err.Error())
	if text == err.Error() {
		return err
	}
	return cleaned{text, err}
}

type cleaned struct {
	text  string
	cause error
}

func (e cleaned) Error() string { return e.text }

func (e cleaned) Unwrap() error { return e.cause }

// excerpt is the beginning of an answer's body for an error text, without secrets.
func (c *Client) excerpt(a answer) string {
	text := strings.Join(strings.Fields(string(a.body[:min(len(a.body), 2000)])), " ")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	if text == "" {
		return fmt.Sprintf("status %d", a.status)
	}
	return fmt.Sprintf("status %d: %s", a.status, text)
}

// page is a URL of the target's server: its base path without the chat endpoint's part, then path.
func (t target) page(path string) wire.Endpoint {
	base := strings.TrimSuffix(t.endpoint.Base(), "/v1/chat/completions")
	base = strings.TrimSuffix(base, "/v1")
	return t.endpoint.At(base + path)
}

// origins are the targets with distinct scheme, host and port.
func (c *Client) origins() []target {
	var list []target
	seen := map[string]bool{}
	for _, t := range c.targets {
		if origin := t.endpoint.Origin(); !seen[origin] {
			seen[origin] = true
			list = append(list, t)
		}
	}
	return list
}
