package main

import (
	"fmt"
	"slices"
	"strings"

	"agentx/internal/mockserver"
)

// hostile compares the lateness of a run with that of runs in which every second request after the warmup
// meets one of the misbehaviours in turn. Floods are a row of their own. The built-in server makes all of it
// on the processors that the client has, so it gets only what the client leaves. (Those that strike at
// accept count connections, not requests, and are left out.)
func (s *suite) hostile() error {
	const lanes = 32
	var calm, all []mockserver.Behaviour
	for _, behaviour := range mockserver.Behaviours() {
		if strings.HasSuffix(behaviour.Name, "_at_accept") {
			continue
		}
		all = append(all, behaviour)
		if !slices.Contains(floods(), behaviour.Name) {
			calm = append(calm, behaviour)
		}
	}
	for _, row := range []struct {
		name    string
		meeting []mockserver.Behaviour
	}{{"all well", nil}, {fmt.Sprintf("%d misbehaviours", len(calm)), calm}, {fmt.Sprintf("%d, with floods", len(all)), all}} {
		if !s.wants(row.name) {
			continue
		}
		var rules []mockserver.Rule
		for i, behaviour := range row.meeting {
			rules = append(rules, mockserver.Rule{Fault: behaviour.Name, From: int64(2*lanes + 2*i), Every: int64(2 * len(row.meeting))})
		}
		faults, err := s.faultsFile(mockserver.Faults{Rules: rules})
		if err != nil {
			return err
		}
		l := &setup{name: row.name, idle: true, lanes: lanes, promptTokens: 9_600, outTokens: 16, seconds: s.length(30),
			server: []string{"--overhead-ms", "50", "--token-ms", "5", "--faults", faults},
			run:    []string{"--request-timeout-seconds", "3", "--finish-grace-seconds", "0.5", "--overflow-backoff", "0"}}
		t, err := s.measure(l)
		if err != nil {
			return err
		}
		t.print(l)
		fmt.Printf("    after a plain answer on the lane (the others wait for the end of a bad one): lateness p50 %.3f, p99 %.3f ms of %d requests\n",
			quantile(t.calmLate, 0.5), quantile(t.calmLate, 0.99), len(t.calmLate))
	}
	return nil
}

// floods are the misbehaviours that are made of megabytes.
func floods() []string {
	return []string{"error_body_huge", "error_body_endless", "head_without_end", "long_line", "line_over_bound", "line_without_end", "event_flood", "blank_flood"}
}
