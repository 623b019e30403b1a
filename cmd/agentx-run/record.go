package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"agentx/internal/run"
	"agentx/wire"

	"github.com/urfave/cli/v3"
)

const redacted = wire.Masked

// record lists every flag that agentx-run has, with its value, and those that the user set in any layer.
// Of the peer's flags only those that were given are there.
func record(command *cli.Command) (settings map[string]any, explicit []string) {
	settings = map[string]any{}
	for _, flag := range command.Flags {
		name := flag.Names()[0]
		set := command.IsSet(name)
		if visible, ok := flag.(cli.VisibleFlag); ok && !visible.IsVisible() && !set || name == "help" {
			continue
		}
		settings[name] = shown(name, command.Value(name))
		if set {
			explicit = append(explicit, name)
		}
	}
	slices.Sort(explicit)
	return settings, explicit
}

// resolved are settings whose value is not that of their flag alone.
func resolved(o *run.Options) map[string]any {
	server := &o.Server
	settings := map[string]any{
		"streaming": server.Streaming, "cache-bust": o.Load.CacheBust, "allow-dataset-wrap": o.Load.AllowWrap,
		"connection-reuse-strategy": server.Reuse, "reset-kv-cache": server.ResetKVCache, "server-profiler": server.Profiler,
		"profile-run-disable-warmup-after-first": o.Series.NoWarmupAfterFirst, "profile-export-prefix": o.ExportPrefix,
		"url": server.URLs, "model": server.Models, "extra-inputs": server.ExtraInputs, "server-metrics": server.MetricsURLs,
	}
	for name, value := range settings {
		settings[name] = shown(name, value)
	}
	return settings
}

// shown is a value as a log may have it: JSON has no infinity, and secrets are left out.
func shown(name string, value any) any {
	switch typed := value.(type) {
	case float64:
		if math.IsNaN(typed) || math.IsInf(typed, 0) {
			return strconv.FormatFloat(typed, 'g', -1, 64)
		}
	case string:
		return hidden(name, typed)
	case []string:
		list := make([]string, len(typed))
		for i := range typed {
			list[i] = hidden(name, typed[i])
		}
		return list
	}
	return value
}

// hidden is a value without the secrets that its flag may carry: keys, credentials in URLs, the values of
// headers.
func hidden(name, value string) string {
	switch {
	case value == "":
	case name == "api-key":
		return redacted
	case name == "header":
		header, _, _ := strings.Cut(value, ":")
		if strings.HasPrefix(strings.TrimSpace(value), "{") {
			return redacted
		}
		return header + ":" + redacted
	case strings.Contains(value, "://") || name == "url" || name == "proxy":
		return wire.RedactURL(value)
	}
	return value
}

// redactArguments is the command line, in its normalized form, without secrets.
func redactArguments(command *cli.Command, line []string) []string {
	names := map[string]string{}
	for _, flag := range command.Flags {
		for _, name := range flag.Names() {
			names[name] = flag.Names()[0]
		}
	}
	shown := []string{"agentx-run"}
	for _, word := range line {
		bare := strings.TrimLeft(word, "-")
		name, value, attached := strings.Cut(bare, "=")
		if main := names[name]; main != "" && attached && bare != word {
			word = strings.TrimSuffix(word, value) + hidden(main, value)
		}
		shown = append(shown, word)
	}
	return shown
}

// redactEnvironment picks the variables that concern agentx, without secrets.
func redactEnvironment(variables []string) map[string]string {
	ours := map[string]string{}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "AGENTX_") && !strings.HasPrefix(name, "AIPERF_") {
			continue
		}
		if secretVariable(name) {
			value = redacted
		}
		ours[name] = wire.RedactURL(value)
	}
	return ours
}

// secretVariable: the names of settings hold words that secrets have too (session, token).
func secretVariable(name string) bool {
	known := slices.ContainsFunc([]string{"_SESSION_", "_TOKEN_THRESHOLD"}, func(part string) bool { return strings.Contains(name, part) })
	return !known && wire.SecretName(name)
}
