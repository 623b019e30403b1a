package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"agentx/internal/flags"
	"agentx/internal/run"
	"agentx/wire"

	"github.com/urfave/cli/v3"
)

// secretFlags hold values that never leave the process.
var secretFlags = []string{"api-key"}

const redacted = "<redacted>"

// settle finishes the options after parsing: lists given with commas, values that are words or numbers,
// and the record of what was set.
func settle(command *cli.Command, o *run.Options) error {
	o.Server.URLs = flags.CommaList(o.Server.URLs)
	o.Server.Models = flags.CommaList(o.Server.Models)
	if command.Bool("no-streaming") {
		o.Server.Streaming = false
	}
	if file := command.String("api-key-file"); file != "" {
		key, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading --api-key-file: %w", err)
		}
		o.Server.APIKey = strings.TrimSpace(string(key))
	}
	grace, err := secondsOrInf(command.String("benchmark-grace-period"))
	if err != nil {
		return fmt.Errorf("--benchmark-grace-period: %w", err)
	}
	o.Load.Grace = grace
	o.Settings, o.Explicit = record(command)
	o.Args = redactArguments(os.Args)
	o.Env = environment(os.Environ())
	return nil
}

// secondsOrInf reads a number of seconds, or inf.
func secondsOrInf(text string) (float64, error) {
	if strings.EqualFold(text, "inf") {
		return math.Inf(1), nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(seconds) || seconds < 0 {
		return 0, fmt.Errorf("%q is not a number of seconds, 0 or more, or inf", text)
	}
	return seconds, nil
}

// record lists every flag with its resolved value, and those that the user set.
func record(command *cli.Command) (settings map[string]any, explicit []string) {
	settings = map[string]any{}
	for _, flag := range command.Flags {
		name := flag.Names()[0]
		value := command.Value(name)
		if slices.Contains(secretFlags, name) {
			value = nil
			if command.String(name) != "" {
				value = redacted
			}
		}
		switch typed := value.(type) {
		case float64:
			if math.IsNaN(typed) || math.IsInf(typed, 0) {
				value = strconv.FormatFloat(typed, 'g', -1, 64)
			}
		case []string:
			value = redactList(name, typed)
		}
		settings[name] = value
		if command.IsSet(name) {
			explicit = append(explicit, name)
		}
	}
	slices.Sort(explicit)
	return settings, explicit
}

// redactList hides the secrets that list flags may carry: credentials in URLs, values of headers.
func redactList(name string, values []string) []string {
	shown := make([]string, len(values))
	for i, value := range values {
		switch name {
		case "url":
			value = wire.RedactURL(value)
		case "header":
			header, _, _ := strings.Cut(value, ":")
			value = header + ":" + redacted
		}
		shown[i] = value
	}
	return shown
}

// redactArguments hides secrets on a command line.
func redactArguments(arguments []string) []string {
	shown := slices.Clone(arguments)
	for i, argument := range shown {
		name, value, attached := strings.Cut(strings.TrimLeft(argument, "-"), "=")
		if !strings.HasPrefix(argument, "-") {
			continue
		}
		switch name {
		case "api-key", "header", "H":
			if attached {
				shown[i] = strings.TrimSuffix(argument, value) + redacted
			} else if i+1 < len(shown) {
				shown[i+1] = redacted
			}
		case "url", "u":
			if attached {
				shown[i] = strings.TrimSuffix(argument, value) + wire.RedactURL(value)
			} else if i+1 < len(shown) {
				shown[i+1] = wire.RedactURL(shown[i+1])
			}
		}
	}
	return shown
}

// environment picks the variables that concern agentx, without secrets.
func environment(variables []string) map[string]string {
	ours := map[string]string{}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "AGENTX_") && !strings.HasPrefix(name, "AIPERF_") {
			continue
		}
		if wire.SecretName(name) {
			value = redacted
		}
		ours[name] = value
	}
	return ours
}
