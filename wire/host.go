package wire

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"
)

// host is one server (scheme, name, port, proxy): its idle connections and its addresses.
type host struct {
	scheme, name string
	port         uint16
	socket       string
	proxy        *url.URL // nil: direct

	mu        sync.Mutex
	idle      []*conn // taken from the end: the one used last; of those that no exchange has used the oldest
	closes    bool    // it closed the connection that was looked at last, though that might have been kept
	addresses []netip.Addr
	known     time.Time  // when addresses were looked up
	good      netip.Addr // the address that answered last
}

// hostFor makes the host of an endpoint. TCP goes to the proxy, where there is one.
func hostFor(e *Endpoint, proxy *url.URL) *host {
	return &host{scheme: e.Scheme, name: e.Host, port: e.Port, socket: e.Socket, proxy: proxy}
}

// key tells hosts apart.
func (h *host) key() string {
	key := fmt.Sprintf("%s|%s|%d|%s", h.scheme, h.name, h.port, h.socket)
	if h.proxy != nil {
		key += "|" + h.proxy.String()
	}
	return key
}

// dialName is the name and port that TCP connects to.
func (h *host) dialName() (string, uint16) {
	if h.proxy == nil {
		return h.name, h.port
	}
	port := uint16(80)
	if parsed, err := netip.ParseAddrPort("0.0.0.0:" + h.proxy.Port()); err == nil {
		port = parsed.Port()
	}
	return h.proxy.Hostname(), port
}

// tunnelled tells whether requests go through CONNECT; plain http goes to a proxy in absolute form.
func (h *host) tunnelled() bool { return h.proxy != nil && h.scheme == "https" }

// resolve gives the addresses to try, and how long a look-up took (Unset: none was needed).
func (h *host) resolve(ctx context.Context, o *Options, name string) ([]netip.Addr, int64, error) {
	if address, err := netip.ParseAddr(name); err == nil {
		if !o.IP.allows(address) {
			return nil, Unset, fmt.Errorf("address %s is not of IP version %s", name, o.IP)
		}
		return []netip.Addr{address}, Unset, nil
	}
	if found := h.cached(o.DNSTTL); found != nil {
		return found, Unset, nil
	}
	begin := o.Clock.Now()
	network := map[IPVersion]string{IPv4: "ip4", IPv6: "ip6"}[o.IP]
	if network == "" {
		network = "ip"
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, network, name)
	took := o.Clock.Now() - begin
	if err != nil {
		return nil, took, err
	}
	for i := range found {
		found[i] = found[i].Unmap()
	}
	h.mu.Lock()
	h.addresses, h.known = found, time.Now()
	h.mu.Unlock()
	return h.preferred(found), took, nil
}

func (h *host) cached(ttl time.Duration) []netip.Addr {
	h.mu.Lock()
	fresh := len(h.addresses) > 0 && ttl > 0 && time.Since(h.known) < ttl
	found := h.addresses
	h.mu.Unlock()
	if !fresh {
		return nil
	}
	return h.preferred(found)
}

// preferred puts the address that answered last first.
func (h *host) preferred(found []netip.Addr) []netip.Addr {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := slices.Index(found, h.good)
	if at <= 0 {
		return found
	}
	ordered := append([]netip.Addr{h.good}, found[:at]...)
	return append(ordered, found[at+1:]...)
}

func (h *host) answered(address netip.Addr) {
	h.mu.Lock()
	h.good = address
	h.mu.Unlock()
}

func (v IPVersion) allows(address netip.Addr) bool {
	switch v {
	case IPv4:
		return address.Is4() || address.Is4In6()
	case IPv6:
		return address.Is6() && !address.Is4In6()
	}
	return true
}

// takeIdle gives a connection that may be reused, and closes those that may not.
func (h *host) takeIdle(now int64) (c *conn, stale int) {
	for {
		h.mu.Lock()
		last := len(h.idle) - 1
		if last < 0 {
			h.mu.Unlock()
			return nil, stale
		}
		c, h.idle = h.idle[last], h.idle[:last]
		h.mu.Unlock()
		if h.lives(c, now) {
			c.unused = false
			return c, stale
		}
		c.close()
		stale++
	}
}

// lives tells whether an idle connection can be used, and notes whether the server keeps such.
func (h *host) lives(c *conn, now int64) bool {
	if c.idleUntil <= now {
		return false
	}
	alive := c.alive()
	if !c.unused {
		h.mu.Lock()
		h.closes = !alive
		h.mu.Unlock()
	}
	return alive
}

// putIdle keeps a connection for reuse, and closes those whose time has passed. One that no exchange has used
// goes behind all others: a server with a thread for each connection takes those up in the order in which they
// came, so that the younger ones wait until the older ones have been used, or given up.
func (h *host) putIdle(c *conn, now int64) {
	h.mu.Lock()
	var expired []*conn
	for len(h.idle) > 0 && h.idle[0].idleUntil <= now {
		expired = append(expired, h.idle[0])
		h.idle = h.idle[1:]
	}
	if c.unused {
		h.idle = slices.Insert(h.idle, 0, c)
	} else {
		h.idle = append(h.idle, c)
	}
	h.mu.Unlock()
	for _, old := range expired {
		old.close()
	}
}

// sweepIdle closes the idle connections that cannot be used any more, one after the other: the rest stays for
// whoever comes meanwhile. It gives how many are left, and whether the server is one that keeps connections, as
// far as that is known.
func (h *host) sweepIdle(now int64) (idle, stale int, keeps bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for idle < len(h.idle) {
		c := h.idle[idle]
		h.idle = slices.Delete(h.idle, idle, idle+1)
		h.mu.Unlock()
		alive := h.lives(c, now)
		if !alive {
			c.close()
			stale++
		}
		h.mu.Lock()
		if alive {
			idle = min(idle, len(h.idle))
			h.idle = slices.Insert(h.idle, idle, c)
			idle++
		}
	}
	return idle, stale, !h.closes
}

func (h *host) closeIdle() {
	h.mu.Lock()
	idle := h.idle
	h.idle = nil
	h.mu.Unlock()
	for _, c := range idle {
		c.close()
	}
}
