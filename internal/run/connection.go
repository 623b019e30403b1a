package run

import "agentx/wire"

// ConnectionOptions are the finer settings of connections and routing headers. 0 stands for the wire's
// default.
type ConnectionOptions struct {
	Limit         int     // simultaneous exchanges
	KeepAlive     float64 // seconds that an idle connection is kept
	DNSTTL        float64 // seconds that a look-up is kept; negative: never
	SendBuffer    int     // bytes
	ReceiveBuffer int     // bytes
	KeepIdle      float64 // seconds until TCP probes an idle connection
	KeepInterval  float64 // seconds between probes
	KeepCount     int     // probes
	UserTimeout   float64 // seconds
	CancelSend    float64 // seconds to write a request that is to be cancelled

	SessionID         bool // X-Session-ID
	NoSessionAffinity bool // leaves out X-Session-Affinity
	SMGRoutingKey     bool // X-SMG-Routing-Key
	DynamoSessionID   bool // X-Dynamo-Session-ID, and the parent's
}

// apply sets the wire's options.
func (c *ConnectionOptions) apply(options *wire.Options) {
	if c.Limit > 0 {
		options.MaxConns = c.Limit
	}
	options.IdleTimeout = seconds(c.KeepAlive)
	if options.DNSTTL = seconds(c.DNSTTL); c.DNSTTL < 0 {
		options.DNSTTL = -1
	}
	options.Timeouts.CancelSend = seconds(c.CancelSend)
	options.Socket.SendBuffer, options.Socket.ReceiveBuffer = c.SendBuffer, c.ReceiveBuffer
	options.Socket.KeepIdle, options.Socket.KeepInterval = seconds(c.KeepIdle), seconds(c.KeepInterval)
	options.Socket.KeepCount, options.Socket.UserTimeout = c.KeepCount, seconds(c.UserTimeout)
	options.Affinity.SessionID = c.SessionID
	options.Affinity.SessionAffinity = !c.NoSessionAffinity
	options.Affinity.SMGRoutingKey = c.SMGRoutingKey
	options.Affinity.DynamoSessionID = c.DynamoSessionID
}
