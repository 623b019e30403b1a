package wire

import (
	"fmt"
	"time"
)

// The defaults of Options.
const (
	defaultUserAgent     = "agentx"
	defaultSessionHeader = "X-Correlation-ID"
	defaultMaxConns      = 2500
	defaultIdleTimeout   = 300 * time.Second
	defaultDNSTTL        = 300 * time.Second
	defaultRequest       = 6 * time.Hour
	defaultConnect       = 10 * time.Second
	defaultFinishGrace   = 2 * time.Second
	defaultCancelSend    = 300 * time.Second
	defaultNotSent       = 128 << 10
	defaultKeepIdle      = 60 * time.Second
	defaultKeepInterval  = 30 * time.Second
	defaultUserTimeout   = 30 * time.Second
	defaultBodyBytes     = 64 << 20
	defaultTextBytes     = 32 << 20
	defaultChunks        = 1 << 20
	defaultKeptBytes     = 64 << 20
)

// fill puts the defaults in and refuses what cannot work.
func (o *Options) fill() error {
	if len(o.URLs) == 0 {
		return fmt.Errorf("no URL given")
	}
	either(&o.UserAgent, defaultUserAgent)
	either(&o.SessionHeader, defaultSessionHeader)
	either(&o.MaxConns, defaultMaxConns)
	either(&o.IdleTimeout, defaultIdleTimeout)
	either(&o.DNSTTL, defaultDNSTTL)
	either(&o.Reuse, ReusePooled)
	either(&o.IP, IPAuto)
	either(&o.Timeouts.Request, defaultRequest)
	either(&o.Timeouts.Connect, defaultConnect)
	either(&o.Timeouts.FinishGrace, defaultFinishGrace)
	either(&o.Timeouts.CancelSend, defaultCancelSend)
	either(&o.Socket.NotSentLowat, defaultNotSent)
	either(&o.Socket.KeepIdle, defaultKeepIdle)
	either(&o.Socket.KeepInterval, defaultKeepInterval)
	either(&o.Socket.KeepCount, 1)
	either(&o.Socket.UserTimeout, defaultUserTimeout)
	either(&o.Limits.BodyBytes, defaultBodyBytes)
	either(&o.Limits.TextBytes, defaultTextBytes)
	either(&o.Limits.Chunks, defaultChunks)
	either(&o.Limits.KeptBytes, defaultKeptBytes)
	if o.OverflowPhrases == nil {
		o.OverflowPhrases = DefaultOverflowPhrases()
	}
	if o.Clock == (Clock{}) {
		o.Clock = NewClock(time.Now())
	}
	return o.check()
}

// either sets a field that is zero to its default.
func either[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (o *Options) check() error {
	switch o.Reuse {
	case ReusePooled, ReuseNever, ReuseSticky:
	default:
		return fmt.Errorf("connection reuse %q: expected %s, %s or %s", o.Reuse, ReusePooled, ReuseNever, ReuseSticky)
	}
	switch o.IP {
	case IPAuto, IPv4, IPv6:
	default:
		return fmt.Errorf("IP version %q: expected %s, %s or %s", o.IP, IPv4, IPv6, IPAuto)
	}
	if o.MaxConns < 1 {
		return fmt.Errorf("connection limit %d: expected at least 1", o.MaxConns)
	}
	for _, limit := range []struct {
		name  string
		value time.Duration
	}{
		{"request", o.Timeouts.Request}, {"connect", o.Timeouts.Connect}, {"first byte", o.Timeouts.FirstByte},
		{"idle", o.Timeouts.Idle}, {"finish grace", o.Timeouts.FinishGrace}, {"cancellation send", o.Timeouts.CancelSend},
	} {
		if limit.value < 0 {
			return fmt.Errorf("%s timeout %v: expected more than 0", limit.name, limit.value)
		}
	}
	headers := append([]Header{{o.SessionHeader, ""}, {"User-Agent", o.UserAgent}}, o.Headers...)
	if o.Affinity.TreeHeader != "" {
		headers = append(headers, Header{o.Affinity.TreeHeader, ""})
	}
	for _, header := range headers {
		if err := checkHeader(header); err != nil {
			return err
		}
	}
	if err := checkHeader(Header{"Authorization", o.APIKey}); err != nil {
		return fmt.Errorf("API key: %w", err)
	}
	return nil
}
