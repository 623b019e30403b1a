package run

import (
	"fmt"
	"time"

	"agentx/corpus"
	"agentx/internal/buildinfo"
	"agentx/wire"
)

// wireOptions makes the options of the wire's client. connections is how many exchanges may be under
// way at once.
func wireOptions(o *Options, clock *clock, connections int) (wire.Options, error) {
	server := &o.Server
	extra, err := wire.ParseFields(server.ExtraInputs)
	if err != nil {
		return wire.Options{}, fmt.Errorf("--extra-inputs: %w", err)
	}
	var headers []wire.Header
	for _, text := range server.Headers {
		parsed, err := wire.ParseHeader(text)
		if err != nil {
			return wire.Options{}, fmt.Errorf("--header: %w", err)
		}
		headers = append(headers, parsed...)
	}
	options := wire.Options{
		URLs:            server.URLs,
		Clock:           wire.NewClock(clock.base),
		Extra:           extra,
		LegacyMaxTokens: server.LegacyMaxTokens,
		PerChunkUsage:   server.PerChunkUsage,
		UserAgent:       "agentx/" + buildinfo.Version(),
		SessionHeader:   server.SessionHeader,
		Affinity:        wire.Affinity{SessionAffinity: true, TreeHeader: server.TreeHeader},
		Headers:         headers,
		APIKey:          server.APIKey,
		HTTP2:           server.HTTPVersion == "2",
		Reuse:           wire.ReusePolicy(server.Reuse),
		MaxConns:        max(connections, 2500),
		IP:              wire.IPVersion(server.IPVersion),
		TLS:             wire.TLSOptions{SkipVerify: server.Insecure, CAFile: server.CAFile},
		OverflowPhrases: o.Load.OverflowPhrases,
		Timeouts: wire.Timeouts{
			Request:     seconds(server.RequestTimeout),
			Connect:     seconds(server.ConnectTimeout),
			FirstByte:   seconds(server.FirstByteTimeout),
			Idle:        seconds(server.IdleTimeout),
			FinishGrace: seconds(server.FinishGrace),
		},
	}
	if server.Endpoint != "" || server.BareURL {
		options.Path = &server.Endpoint
	}
	options.Proxy = server.Proxy
	server.Connection.apply(&options)
	return options, nil
}

// seconds is a duration; unset (negative) is 0, the wire's default.
func seconds(value float64) time.Duration {
	if value < 0 {
		return 0
	}
	return time.Duration(value * float64(time.Second))
}

// fanOut is the greatest number of streams that can be alive at once: on every lane the trace with the
// most conversations.
func fanOut(plans []*corpus.Plan, lanes int) int {
	most := 1
	for _, plan := range plans {
		most = max(most, len(plan.Conversations))
	}
	return most * lanes
}
