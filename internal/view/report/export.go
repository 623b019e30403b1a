package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"agentx/internal/measure"
)

// Set says which files to write.
type Set struct {
	Level     string   // summary, records or raw; empty: records
	Only      []string // names of files (without prefix); empty: all of the level
	Prefix    string   // --profile-export-prefix: renames the peer's files
	HTTPTrace bool     // --export-http-trace: trace_data in profile_export.jsonl
	Outputs   bool     // --export-outputs-json
	ShowTrace bool     // --show-trace-timing: connection times in the console text
	Raw       Raw      // for the raw level, and for the texts in outputs.json; nil: none
	// Everything asks for the files that are written on demand only: records.parquet and metrics.txt
	// (OpenMetrics). Only can name them too.
	Everything bool
}

// file is one exported file.
type file struct {
	name  string
	level string // summary, records or raw: the lowest that has it
	write writer
	want  func(*measure.Analysis, *Set) bool // nil: always, at its level
	needs *need                              // nil: nothing
}

// need is what a run must have had for a file to say anything.
type need struct {
	met  func(*measure.Analysis) bool
	lack string // what a run that does not meet it lacks
}

type writer func(io.Writer, *measure.Analysis, *Set) error

func files() []file {
	asJSON := func(make func(*measure.Analysis) object) writer {
		return func(w io.Writer, a *measure.Analysis, _ *Set) error { return pretty(w, make(a)) }
	}
	plain := func(write func(io.Writer, *measure.Analysis) error) writer {
		return func(w io.Writer, a *measure.Analysis, _ *Set) error { return write(w, a) }
	}
	console := func(w io.Writer, a *measure.Analysis, set *Set) error {
		return Summary(w, a, ConsoleOptions{HTTPTrace: set.ShowTrace})
	}
	records := func(w io.Writer, a *measure.Analysis, set *Set) error { return peerRecords(w, a, set.HTTPTrace) }
	sliced := func(a *measure.Analysis, _ *Set) bool { return a.SliceNs() > 0 }
	scraped := &need{func(a *measure.Analysis) bool { return a.Server != nil }, "no metrics page of a server was read in this run"}
	probed := &need{func(a *measure.Analysis) bool { return len(a.Network) > 0 }, "the run had no --network-latency-automatic"}
	onDemand := func(_ *measure.Analysis, set *Set) bool { return set.Everything }
	outputs := func(_ *measure.Analysis, set *Set) bool { return set.Outputs }
	return []file{
		{name: "profile_export_aiperf.json", level: "summary", write: asJSON(profile)},
		{name: "profile_export_aiperf.csv", level: "summary", write: plain(profileCSV)},
		{name: "profile_export_console.txt", level: "summary", write: console},
		{name: "profile_export.jsonl", level: "records", write: records},
		{name: rawName, level: "raw", write: rawRecords},
		{name: "records.jsonl", level: "records", write: plain(fullRecords)},
		{name: "profile_export_aiperf_timeslices.json", level: "summary", write: asJSON(sliceFile), want: sliced},
		{name: "profile_export_aiperf_timeslices.csv", level: "summary", write: plain(sliceCSV), want: sliced},
		{name: "outputs.json", level: "summary", write: outputsFile, want: outputs},
		{name: "server_metrics_export.json", level: "summary", write: asJSON(serverFile), needs: scraped},
		{name: "server_metrics_export.csv", level: "summary", write: plain(serverCSV), needs: scraped},
		{name: networkName, level: "summary", write: plain(networkLatency), needs: probed},
		{name: "report.json", level: "summary", write: asJSON(fullReport)},
		{name: "validity.json", level: "summary", write: asJSON(validityFile)},
		{name: "errors.jsonl", level: "summary", write: plain(errorsFile)},
		{name: "sessions.jsonl", level: "summary", write: plain(sessionsFile)},
		{name: "records.parquet", level: "records", write: plain(parquetRecords), want: onDemand},
		{name: "metrics.txt", level: "summary", write: plain(openMetrics), want: onDemand},
	}
}

// FileNames lists the names that Set.Only may have.
func FileNames() []string {
	var names []string
	for _, f := range files() {
		names = append(names, f.name)
	}
	return names
}

// rawName is the file of the raw level.
const rawName = "profile_export_raw.jsonl"

// NeedsRaw says whether the set has files that Set.Raw is for.
func (s *Set) NeedsRaw() bool {
	if len(s.Only) > 0 {
		return slices.Contains(s.Only, rawName) || slices.Contains(s.Only, "outputs.json")
	}
	return s.Level == "raw" || s.Outputs
}

// Marker is the name of the completion marker, which is written last.
const Marker = ".aiperf_results_ready.json"

// Export writes the files of a set into a folder and gives their paths. Each appears under its name
// when it is whole; the completion marker is taken away first and comes last.
func Export(dir string, a *measure.Analysis, set Set) ([]string, error) {
	for _, name := range set.Only {
		if !slices.Contains(FileNames(), name) {
			return nil, fmt.Errorf("export: no file is called %q: expected some of %v", name, FileNames())
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	marker := filepath.Join(dir, Marker)
	if err := os.Remove(marker); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("export: %w", err)
	}
	written, err := writeFiles(dir, a, &set)
	if err != nil {
		return written, err
	}
	var ready object
	ready.set("ready", true).set("was_cancelled", a.Verdict.Cancelled).set("partial", !a.Verdict.Complete)
	return written, writeWhole(marker, func(w io.Writer) error { return (&lines{to: w}).write(ready) }, 0o600)
}

// Unwritten says, for each file that Only names and a run has nothing for, what is lacking.
func (s *Set) Unwritten(a *measure.Analysis) []string {
	var reasons []string
	for _, f := range files() {
		if slices.Contains(s.Only, f.name) && f.needs != nil && !f.needs.met(a) {
			reasons = append(reasons, f.name+" is not written: "+f.needs.lack)
		}
	}
	return reasons
}

// writers is how many files are written at the same time; the two record files take longest.
const writers = 2

// writeFiles writes the files and gives their paths in the order of the table, up to the first that
// failed.
func writeFiles(dir string, a *measure.Analysis, set *Set) ([]string, error) {
	type job struct {
		path string
		done chan error
	}
	var jobs []job
	free := make(chan struct{}, writers)
	for _, f := range files() {
		if !wanted(&f, a, set) {
			continue
		}
		j := job{filepath.Join(dir, prefixed(f.name, set.Prefix)), make(chan error, 1)}
		jobs = append(jobs, j)
		free <- struct{}{}
		go func() {
			j.done <- writeWhole(j.path, func(w io.Writer) error { return f.write(w, a, set) }, 0o644)
			<-free
		}()
	}
	var written []string
	var first error
	for _, j := range jobs {
		err := <-j.done
		if first == nil && err == nil {
			written = append(written, j.path)
		}
		if first == nil {
			first = err
		}
	}
	return written, first
}

func wanted(f *file, a *measure.Analysis, set *Set) bool {
	if f.needs != nil && !f.needs.met(a) {
		return false
	}
	if len(set.Only) > 0 {
		return slices.Contains(set.Only, f.name)
	}
	if f.level == "raw" && set.Level != "raw" || set.Level == "summary" && f.level != "summary" {
		return false
	}
	return f.want == nil || f.want(a, set)
}

// renamedSuffixes are the endings of the peer's files under --profile-export-prefix, by name; ours keep
// their names.
func renamedSuffixes() map[string]string {
	return map[string]string{
		"profile_export_aiperf.json": ".json", "profile_export_aiperf.csv": ".csv", "profile_export.jsonl": ".jsonl",
		"profile_export_console.txt": "_console.txt", "profile_export_aiperf_timeslices.json": "_timeslices.json",
		"profile_export_aiperf_timeslices.csv": "_timeslices.csv", rawName: "_raw.jsonl", networkName: "_network_latency.jsonl",
	}
}

// prefixed is the name of a file under a prefix.
func prefixed(name, prefix string) string {
	suffix, renamed := renamedSuffixes()[name]
	if prefix == "" || !renamed {
		return name
	}
	return prefix + suffix
}

// writeWhole writes a file under a temporary name beside it and renames it.
func writeWhole(path string, write func(io.Writer) error, mode os.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer os.Remove(temp.Name()) // nothing is left there after the rename
	buffered := bufio.NewWriterSize(temp, 1<<16)
	err = write(buffered)
	err = errors.Join(err, buffered.Flush(), temp.Chmod(mode), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("export: writing %s: %w", path, err)
	}
	return nil
}
