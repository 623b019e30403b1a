package report

import (
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"

	"agentx/internal/measure"
)

// networkName is the file of the latency probe.
const networkName = "profile_export_network_latency.jsonl"

// networkLatency is profile_export_network_latency.jsonl (spec wire 12): a line for each connect of the
// latency probe, also those that failed, which have an error in place of a round trip.
func networkLatency(w io.Writer, a *measure.Analysis) error {
	urls := targetURLs(a.Settings.List("url"))
	file := lines{to: w}
	for _, sample := range a.Network {
		host, port, err := net.SplitHostPort(sample.Target)
		if err != nil {
			host = sample.Target
		}
		var o object
		o.set("timestamp_ns", a.Clock.Wall(sample.At)).text("target_url", urls[sample.Target]).set("target_host", host)
		if number, err := strconv.Atoi(port); err == nil {
			o.set("target_port", number)
		}
		o.set("probe_type", "tcp_connect")
		if sample.Error == "" {
			o.set("rtt_ns", sample.RTTNs)
		}
		o.set("success", sample.Error == "")
		if sample.Error != "" {
			var reason object
			o.set("error", *reason.set("message", sample.Error))
		}
		if err := file.write(o); err != nil {
			return err
		}
	}
	return nil
}

// targetURLs maps host:port to the first of the run's URLs that goes there, without user and password.
func targetURLs(list []string) map[string]string {
	urls := map[string]string{}
	for _, text := range list {
		if !strings.Contains(text, "://") {
			text = "http://" + text
		}
		parsed, err := url.Parse(text)
		if err != nil {
			continue
		}
		parsed.User = nil
		port := parsed.Port()
		switch {
		case port != "":
		case parsed.Scheme == "https":
			port = "443"
		default:
			port = "80"
		}
		target := net.JoinHostPort(parsed.Hostname(), port)
		if _, known := urls[target]; !known {
			urls[target] = parsed.String()
		}
	}
	return urls
}
