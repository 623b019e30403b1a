package invariants_test

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zeebo/blake3"

	"agentx/eventlog"
	"agentx/internal/analyze"
	"agentx/internal/exit"
	"agentx/sched/schedtest"
)

// writeLog makes a log file of a scenario's rows as a run would: whole and with a right chain, whatever the
// rows say.
func writeLog(t *testing.T, path string, script *schedtest.Script, rows []eventlog.Event) {
	t.Helper()
	writer, err := eventlog.Create(path, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(event eventlog.Event, err error) eventlog.Seq {
		t.Helper()
		var seq eventlog.Seq
		if err == nil {
			seq, err = writer.Add(event)
		}
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	config := eventlog.RunConfig{Schema: eventlog.SchemaVersion, Program: "agentx-run", Simulated: true, Models: []string{"mock"}}
	for _, plan := range script.Plans {
		config.Bundle.Traces = append(config.Bundle.Traces, string(plan.Trace))
	}
	add(eventlog.NewPayload(eventlog.KindRunConfig, 0, config))
	for i, plan := range script.Plans {
		text, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		digest := blake3.Sum256(text)
		if err := writer.AddPlan(digest, text); err != nil {
			t.Fatal(err)
		}
		add(eventlog.NewPayload(eventlog.KindModelMap, 0, eventlog.ModelMap{
			Plan: i, Trace: string(plan.Trace), Digest: fmt.Sprintf("%x", digest), Recorded: plan.Models, Sent: plan.Models,
		}))
	}
	renamed := map[eventlog.Seq]eventlog.Seq{}
	for _, row := range rows {
		was := row.Seq
		row.Cause = renamed[row.Cause]
		renamed[was] = add(row, nil)
	}
	add(eventlog.NewPayload(eventlog.KindRunEnd, rows[len(rows)-1].AtNs, eventlog.RunEnd{Reason: "duration"}))
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestVerifyNoticesBrokenLogs gives the broken logs as files to `agentx-analyze verify`: it ends with the code
// for damage and names the invariant and the events concerned. The chains of the files are right: nothing but
// the schedule tells. A scenario has no wire, which verify says in all of them and which does not count here.
func TestVerifyNoticesBrokenLogs(t *testing.T) {
	whole := map[string]bool{}
	for _, b := range brokenLogs() {
		s, rows := b.play(t)
		if !whole[b.script] {
			whole[b.script] = true
			if said, _ := verify(t, s, rows); strings.Contains(said, "disagreement: I") || strings.Contains(said, "disagreement: machine") {
				t.Fatalf("%s is broken by itself:\n%s", b.script, said)
			}
		}
		if b.invariant == 29 && b.name == "a row is missing" {
			continue // the writer of a file numbers its rows densely; that a number is missing is damage of the file
		}
		said, err := verify(t, s, b.fault(t, rows))
		if exit.Code(err) != exit.Damage {
			t.Errorf("%s: exit code %d: %v", b.name, exit.Code(err), err)
		}
		if want := fmt.Sprintf("disagreement: I%d: event", b.invariant); !strings.Contains(said, want) {
			t.Errorf("%s: verify does not say %q:\n%s", b.name, want, said)
		}
	}
}

// verify writes a log and has it verified.
func verify(t *testing.T, script *schedtest.Script, rows []eventlog.Event) (said string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.db")
	writeLog(t, path, script, rows)
	var out strings.Builder
	err = analyze.Verify(&out, io.Discard, path, analyze.VerifyOptions{})
	return out.String(), err
}
