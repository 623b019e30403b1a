package main

import (
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

// connectionFlags are mostly known to the peer's users as environment variables.
func connectionFlags(o *run.ServerOptions) []cli.Flag {
	c := &o.Connection
	return []cli.Flag{
		&cli.StringFlag{Name: "session-header", Destination: &o.SessionHeader, Category: groupConnection, DefaultText: "X-Correlation-ID",
			Usage: "name of the session id header"},
		&cli.StringFlag{Name: "tree-affinity-header", Destination: &o.TreeHeader, Category: groupConnection,
			Usage: "header that carries the id of the whole session tree, for routers"},
		&cli.BoolFlag{Name: "x-session-affinity", Value: true, Category: groupConnection, Sources: env("HTTP_X_SESSION_AFFINITY_FROM_CORRELATION_ID"),
			Usage: "send the session id as X-Session-Affinity"},
		&cli.BoolFlag{Name: "x-session-id", Destination: &c.SessionID, Category: groupConnection, Sources: env("HTTP_X_SESSION_ID_FROM_CORRELATION_ID"),
			Usage: "send the session id as X-Session-ID"},
		&cli.BoolFlag{Name: "x-smg-routing-key", Destination: &c.SMGRoutingKey, Category: groupConnection, Sources: env("HTTP_X_SMG_ROUTING_KEY_FROM_CORRELATION_ID"),
			Usage: "send the session id as X-SMG-Routing-Key"},
		&cli.BoolFlag{Name: "x-dynamo-session-id", Destination: &c.DynamoSessionID, Category: groupConnection, Sources: env("HTTP_X_DYNAMO_SESSION_ID_FROM_CORRELATION_ID"),
			Usage: "send the session id as X-Dynamo-Session-ID, and its parent's as X-Dynamo-Parent-Session-ID"},
		&cli.StringFlag{Name: "connection-reuse-strategy", Value: "pooled", Destination: &o.Reuse, Category: groupConnection,
			Usage: "pooled, never (also by AGENTX_HTTP_FORCE_CLOSE), or sticky-user-sessions"},
		&cli.StringFlag{Name: "http-version", Value: "1.1", Destination: &o.HTTPVersion, Category: groupConnection,
			Usage: "1.1, or 2 (over TLS, or in the clear with prior knowledge)"},
		&cli.BoolFlag{Name: "tls-skip-verify", Destination: &o.Insecure, Category: groupConnection, Usage: "do not verify the server's certificate (also by AGENTX_HTTP_SSL_VERIFY=false)"},
		&cli.StringFlag{Name: "ca-file", Destination: &o.CAFile, Category: groupConnection, Usage: "PEM file with the certificate authorities to trust"},
		&cli.StringFlag{Name: "proxy", Destination: &o.Proxy, Category: groupConnection, DefaultText: "none",
			Usage: "URL of a proxy, or environment for HTTP_PROXY, HTTPS_PROXY, NO_PROXY (also by AGENTX_HTTP_TRUST_ENV)"},
		&cli.StringFlag{Name: "ip-version", Value: "auto", Destination: &o.IPVersion, Category: groupConnection, Sources: env("HTTP_IP_VERSION"),
			Usage: "4, 6, or auto"},
		&cli.IntFlag{Name: "http-connection-limit", Destination: &c.Limit, Category: groupConnection, Sources: env("HTTP_CONNECTION_LIMIT"), DefaultText: "2500, or as many as the lanes may need",
			Usage: "most requests that are under way at once; more wait"},
		&cli.FloatFlag{Name: "http-keepalive-timeout", Destination: &c.KeepAlive, Category: groupConnection, Sources: env("HTTP_KEEPALIVE_TIMEOUT"), DefaultText: "300",
			Usage: "seconds that an idle connection is kept"},
		&cli.FloatFlag{Name: "http-dns-ttl", Destination: &c.DNSTTL, Category: groupConnection, Sources: env("HTTP_TTL_DNS_CACHE"), DefaultText: "300",
			Usage: "seconds that a name look-up is kept; -1: never (also by AGENTX_HTTP_USE_DNS_CACHE=false)"},
		&cli.IntFlag{Name: "http-so-sndbuf", Destination: &c.SendBuffer, Category: groupConnection, Sources: env("HTTP_SO_SNDBUF"), DefaultText: "the system's",
			Usage: "send buffer of a socket, in bytes"},
		&cli.IntFlag{Name: "http-so-rcvbuf", Destination: &c.ReceiveBuffer, Category: groupConnection, Sources: env("HTTP_SO_RCVBUF"), DefaultText: "the system's",
			Usage: "receive buffer of a socket, in bytes"},
		&cli.FloatFlag{Name: "http-tcp-keepidle", Destination: &c.KeepIdle, Category: groupConnection, Sources: env("HTTP_TCP_KEEPIDLE"), DefaultText: "60",
			Usage: "seconds until an idle connection is probed"},
		&cli.FloatFlag{Name: "http-tcp-keepintvl", Destination: &c.KeepInterval, Category: groupConnection, Sources: env("HTTP_TCP_KEEPINTVL"), DefaultText: "30",
			Usage: "seconds between two probes"},
		&cli.IntFlag{Name: "http-tcp-keepcnt", Destination: &c.KeepCount, Category: groupConnection, Sources: env("HTTP_TCP_KEEPCNT"), DefaultText: "1",
			Usage: "probes without an answer that end a connection"},
		&cli.FloatFlag{Name: "http-tcp-user-timeout", Destination: &c.UserTimeout, Category: groupConnection, DefaultText: "30",
			Usage: "seconds that sent data may stay unacknowledged (in ms by AGENTX_HTTP_TCP_USER_TIMEOUT)"},
		&cli.FloatFlag{Name: "request-cancellation-send-timeout", Destination: &c.CancelSend, Category: groupConnection, Sources: env("HTTP_REQUEST_CANCELLATION_SEND_TIMEOUT"), DefaultText: "300",
			Usage: "seconds to write a request that is to be cancelled"},
		&cli.BoolFlag{Name: "network-latency-automatic", Destination: &o.NetworkLatencyAuto, Category: groupConnection,
			Usage: "measure the round trip to each server during the run, and give latencies without it too"},
		&cli.FloatFlag{Name: "network-latency-mean", Value: unset, DefaultText: "none", Destination: &o.NetworkLatencyMean, Category: groupConnection,
			Usage: "round trip in ms; gives latencies without it too"},
		&cli.FloatFlag{Name: "network-latency-ping-interval", Value: 1, Destination: &o.NetworkLatencyInterval, Category: groupConnection, Sources: env("NETWORK_LATENCY_DEFAULT_PROBE_INTERVAL"),
			Usage: "seconds between two measurements of the round trip"},
	}
}
