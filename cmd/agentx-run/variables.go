package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentx/internal/flags"
	"agentx/internal/measure"
)

// variables are environment variables whose value is not that of their flag.
func variables() []flags.Variable {
	both := func(name string) []string { return []string{"AGENTX_" + name, "AIPERF_" + name} }
	return []flags.Variable{
		{Names: both("HTTP_SSL_VERIFY"), Flag: "tls-skip-verify", Values: whenOff("true")},
		{Names: both("HTTP_TRUST_ENV"), Flag: "proxy", Values: whenOn("environment")},
		{Names: both("HTTP_FORCE_CLOSE"), Flag: "connection-reuse-strategy", Values: whenOn("never")},
		{Names: both("HTTP_USE_DNS_CACHE"), Flag: "http-dns-ttl", Values: whenOff("-1")},
		{Names: both("HTTP_TCP_USER_TIMEOUT"), Flag: "http-tcp-user-timeout", Values: fromMilliseconds},
		{Names: both("DAG_FAIL_FAST"), Flag: "dag-fail-fast", Values: failFast},
		{Names: append(both("AGENTX_CONTEXT_OVERFLOW_SUBSTRINGS"), "AGENTX_CONTEXT_OVERFLOW_SUBSTRINGS"), Flag: "context-overflow-substrings", Values: jsonList},
	}
}

func whenOn(value string) func(string) ([]string, error) {
	return func(given string) ([]string, error) {
		if on, err := flags.Switch(given); err != nil || !on {
			return nil, err
		}
		return []string{value}, nil
	}
}

func whenOff(value string) func(string) ([]string, error) {
	return func(given string) ([]string, error) {
		if on, err := flags.Switch(given); err != nil || on {
			return nil, err
		}
		return []string{value}, nil
	}
}

func fromMilliseconds(given string) ([]string, error) {
	ms, err := strconv.ParseFloat(given, 64)
	if err != nil {
		return nil, fmt.Errorf("%q: expected a number of milliseconds", given)
	}
	return []string{strconv.FormatFloat(ms/1000, 'g', -1, 64)}, nil
}

// failFast: the peer's variable is a switch, which ends the run (spec decision 11).
func failFast(given string) ([]string, error) {
	if given == "tree" || given == "run" {
		return []string{given}, nil
	}
	on, err := flags.Switch(given)
	if err != nil {
		return nil, fmt.Errorf("%q: expected true, false, tree or run", given)
	}
	if on {
		return []string{"run"}, nil
	}
	return []string{"off"}, nil
}

// jsonList: an empty list switches the phrases off, which the flag says by one empty phrase.
func jsonList(given string) ([]string, error) {
	var list []string
	if err := json.Unmarshal([]byte(given), &list); err != nil {
		return nil, fmt.Errorf("%q: expected a JSON list of texts", given)
	}
	if len(list) == 0 {
		return []string{""}, nil
	}
	return list, nil
}

// elsewhere are variables that are read by other parts of the project, or from the log by an analysis.
func elsewhere() []string {
	names := []string{"AGENTX_MOCK_API_KEY", "AGENTX_SERVERS", "AGENTX_SHARED"}
	for _, threshold := range measure.Thresholds() {
		names = append(names, threshold.Names[:]...)
	}
	return names
}

// noteVariables tells of variables of the project that do nothing here: ours with a name that does not
// exist are a mistake; the peer's without a counterpart are named once (spec decision 23).
func noteVariables(environment, known []string) (unknown, idle []string) {
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if value == "" || slices.Contains(known, name) || slices.Contains(elsewhere(), name) {
			continue
		}
		switch own, peers := strings.HasPrefix(name, "AGENTX_"), strings.HasPrefix(name, "AIPERF_"); {
		case own && !slices.Contains(peerOnly(), strings.TrimPrefix(name, "AGENTX_")):
			unknown = append(unknown, name)
		case own || peers:
			idle = append(idle, name)
		}
	}
	slices.Sort(unknown)
	slices.Sort(idle)
	return unknown, idle
}

// peerOnly are the peer's settings without a counterpart, without their prefix.
func peerOnly() []string {
	return []string{
		"AGENTX_RECYCLE_GUARD_MAX_WINDOW", "RECYCLE_GUARD_MAX_WINDOW", "ENDPOINT_FORCE_CONTENT_PARTS", "HTTP_ENABLE_CLEANUP_CLOSED",
		"HTTP_METRICS_SCRAPE_READ_TIMEOUT", "DATASET_CONFIGURATION_TIMEOUT", "SERVICE_PROFILE_CONFIGURE_TIMEOUT",
		"DATASET_MMAP_CACHE_ENABLED", "DATASET_MMAP_CACHE_DIR", "DATASET_WEKA_PARALLEL_WORKERS", "DATASET_WEKA_PARALLEL_THRESHOLD",
		"SERVICE_WARMUP_PROGRESS_LOG_INTERVAL", "SERVICE_CREDIT_PROGRESS_REPORT_INTERVAL", "SERVICE_HEARTBEAT_INTERVAL", "SERVICE_HEARTBEAT_MISSED_THRESHOLD",
		"TIMING_CANCEL_DRAIN_TIMEOUT", "METRICS_LIST_BACKEND", "METRICS_TDIGEST_COMPRESSION", "RECORD_EXPORT_BATCH_SIZE", "RECORD_RAW_EXPORT_BATCH_SIZE", "RECORD_STRIP_PAYLOAD_BYTES",
		"RECORD_COMPLETION_STALL_TIMEOUT", "UI_REALTIME_METRICS_INTERVAL", "UI_REALTIME_METRICS_ENABLED",
	}
}
