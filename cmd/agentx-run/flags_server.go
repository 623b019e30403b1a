package main

import (
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

const (
	groupServer = "2 Server and requests"
	unset       = -1 // of a number of seconds, requests, sessions
)

func serverFlags(o *run.ServerOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "url", Aliases: []string{"u"}, Value: []string{"http://localhost:8000"}, Destination: &o.URLs, Category: groupServer,
			Usage: "base URL of the server; several: one is chosen per session, in turn"},
		&cli.StringSliceFlag{Name: "model", Aliases: []string{"m", "model-names"}, Destination: &o.Models, Category: groupServer,
			Usage: "served model; several: recorded models are mapped to them in order"},
		&cli.StringFlag{Name: "endpoint", Aliases: []string{"custom-endpoint"}, Destination: &o.Endpoint, Category: groupServer,
			Usage: "request path, starting with /, instead of /v1/chat/completions"},
		&cli.StringFlag{Name: "api-key", Destination: &o.APIKey, Category: groupServer, Sources: cli.EnvVars("AGENTX_API_KEY", "OPENAI_API_KEY"),
			Usage: "sent as Authorization: Bearer; never logged; better by variable or --api-key-file, as other users of the host can see a command line"},
		&cli.StringFlag{Name: "api-key-file", Category: groupServer, Usage: "file that holds the API key"},
		&cli.StringSliceFlag{Name: "header", Aliases: []string{"H"}, Destination: &o.Headers, Category: groupServer,
			Usage: "extra request header, Name:Value or a JSON object"},
		&cli.StringSliceFlag{Name: "extra-inputs", Destination: &o.ExtraInputs, Category: groupServer,
			Usage: "extra body fields, key:value or a JSON object"},
		&cli.StringFlag{Name: "session-header", Destination: &o.SessionHeader, Category: groupServer,
			Usage: "name of the session id header instead of X-Correlation-ID"},
		&cli.StringFlag{Name: "tree-affinity-header", Destination: &o.TreeHeader, Category: groupServer,
			Usage: "header that carries the id of the whole session tree, for routers"},
		&cli.BoolFlag{Name: "streaming", Value: true, Destination: &o.Streaming, Category: groupServer,
			Usage: "stream the answers; --streaming=false turns it off"},
		&cli.BoolFlag{Name: "no-streaming", Category: groupServer, Usage: "same as --streaming=false"},
		&cli.BoolFlag{Name: "use-legacy-max-tokens", Destination: &o.LegacyMaxTokens, Category: groupServer,
			Usage: "send max_tokens instead of max_completion_tokens"},
		&cli.BoolFlag{Name: "per-chunk-usage", Destination: &o.PerChunkUsage, Category: groupServer,
			Usage: "ask for running token counts in every chunk"},
		&cli.StringFlag{Name: "url-scope", Value: "session", Destination: &o.URLScope, Category: groupServer,
			Usage: "which of several URLs a subagent uses: session (its own turn) or tree (its root's)"},
		&cli.StringFlag{Name: "connection-reuse-strategy", Value: "pooled", Destination: &o.Reuse, Category: groupServer,
			Usage: "pooled, never, or sticky-user-sessions"},
		&cli.FloatFlag{Name: "request-timeout-seconds", Value: 21600, Destination: &o.RequestTimeout, Category: groupServer,
			Usage: "longest time of one request, connection to last byte"},
		&cli.FloatFlag{Name: "connect-timeout-seconds", Value: 10, Destination: &o.ConnectTimeout, Category: groupServer,
			Usage: "longest time to connect"},
		&cli.FloatFlag{Name: "first-byte-timeout-seconds", Value: unset, DefaultText: "off", Destination: &o.FirstByteTimeout, Category: groupServer,
			Usage: "longest wait for the first byte of an answer"},
		&cli.FloatFlag{Name: "idle-timeout-seconds", Value: unset, DefaultText: "off", Destination: &o.IdleTimeout, Category: groupServer,
			Usage: "longest silence inside an answer"},
		&cli.FloatFlag{Name: "finish-grace-seconds", Value: 2, Destination: &o.FinishGrace, Category: groupServer,
			Usage: "how long to wait for usage and [DONE] after the last finish_reason"},
		&cli.BoolFlag{Name: "tls-skip-verify", Destination: &o.Insecure, Category: groupServer, Usage: "do not verify the server's certificate"},
		&cli.StringFlag{Name: "ca-file", Destination: &o.CAFile, Category: groupServer, Usage: "PEM file with the certificate authorities to trust"},
		&cli.StringFlag{Name: "ip-version", Value: "auto", Destination: &o.IPVersion, Category: groupServer, Sources: cli.EnvVars("AGENTX_HTTP_IP_VERSION", "AIPERF_HTTP_IP_VERSION"),
			Usage: "4, 6, or auto"},
	}
}
