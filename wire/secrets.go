package wire

import (
	"net/url"
	"strings"
)

// Secrets are the texts of the options that must not be shown: the key, the values of custom headers (what
// a user puts into one is nobody else's business), credentials of URLs and of the proxy.
func (o *Options) Secrets() []string {
	secrets := []string{o.APIKey}
	for _, header := range o.Headers {
		secrets = append(secrets, header.Value)
		if _, token, found := cutScheme(header.Value); found {
			secrets = append(secrets, token)
		}
	}
	for _, url := range o.URLs {
		endpoint, err := ParseEndpoint(url, o.Path)
		if err != nil {
			continue // New refuses it
		}
		secrets = append(secrets, endpoint.secrets()...)
		if proxy, err := proxyFor(o.Proxy, &endpoint); err == nil && proxy != nil {
			secrets = append(secrets, proxySecrets(proxy)...)
		}
	}
	return secrets
}

// cutScheme splits "Bearer token"; found is false for a value of one word.
func cutScheme(value string) (scheme, token string, found bool) {
	return strings.Cut(value, " ")
}

// secrets are the parts of a URL that must not be shown.
func (e *Endpoint) secrets() []string {
	var out []string
	if _, password, found := strings.Cut(e.User, ":"); found {
		out = append(out, password)
		if decoded, err := url.PathUnescape(password); err == nil {
			out = append(out, decoded)
		}
	}
	if _, encoded, found := cutScheme(e.basicAuth()); found {
		out = append(out, encoded)
	}
	for pair := range strings.SplitSeq(e.Query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if secretKey(name) {
			out = append(out, value)
		}
	}
	return out
}

func proxySecrets(proxy *url.URL) []string {
	_, encoded, _ := cutScheme(proxyAuth(proxy))
	password, _ := proxy.User.Password()
	return []string{encoded, password}
}
