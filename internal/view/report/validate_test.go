package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/internal/measure/logtest"
)

func TestEveryExportFitsItsSchema(t *testing.T) {
	whole := logtest.Mixed()
	for rows := 1; rows <= whole.Len(); rows += 5 {
		dir := exported(t, analyzed(t, whole.Cut(rows)), Set{HTTPTrace: true, Outputs: true})
		for _, name := range schemaNames() {
			if err := Validate(filepath.Join(dir, name)); err != nil {
				t.Fatalf("cut after %d rows: %v", rows, err)
			}
		}
	}
	dir := exported(t, analyzed(t, whole), Set{HTTPTrace: true})
	for _, name := range schemaNames() {
		if err := Validate(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if len(schemaNames()) != 7 {
		t.Errorf("schemas for %v", schemaNames())
	}
}

func TestValidateNamesWhatIsWrong(t *testing.T) {
	dir := exported(t, analyzed(t, logtest.Mixed()), Set{})
	for _, c := range []struct{ name, old, new, want string }{
		{"validity.json", `"is_complete": true`, `"is_complete": "yes"`, "$.is_complete is string, expected boolean"},
		{"validity.json", `"is_complete": true,`, ``, "$ lacks is_complete"},
		{"validity.json", `"result": "pass"`, `"result": "maybe"`, "expected one of"},
		{"records.jsonl", `"outcome":"overflow"`, `"outcome":"over"`, "line 9"},
		{"report.json", `"max": "inf"`, `"max": "much"`, "fits none of the forms"},
		{"profile_export_aiperf.json", `"avg": 200,`, `"avg": null,`, "is null, expected number"},
		{"report.json", "{", "{{", "invalid character"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, c.name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), c.old) {
			t.Fatalf("%s has no %s", c.name, c.old)
		}
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), c.old, c.new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		var invalid *InvalidError
		if err := Validate(path); !errors.As(err, &invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s: %v, want %q", c.name, c.new, err, c.want)
		}
	}
	if err := Validate(filepath.Join(dir, "swim_lane.html")); err == nil || !strings.Contains(err.Error(), "report.json") {
		t.Errorf("a file without a schema: %v", err)
	}
}
