package wire

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// chatPath is what is appended to a base URL unless a path is given.
const chatPath = "v1/chat/completions"

// Endpoint is where requests go: a base URL with the endpoint's path appended.
type Endpoint struct {
	Scheme   string // http or https, lower case
	Host     string // name or address as written, an IPv6 address without brackets
	Port     uint16
	Socket   string // path of a unix socket; empty for TCP
	User     string // userinfo as written, "name:password"; empty for none
	Path     string // with its leading slash, as sent
	Query    string // without ?; empty for none
	Fragment string // without #; never sent

	authority string // host[:port] as written; the Host header
	base      string // path before the endpoint's was appended
}

// ParseEndpoint reads a base URL (http, https, or unix: unix:///run/x.sock, unix:///run/x.sock:/base,
// http+unix://%2Frun%2Fx.sock/base) and appends path to it, or v1/chat/completions where path is nil. A
// part that the base URL ends with already is not doubled. Errors say what is wrong with which URL; they
// hold no password.
func ParseEndpoint(base string, path *string) (Endpoint, error) {
	endpoint, err := parseBase(base)
	if err != nil {
		return Endpoint{}, fmt.Errorf("url %q: %w", RedactURL(base), err)
	}
	sub := chatPath
	if path != nil {
		if *path != "" && (*path)[0] != '/' {
			return Endpoint{}, fmt.Errorf("endpoint path %q: expected it to start with /", *path)
		}
		sub = strings.TrimLeft(*path, "/")
	}
	endpoint.base = endpoint.Path
	endpoint.Path = joinPath(endpoint.Path, sub)
	return endpoint, nil
}

// joinPath appends sub to base (both as written) without doubling what base ends with.
func joinPath(base, sub string) string {
	switch {
	case sub == "" || strings.HasSuffix(base, "/"+sub):
		return base
	case strings.HasSuffix(base, "/v1") && strings.HasPrefix(sub, "v1/"):
		return base + sub[len("v1"):]
	}
	return base + "/" + sub
}

func parseBase(text string) (Endpoint, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == 0x7f || r < 0x20 }) {
		return Endpoint{}, fmt.Errorf("white space or a control character; expected a URL such as http://host:8000")
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	scheme, rest, _ := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	var e Endpoint
	rest, e.Fragment, _ = strings.Cut(rest, "#")
	rest, e.Query, _ = strings.Cut(rest, "?")
	switch scheme {
	case "http", "https":
		e.Scheme = scheme
	case "unix":
		return e, e.parseSocket(rest)
	case "http+unix":
		authority, path, found := strings.Cut(rest, "/")
		decoded, err := url.PathUnescape(authority)
		if err != nil {
			return e, err
		}
		if found {
			path = ":/" + path
		}
		return e, e.parseSocket(decoded + path)
	default:
		return e, fmt.Errorf("scheme %q; expected http, https or unix", scheme)
	}
	authority := rest
	if cut := strings.IndexByte(rest, '/'); cut >= 0 {
		authority, e.Path = rest[:cut], strings.TrimRight(rest[cut:], "/")
	}
	return e, e.parseAuthority(authority)
}

func (e *Endpoint) parseSocket(rest string) error {
	socket, path, _ := strings.Cut(rest, ":")
	if !strings.HasPrefix(socket, "/") {
		return fmt.Errorf("expected the absolute path of a socket, as in unix:///run/server.sock")
	}
	e.Scheme, e.Socket, e.Host, e.Port, e.authority = "http", socket, "localhost", 80, "localhost"
	e.Path = strings.TrimRight(path, "/")
	return nil
}

func (e *Endpoint) parseAuthority(text string) error {
	if cut := strings.LastIndexByte(text, '@'); cut >= 0 {
		e.User, text = text[:cut], text[cut+1:]
	}
	e.authority = text
	host, port := text, ""
	if strings.HasPrefix(text, "[") {
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return fmt.Errorf("[ without ]")
		}
		host, port = text[1:end], text[end+1:]
		if address, err := netip.ParseAddr(host); err != nil || !address.Is6() {
			return fmt.Errorf("%q in brackets; expected an IPv6 address", host)
		}
		if port != "" && port[0] != ':' {
			return fmt.Errorf("%q after the address; expected :port", port)
		}
	} else if cut := strings.IndexByte(text, ':'); cut >= 0 {
		host, port = text[:cut], text[cut:]
	}
	if host == "" {
		return fmt.Errorf("no host name")
	}
	e.Host, e.Port = host, 80
	if e.Scheme == "https" {
		e.Port = 443
	}
	if port == "" {
		return nil
	}
	number, err := strconv.ParseUint(port[1:], 10, 16)
	if err != nil || number == 0 || port[1] == '+' {
		return fmt.Errorf("port %q; expected a number from 1 to 65535", port[1:])
	}
	e.Port = uint16(number)
	return nil
}

// String is the full URL, credentials included.
func (e Endpoint) String() string { return e.url(e.User, e.Query, true) }

// Redacted is the full URL with credentials masked.
func (e Endpoint) Redacted() string {
	user := e.User
	if user != "" {
		user = Masked
	}
	return e.url(user, redactQuery(e.Query), true)
}

// Origin is scheme://host:port of the URL, as written, without credentials.
func (e Endpoint) Origin() string {
	e.Path = ""
	return e.url("", "", false)
}

func (e Endpoint) url(user, query string, full bool) string {
	var out strings.Builder
	if e.Socket != "" {
		out.WriteString("http+unix://" + url.PathEscape(e.Socket))
	} else {
		out.WriteString(e.Scheme + "://")
		if user != "" {
			out.WriteString(user + "@")
		}
		out.WriteString(e.authority)
	}
	out.WriteString(e.Path)
	if query != "" {
		out.WriteString("?" + query)
	}
	if full && e.Fragment != "" {
		out.WriteString("#" + e.Fragment)
	}
	return out.String()
}

// At is the endpoint with another path on the same server, query and fragment left out.
func (e Endpoint) At(path string) Endpoint {
	e.Path, e.Query, e.Fragment = path, "", ""
	return e
}

// Base is the path of the base URL, before the endpoint's path was appended.
func (e Endpoint) Base() string { return e.base }

// target is what the request line carries.
func (e Endpoint) target() string {
	path := e.Path
	if path == "" {
		path = "/"
	}
	if e.Query != "" {
		path += "?" + e.Query
	}
	return path
}

// basicAuth is the value of an Authorization header for the URL's userinfo, empty without one.
func (e Endpoint) basicAuth() string {
	if e.User == "" {
		return ""
	}
	name, password, _ := strings.Cut(e.User, ":")
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	if decoded, err := url.PathUnescape(password); err == nil {
		password = decoded
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(name+":"+password))
}
