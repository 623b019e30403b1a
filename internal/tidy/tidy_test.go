// Package tidy enforces the dependency law of docs/design.md: which package may import which.
package tidy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows lists, for each package, the agentx packages that its non-test code may import, and why the
// row is as it is. A package that is not listed fails the test: new rooms get a row first.
var arrows = map[string]struct {
	may []string
	why string
}{
	"corpus":               {nil, "pure data and rules of recordings"},
	"corpus/weka":          {[]string{"corpus"}, "reads one input format into corpus types"},
	"corpus/bundle":        {[]string{"corpus"}, "stores plans and text; knows nothing of runs"},
	"sched":                {[]string{"corpus"}, "the pure replay machine: plans in, decisions out"},
	"wire":                 {nil, "one exchange on a socket; reusable on its own"},
	"eventlog":             {nil, "plain ids, numbers, bytes: old logs stay readable"},
	"internal/synth":       {[]string{"corpus"}, "tokenizers and filler text"},
	"internal/prep":        {[]string{"corpus", "corpus/weka", "corpus/bundle", "internal/synth", "internal/progress", "internal/hub", "internal/scenario"}, "the only place where reader, rules, text and bundle meet"},
	"internal/bundles":     {[]string{"corpus", "corpus/bundle", "internal/prep", "internal/scenario", "internal/synth"}, "holds bundles against the data set flags of a run"},
	"internal/hub":         {nil, "downloads from a hub"},
	"internal/progress":    {nil, "bars and plain lines on a terminal"},
	"internal/schedlog":    {[]string{"corpus", "sched", "eventlog"}, "machine inputs and events as log rows, both ways"},
	"internal/servermodel": {nil, "pure model of an inference server"},
	"internal/mockserver":  {[]string{"internal/servermodel"}, "HTTP face of the model; token counting comes in by interface"},
	"internal/simulate":    {[]string{"corpus", "corpus/bundle", "sched", "eventlog", "internal/schedlog", "internal/servermodel"}, "the machine under a virtual clock"},
	"internal/run":         {[]string{"corpus", "corpus/bundle", "sched", "wire", "eventlog", "internal/schedlog", "internal/synth", "internal/prompt", "internal/buildinfo", "internal/exit", "internal/measure", "internal/view", "internal/scenario", "internal/progress", "internal/servermodel", "internal/mockserver", "internal/simulate", "internal/serverinfo", "internal/bundles", "internal/rawlog", "internal/watch", "internal/probe"}, "the only place where machine, wire, bundle, log and clock meet"},
	"internal/prompt":      {[]string{"corpus", "sched", "wire"}, "prompts from plan, text and marker, for run, audit and pages"},
	"internal/audit":       {[]string{"corpus", "corpus/bundle", "sched", "wire", "eventlog", "internal/schedlog", "internal/prompt", "internal/synth"}, "holds a log against the machine, the wire facts and the bundle"},
	"internal/rawlog":      {[]string{"corpus/bundle", "sched", "wire", "eventlog", "internal/prompt", "internal/audit", "internal/view"}, "requests and answers as they went, for what view exports"},
	"internal/analyze":     {[]string{"corpus", "corpus/bundle", "sched", "eventlog", "internal/exit", "internal/audit", "internal/prompt", "internal/measure", "internal/view", "internal/rawlog", "internal/compare", "internal/watch"}, "opens a run and hands it to what measures, shows and audits"},
	"internal/serverinfo":  {[]string{"wire", "internal/promtext"}, "identity, readiness, metrics pages of a server"},
	"internal/probe":       {[]string{"wire", "internal/serverinfo"}, "one or two requests that show what a replay would meet"},
	"internal/promtext":    {nil, "metrics pages of servers, read in one place"},
	"internal/measure":     {[]string{"corpus", "corpus/bundle", "sched", "eventlog", "internal/schedlog", "internal/scenario", "internal/promtext"}, "folds over events; only the audits open plans and the bundle"},
	"internal/compare":     {[]string{"internal/measure"}, "comparability, differences and their chances; only numbers"},
	"internal/watch":       {[]string{"eventlog", "internal/promtext", "internal/view"}, "a live view that reads the log and nothing else"},
	"internal/view":        {[]string{"corpus", "corpus/bundle", "eventlog", "internal/measure", "internal/compare", "internal/scenario", "internal/promtext"}, "renders what measure computed"},
	"internal/scenario":    {nil, "lock rules and violations, as data"},
	"internal/samplegen":   {[]string{"corpus"}, "makes the sample corpus in testdata"},
	"internal/buildinfo":   {nil, "version and commit"},
	"internal/exit":        {nil, "exit codes"},
	"internal/heap":        {nil, "when a program collects its garbage"},
	"internal/flags":       {[]string{"internal/exit", "internal/buildinfo"}, "what the three programs' flags share"},
	"internal/clidoc":      {nil, "reference of commands and flags from their definitions"},
	"internal/benchhost":   {nil, "the machine's accounting of measured programs"},
	"internal/benchrun":    {[]string{"eventlog", "internal/benchhost", "internal/mockserver"}, "measures agentx-run beside the built-in server; a program of its own"},
	"internal/dist":        {[]string{"internal/view"}, "packs the programs with their licences; a program of its own"},
	"internal/e2e":         {nil, "tests of the programs against real servers, nothing else"},
	"internal/benchreport": {[]string{"eventlog", "internal/benchhost", "internal/measure"}, "measures agentx-analyze on a large log; a program of its own"},
	"internal/benchprep":   {[]string{"internal/benchhost"}, "measures agentx-prep on recorded traces; a program of its own"},
	"internal/tidy":        {nil, "this test"},

	"internal/compare/runtest": {[]string{"corpus", "sched", "eventlog", "internal/measure", "internal/simulate", "internal/servermodel"}, "runs in memory, for tests only"},
}

// commands may import any internal package: they only turn flags into one call.
const commandPrefix = "cmd/"

func TestDependencyLaw(t *testing.T) {
	for _, pkg := range listPackages(t) {
		name := strings.TrimPrefix(pkg.ImportPath, "agentx/")
		if strings.HasPrefix(name, commandPrefix) {
			continue
		}
		row, known := arrows[name]
		if !known && !isPartOfKnown(name) {
			t.Errorf("package %s has no row in arrows: say what it may import, and why", name)
			continue
		}
		if !known {
			row = arrows[parentRoom(name)]
		}
		for _, imported := range pkg.Imports {
			target, ours := strings.CutPrefix(imported, "agentx/")
			if !ours || parentRoom(target) == parentRoom(name) {
				continue
			}
			if !slices.Contains(row.may, target) && !slices.Contains(row.may, parentRoom(target)) {
				t.Errorf("%s imports %s, but it may import only %v (%s)", name, target, row.may, row.why)
			}
		}
	}
}

// parentRoom is the listed package that name is or lies below, else name itself.
func parentRoom(name string) string {
	for room := name; room != ""; {
		if _, known := arrows[room]; known {
			return room
		}
		cut := strings.LastIndex(room, "/")
		if cut < 0 {
			break
		}
		room = room[:cut]
	}
	return name
}

func isPartOfKnown(name string) bool { return parentRoom(name) != name }

type listedPackage struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	command := exec.Command("go", "list", "-json=ImportPath,Imports", "agentx/...")
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listedPackage
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var pkg listedPackage
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list output: %v", err)
		}
		packages = append(packages, pkg)
	}
}
