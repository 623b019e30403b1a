package invariants_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/internal/schedlog/invariants"
	"agentx/sched"
	"agentx/sched/schedtest"
)

// script loads a scenario of sched.
func script(t testing.TB, name string) *schedtest.Script {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../sched/testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := schedtest.Parse(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

type failer interface{ Fatal(args ...any) }

// record plays a scenario and gives the rows of its log.
func record(t failer, script *schedtest.Script) []eventlog.Event {
	encoder := schedlog.NewEncoder(script.Config)
	var rows []eventlog.Event
	err := script.Observe(func(now int64, input sched.Input, events []sched.Event) error {
		return encoder.Encode(now, input, events, func(row eventlog.Event) (eventlog.Seq, error) {
			row = row.Clone()
			row.Seq = eventlog.Seq(len(rows) + 1)
			rows = append(rows, row)
			return row.Seq, nil
		}, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// violations checks rows.
func violations(t failer, script *schedtest.Script, rows []eventlog.Event) []invariants.Violation {
	var found []invariants.Violation
	check := invariants.New(script.Plans, func(v invariants.Violation) { found = append(found, v) })
	for _, row := range rows {
		if err := check.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	check.End(false)
	return found
}

// TestScriptsHold checks the log of every scenario script.
func TestScriptsHold(t *testing.T) {
	names, err := filepath.Glob("../../../sched/testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, name := range names {
		name = strings.TrimSuffix(filepath.Base(name), ".txt")
		s := script(t, name)
		for _, v := range violations(t, s, record(t, s)) {
			t.Errorf("%s: %v", name, v)
		}
	}
}

// TestRandomScenariosHold checks the logs of random scenarios.
func TestRandomScenariosHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := schedtest.Random(t)
		found := violations(t, s, record(t, s))
		if len(found) == 0 {
			return
		}
		if played, err := s.Play(); err == nil {
			t.Log(strings.Join(played.Log(), "\n"))
		}
		t.Logf("%+v", s.Config)
		for _, v := range found {
			t.Error(v)
		}
	})
}
