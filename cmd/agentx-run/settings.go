package main

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"agentx/corpus/bundle"
	"agentx/internal/bundles"
	"agentx/internal/flags"
	"agentx/internal/measure"
	"agentx/internal/run"
	"agentx/wire"

	"github.com/urfave/cli/v3"
)

// settle finishes the options after parsing: lists given with commas, values that are words or numbers,
// and the record of what was set.
func settle(command *cli.Command, i *invocation, o *run.Options) error {
	err := errors.Join(
		flags.RefuseEmpty(command, "endpoint", "context-overflow-substrings"),
		flags.RefuseNegative(command, "trajectory-start-at", "http-dns-ttl"),
		settleRun(command, o),
		settleServer(command, o),
		settleLoad(command, o),
		settleSeries(command, o),
	)
	o.Wish = wish(command)
	o.Settings, o.Explicit = record(command)
	for name, value := range resolved(o) {
		o.Settings[name] = value
	}
	o.Args = redactArguments(command, i.line)
	o.Env = redactEnvironment(i.environment)
	if i.profile {
		o.Notes = append(o.Notes, run.Note{Level: "info", Code: "word_without_effect", Text: "the word profile has no effect: agentx-run takes the flags themselves"})
	}
	names, refused := answerPeer(command, o)
	o.Refused = slices.Concat(i.unknown, refused)
	if err = errors.Join(err, answerVariables(i, o)); err != nil {
		return errors.Join(append(o.Refused, err)...)
	}
	misspelt := slices.ContainsFunc(i.unknown, func(err error) bool { return errors.As(err, new(*flags.Misspelt)) })
	if len(o.Refused) > 0 && !misspelt { // a line that lacks what a misspelt flag was to set is another run
		o.Instead = instead(command, i, o, names)
	}
	return nil
}

// instead is the command line without the flags that were refused.
func instead(command *cli.Command, i *invocation, o *run.Options, refused []string) string {
	words := redactArguments(command, flags.Without(command.Flags, i.line, refused))
	for at, word := range words {
		words[at] = bundles.Quoted(word)
	}
	if o.Bundle == "" && !o.Wish.NamesDataset() {
		words = append(words, "--bundle", "NAME"+bundle.NamedSuffix)
	}
	return strings.Join(words, " ")
}

func settleRun(command *cli.Command, o *run.Options) error {
	o.Scenario = strings.TrimSpace(o.Scenario)
	for _, suffix := range []string{"_timeslices.csv", "_timeslices.json", "_console.txt", "_raw.jsonl", ".csv", ".jsonl", ".json"} {
		if cut, ok := strings.CutSuffix(o.ExportPrefix, suffix); ok {
			o.ExportPrefix = cut
			break
		}
	}
	switch ui := command.String("ui"); ui {
	case "dashboard":
		o.Dashboard, o.DashboardAsked = true, command.IsSet("ui")
	case "simple":
	case "none":
		o.Plain = true
	default:
		return fmt.Errorf("--ui is %q: expected dashboard, simple or none", ui)
	}
	return nil
}

func settleServer(command *cli.Command, o *run.Options) error {
	server := &o.Server
	server.URLs, server.Models = flags.CommaList(server.URLs), flags.CommaList(server.Models)
	server.MetricsURLs = flags.CommaList(server.MetricsURLs)
	server.BareURL = command.IsSet("endpoint") && server.Endpoint == ""
	server.Reuse = strings.ReplaceAll(strings.ToLower(server.Reuse), "_", "-")
	server.Connection.NoSessionAffinity = !command.Bool("x-session-affinity")
	if command.Bool("no-streaming") {
		server.Streaming = false
	}
	implied := func(flags ...string) bool { return slices.ContainsFunc(flags, command.IsSet) }
	server.ResetKVCache = server.ResetKVCache || !command.IsSet("reset-kv-cache") && implied("reset-kv-cache-path", "reset-kv-cache-timeout-seconds")
	server.Profiler = server.Profiler || !command.IsSet("server-profiler") &&
		implied("server-profiler-start-path", "server-profiler-stop-path", "server-profiler-timeout-seconds")
	server.ExtraInputs = singleInputs(server.ExtraInputs)
	for number, header := range server.Headers {
		if !strings.Contains(header, ":") { // the text itself may be a secret
			return fmt.Errorf("--header number %d: expected Name:Value or a JSON object", number+1)
		}
	}
	var err error
	if server.Proxy, err = proxyURL(server.Proxy); err != nil {
		return err
	}
	if file := command.String("api-key-file"); file != "" {
		key, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading --api-key-file: %w", err)
		}
		server.APIKey = strings.TrimSpace(string(key))
	}
	return nil
}

// proxyURL completes the URL of a proxy: host:port is one too.
func proxyURL(setting string) (string, error) {
	if setting == "" || setting == "environment" {
		return setting, nil
	}
	full := setting
	if !strings.Contains(full, "://") {
		full = "http://" + full
	}
	proxy, err := url.Parse(full)
	if err != nil || proxy.Scheme != "http" || proxy.Hostname() == "" || full != setting && proxy.Port() == "" {
		return "", fmt.Errorf("--proxy is %q: expected a URL such as http://proxy:3128, host:port, or environment", wire.RedactURL(setting))
	}
	return full, nil
}

// singleInputs splits items that share a word, as the peer allows: a:1,b:2. Objects stay whole.
func singleInputs(values []string) []string {
	var single []string
	for _, value := range values {
		if strings.HasPrefix(strings.TrimSpace(value), "{") {
			single = append(single, value)
			continue
		}
		single = append(single, flags.CommaList([]string{value})...)
	}
	return single
}

func settleLoad(command *cli.Command, o *run.Options) error {
	load := &o.Load
	points, err := concurrencies(command.String("concurrency"))
	if err != nil {
		return err
	}
	load.Concurrency = points[0]
	if len(points) > 1 {
		o.Series.Concurrencies = points
	}
	if load.Grace, err = secondsOrInf(command.String("benchmark-grace-period")); err != nil {
		return fmt.Errorf("--benchmark-grace-period: %w", err)
	}
	load.CacheBust = strings.ReplaceAll(strings.ToLower(load.CacheBust), "-", "_")
	if command.Bool("no-allow-dataset-wrap") {
		load.AllowWrap = false
	}
	if command.IsSet("context-overflow-substrings") {
		load.OverflowPhrases = []string{}
		for _, phrase := range command.StringSlice("context-overflow-substrings") {
			if phrase != "" {
				load.OverflowPhrases = append(load.OverflowPhrases, phrase)
			}
		}
	}
	return nil
}

// concurrencies reads one number, or several that are separated by commas.
func concurrencies(text string) ([]int, error) {
	var list []int
	for _, word := range flags.CommaList([]string{text}) {
		number, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("--concurrency is %q: expected a whole number, or several separated by commas", text)
		}
		list = append(list, number)
	}
	if len(list) == 0 {
		return nil, errors.New("--concurrency is empty: expected a whole number")
	}
	return list, nil
}

func settleSeries(command *cli.Command, o *run.Options) error {
	series := &o.Series
	series.FreshSeeds = !command.Bool("set-consistent-seed")
	if command.Bool("no-profile-run-disable-warmup-after-first") {
		series.NoWarmupAfterFirst = false
	}
	switch mode := command.String("parameter-sweep-mode"); mode {
	case "repeated":
	case "independent":
		series.PointsTogether = true
	default:
		return fmt.Errorf("--parameter-sweep-mode is %q: expected repeated or independent", mode)
	}
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

// wish collects the data set and content flags that the user gave.
func wish(command *cli.Command) bundles.Wish {
	wish := bundles.Wish{}
	for _, flag := range bundles.Flags() {
		if command.IsSet(flag) {
			wish[flag] = command.Value(flag)
		}
	}
	return wish
}

// answerPeer answers flags of the peer that mean nothing here: those that would change what is sent are
// refused, unless a scenario judges them; the others get a line. It gives the main names of the refused and an
// error for each answer, which names all flags that have it.
func answerPeer(command *cli.Command, o *run.Options) (names []string, refused []error) {
	var answers []string
	byAnswer := map[string][]string{}
	for _, peer := range peerFlags() {
		name := peer.flag.Names()[0]
		value := command.Value(name)
		if !command.IsSet(name) || value == false || peer.quiet != "" && strings.ReplaceAll(command.String(name), "_", "-") == peer.quiet {
			continue
		}
		switch {
		case !peer.changes:
			o.Notes = append(o.Notes, run.Note{Level: "info", Code: "flag_without_effect", Text: o.Spelling("--"+name) + " has no effect: " + peer.answer})
		case o.Scenario != "" && peer.answer == answerPace:
			if o.UnsafeOverride { // without it the scenario refuses
				o.Notes = append(o.Notes, run.Note{Level: "warning", Code: "flag_without_effect", Text: o.Spelling("--"+name) + " has no effect: " + peer.answer})
			}
		default:
			names = append(names, name)
			if byAnswer[peer.answer] == nil {
				answers = append(answers, peer.answer)
			}
			byAnswer[peer.answer] = append(byAnswer[peer.answer], "--"+name)
		}
	}
	for _, answer := range answers {
		flags := byAnswer[answer]
		verb := "is"
		if len(flags) > 1 {
			verb = "are"
		}
		refused = append(refused, fmt.Errorf("%s %s not of agentx-run: %s", strings.Join(flags, ", "), verb, answer))
	}
	return names, refused
}

// answerVariables tells of environment variables that do nothing.
func answerVariables(i *invocation, o *run.Options) error {
	unknown, idle := noteVariables(i.environment, i.known)
	for _, name := range unknown {
		o.Notes = append(o.Notes, run.Note{Level: "warning", Code: "unknown_variable", Text: "environment variable " + name + " is not known: see agentx-run --help for those that are"})
	}
	if len(idle) > 0 {
		o.Notes = append(o.Notes, run.Note{Level: "info", Code: "variables_without_effect", Text: "environment variables without effect here: " + strings.Join(idle, ", ")})
	}
	return checkThresholds(i.environment)
}

// checkThresholds: they are read from the log by whoever computes with them, so they must be right there.
func checkThresholds(environment []string) error {
	for _, threshold := range measure.Thresholds() {
		var before string
		for _, variable := range environment {
			name, value, _ := strings.Cut(variable, "=")
			if value == "" || !slices.Contains(threshold.Names[:], name) {
				continue
			}
			if _, ok := threshold.Read(value); !ok {
				expected := "0 or more"
				if threshold.Most == 1 {
					expected = "0 to 1"
				}
				return fmt.Errorf("environment variable %s is %q: expected %s", name, value, expected)
			}
			if before != "" && before != value {
				return fmt.Errorf("environment variables %s and %s differ: unset one of them", threshold.Names[0], threshold.Names[1])
			}
			before = value
		}
	}
	return nil
}
