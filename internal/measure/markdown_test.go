package measure

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write docs/metrics.md instead of comparing with it")

func TestMarkdownIsCurrent(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "metrics.md")
	if *update {
		if err := os.WriteFile(path, []byte(Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != Markdown() {
		t.Errorf("%s differs from the table of definitions: run go test ./internal/measure -run Markdown -update", path)
	}
}

func TestEveryDefinitionIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Definitions() {
		if seen[d.Tag] {
			t.Errorf("%s is defined twice", d.Tag)
		}
		seen[d.Tag] = true
		if d.Header == "" || d.Unit == "" || d.Formula == "" || d.Source == "" {
			t.Errorf("%s lacks header, unit, formula or source: %+v", d.Tag, d)
		}
		if (d.Family == FamilyScalar) != (d.scalar != nil) {
			t.Errorf("%s is %v but has a run-level function: %v", d.Tag, d.Family, d.scalar != nil)
		}
		perRecord := d.Family == FamilyRecord || d.Family == FamilyError || d.Family == FamilyCounter || d.Family == FamilyAdjusted
		if perRecord && d.value == nil {
			t.Errorf("%s is %v but has no value for a record", d.Tag, d.Family)
		}
	}
}
