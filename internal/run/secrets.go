package run

import (
	"net/url"
	"strings"

	"agentx/wire"
)

// Secrets are texts of the options that must not be shown, whatever they get into: keys, the values of
// headers, passwords in URLs.
func (o *Options) Secrets() []string {
	list := []string{o.Server.APIKey}
	for _, text := range o.Server.Headers {
		headers, err := wire.ParseHeader(text)
		if err != nil {
			list = append(list, text)
		}
		for _, header := range headers {
			list = append(list, header.Value)
		}
	}
	for _, text := range append([]string{o.Server.Proxy}, append(o.Server.URLs, o.Server.MetricsURLs...)...) {
		if !strings.Contains(text, "://") {
			text = "http://" + text
		}
		if parsed, err := url.Parse(text); err == nil && parsed.User != nil {
			password, _ := parsed.User.Password()
			list = append(list, password)
		}
	}
	return list
}

// masked is an error's text without secrets, with flags as they were typed.
func (o *Options) masked(err error) string {
	text := err.Error()
	if o.Spelling != nil {
		text = o.Spelling(text)
	}
	return o.mask(text)
}

// mask takes secrets out of a text.
func (o *Options) mask(text string) string { return wire.NewRedactor(o.Secrets()...).Text(text) }
