package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// dialer opens connections.
type dialer struct {
	options *Options
	tls     *tls.Config
	net     net.Dialer
	delays  *Delays
}

func newDialer(o *Options, delays *Delays) (*dialer, error) {
	d := &dialer{options: o, delays: delays}
	d.tls = &tls.Config{InsecureSkipVerify: o.TLS.SkipVerify, NextProtos: []string{"http/1.1"}}
	if o.HTTP2 {
		d.tls.NextProtos = []string{"h2"}
	}
	if o.TLS.CAFile != "" {
		pem, err := os.ReadFile(o.TLS.CAFile)
		if err != nil {
			return nil, fmt.Errorf("reading the CA file: %w", err)
		}
		d.tls.RootCAs = x509.NewCertPool()
		if !d.tls.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("CA file %s: expected certificates in PEM form, found none", o.TLS.CAFile)
		}
	}
	d.net = net.Dialer{
		FallbackDelay:   -1,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: o.Socket.KeepIdle, Interval: o.Socket.KeepInterval, Count: o.Socket.KeepCount},
	}
	return d, nil
}

// dial opens a connection to h, ready for the first request. The times that the parts took are in the
// connection, also where it gives an error.
func (d *dialer) dial(ctx context.Context, h *host, until int64) (*conn, error) {
	until = min(until, d.options.Clock.Now()+int64(d.options.Timeouts.Connect))
	ctx, cancel := context.WithDeadline(ctx, d.options.Clock.at(until))
	defer cancel()
	c := &conn{host: h, protocol: "HTTP/1.1", dnsNs: Unset, connectNs: Unset, tlsNs: Unset}
	raw, err := d.connect(ctx, h, c)
	if err != nil {
		return c, err
	}
	c.lower = &lower{Conn: raw, clock: d.options.Clock, delays: d.delays}
	c.lower.kernel.arm(raw, d.options.Clock, !d.options.Socket.NoKernelStamp && h.socket == "")
	c.local, c.remote = addressText(raw.LocalAddr()), addressText(raw.RemoteAddr())
	if err := d.secure(ctx, h, c); err != nil {
		raw.Close()
		return c, err
	}
	if d.options.HTTP2 {
		if err := d.startHTTP2(ctx, c); err != nil {
			raw.Close()
			return c, err
		}
	}
	raw.SetDeadline(time.Time{})
	return c, nil
}

// connect opens the socket: the addresses one after the other.
func (d *dialer) connect(ctx context.Context, h *host, c *conn) (net.Conn, error) {
	clock := d.options.Clock
	if h.socket != "" {
		begin := clock.Now()
		raw, err := d.net.DialContext(ctx, "unix", h.socket)
		c.connectNs = clock.Now() - begin
		return raw, dialFault(connectFault, err)
	}
	name, port := h.dialName()
	addresses, took, err := h.resolve(ctx, d.options, name)
	c.dnsNs = took
	if err != nil {
		return nil, dialFault(dnsFault, err)
	}
	fault := connectFault
	if h.proxy != nil {
		fault = proxyFault
	}
	begin := clock.Now()
	for i, address := range addresses {
		var raw net.Conn
		raw, err = d.try(ctx, netip.AddrPortFrom(address, port), len(addresses)-i)
		if err == nil {
			c.connectNs = clock.Now() - begin
			h.answered(address)
			return raw, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	c.connectNs = clock.Now() - begin
	if err == nil {
		err = fmt.Errorf("no address of %s", name)
	}
	return nil, dialFault(fault, err)
}

// try connects to one of several addresses, with its share of the time that is left.
func (d *dialer) try(ctx context.Context, address netip.AddrPort, left int) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok && left > 1 {
		share, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
		ctx = share
	}
	return d.tcp().DialContext(ctx, "tcp", address.String())
}

// tcp is the dialer with the socket options.
func (d *dialer) tcp() *net.Dialer {
	with := d.net
	with.Control = func(_, _ string, raw syscall.RawConn) error {
		var failure error
		if err := raw.Control(func(fd uintptr) { failure = setSocketOptions(fd, &d.options.Socket) }); err != nil {
			return err
		}
		return failure
	}
	return &with
}

// secure goes through the proxy's tunnel and shakes hands, where the host needs that.
func (d *dialer) secure(ctx context.Context, h *host, c *conn) error {
	if h.scheme != "https" {
		return nil
	}
	if deadline, ok := ctx.Deadline(); ok {
		c.lower.SetDeadline(deadline)
	}
	stop := context.AfterFunc(ctx, func() { c.lower.SetDeadline(longAgo()) })
	defer stop()
	if h.tunnelled() {
		if err := openTunnel(c.lower, h); err != nil {
			return dialFault(proxyFault, err)
		}
	}
	config := d.tls.Clone()
	config.ServerName = h.name
	begin := d.options.Clock.Now()
	c.tls = tls.Client(c.lower, config)
	err := c.tls.HandshakeContext(ctx)
	c.tlsNs = d.options.Clock.Now() - begin
	return dialFault(tlsFault, err)
}

func addressText(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}
