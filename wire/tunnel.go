package wire

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxyFor says which proxy requests to an endpoint go through, nil for none.
func proxyFor(setting string, e *Endpoint) (*url.URL, error) {
	var proxy *url.URL
	switch {
	case setting == "" || e.Socket != "":
		return nil, nil
	case setting == "environment":
		var err error
		target := &url.URL{Scheme: e.Scheme, Host: net.JoinHostPort(e.Host, strconv.Itoa(int(e.Port)))}
		if proxy, err = httpproxy.FromEnvironment().ProxyFunc()(target); err != nil {
			return nil, fmt.Errorf("proxy from the environment: %s", RedactURL(err.Error()))
		}
	default:
		if !strings.Contains(setting, "://") {
			setting = "http://" + setting
		}
		var err error
		if proxy, err = url.Parse(setting); err != nil {
			return nil, fmt.Errorf("proxy %s: expected a URL such as http://proxy:3128", RedactURL(setting))
		}
	}
	if proxy != nil && (proxy.Scheme != "http" || proxy.Hostname() == "") {
		return nil, fmt.Errorf("proxy %s: expected a URL such as http://proxy:3128", proxy.Redacted())
	}
	return proxy, nil
}

// proxyAuth is the value of Proxy-Authorization, empty for none.
func proxyAuth(proxy *url.URL) string {
	if proxy.User == nil {
		return ""
	}
	password, _ := proxy.User.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(proxy.User.Username()+":"+password))
}

// maxTunnelHead bounds a proxy's answer to CONNECT.
const maxTunnelHead = 16 << 10

// openTunnel asks the proxy for a connection to the host.
func openTunnel(c net.Conn, h *host) error {
	target := net.JoinHostPort(h.name, strconv.Itoa(int(h.port)))
	request := "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n"
	if auth := proxyAuth(h.proxy); auth != "" {
		request += "Proxy-Authorization: " + auth + "\r\n"
	}
	if _, err := c.Write([]byte(request + "\r\n")); err != nil {
		return err
	}
	var head []byte
	buffer := make([]byte, 4096)
	for {
		n, err := c.Read(buffer)
		head = append(head, buffer[:n]...)
		end := bytes.Index(head, []byte("\r\n\r\n"))
		if end < 0 && err != nil {
			return err
		}
		if end < 0 && len(head) > maxTunnelHead {
			return fmt.Errorf("the proxy's answer to CONNECT has no end within %d bytes", maxTunnelHead)
		}
		if end < 0 {
			continue
		}
		return checkTunnel(head, end)
	}
}

func checkTunnel(head []byte, end int) error {
	line, _, _ := strings.Cut(string(head), "\r\n")
	parts := strings.SplitN(line, " ", 3)
	if len(parts) < 2 || !strings.HasPrefix(parts[0], "HTTP/1.") {
		return fmt.Errorf("the proxy answered CONNECT with %.80q", line)
	}
	if parts[1] != "200" {
		return fmt.Errorf("the proxy refused CONNECT: %.200s", strings.TrimPrefix(line, parts[0]+" "))
	}
	if len(head) > end+len("\r\n\r\n") {
		return fmt.Errorf("the proxy sent bytes after its answer to CONNECT: %w", os.ErrInvalid)
	}
	return nil
}
