package http2faults

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of behaviours into docs/mock-server.md")

// TestDocumentListsTheBehaviours: the table in the documentation is the one in the code.
func TestDocumentListsTheBehaviours(t *testing.T) {
	const path = "../../../docs/mock-server.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const opening, closing = "http2faults -run Document -update -->\n", "<!-- end of http2 -->\n"
	before, rest, found := strings.Cut(string(raw), opening)
	_, after, closed := strings.Cut(rest, closing)
	if !found || !closed {
		t.Fatalf("%s has lost the marks around its table", path)
	}
	var table strings.Builder
	table.WriteString("| name | on the wire | outcome | class |\n|---|---|---|---|\n")
	for _, b := range Behaviours() {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", b.Name, b.Does, b.Outcome, b.Class)
	}
	want := before + opening + table.String() + closing + after
	if want == string(raw) {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date: go test ./internal/mockserver/http2faults -run Document -update", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
