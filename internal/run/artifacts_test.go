package run

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentx/eventlog"
	"agentx/internal/view/report"
)

func TestArtifactDirOfAutomaticNameNeverReusesARun(t *testing.T) {
	t.Chdir(t.TempDir())
	o := &Options{Server: ServerOptions{Models: []string{"org/m"}}, Load: LoadOptions{Concurrency: 3}}
	for _, want := range []string{"org_m-openai-chat-concurrency3", "org_m-openai-chat-concurrency3-2", "org_m-openai-chat-concurrency3-3"} {
		dirs, err := artifactDirs(o)
		if err != nil || !slices.Equal(dirs, []string{filepath.Join("artifacts", want)}) {
			t.Fatalf("folder is %q, %v; want %q", dirs, err, want)
		}
		put(t, dirs[0], logName)
	}
}

func put(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestArtifactDirThatIsGivenIsRefusedUnlessOverwritten(t *testing.T) {
	dir := t.TempDir()
	stale := []string{logName, logName + "-wal", report.Marker, "profile_export_aiperf.json", "profile_runs/run_0001/run.db", "aggregate/x.json"}
	put(t, dir, append([]string{"mine.txt"}, stale...)...)
	o := &Options{ArtifactDir: dir, Load: LoadOptions{Concurrency: 1}}
	if _, err := artifactDirs(o); err == nil || !strings.Contains(err.Error(), "--overwrite") {
		t.Errorf("error is %v, want one that names --overwrite", err)
	}
	o.Overwrite = true
	if _, err := artifactDirs(o); err != nil {
		t.Fatal(err)
	}
	if err := claimDir(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range stale {
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s of the old run is still there: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "mine.txt")); err != nil {
		t.Errorf("a file of the user's is gone: %v", err)
	}
}

func TestRepetitionsInAFolderAreARunToo(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "profile_runs/run_0001/run.db")
	if _, err := artifactDirs(&Options{ArtifactDir: dir, Load: LoadOptions{Concurrency: 1}}); err == nil {
		t.Error("the folder of a series is reused")
	}
}

func TestEachConcurrencyHasAFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	o := &Options{Server: ServerOptions{Models: []string{"a", "b"}}, Series: SeriesOptions{Concurrencies: []int{4, 8}}}
	dirs, err := artifactDirs(o)
	if want := []string{"artifacts/a_multi-openai-chat-concurrency4", "artifacts/a_multi-openai-chat-concurrency8"}; err != nil || !slices.Equal(dirs, want) {
		t.Errorf("folders %q, %v; want %q", dirs, err, want)
	}
	o.ArtifactDir = "out"
	dirs, err = artifactDirs(o)
	if want := []string{"out/concurrency4", "out/concurrency8"}; err != nil || !slices.Equal(dirs, want) {
		t.Errorf("folders %q, %v; want %q", dirs, err, want)
	}
}

func TestAFolderThatARunWritesIntoIsNobodyElses(t *testing.T) {
	dir := t.TempDir()
	lock, err := lockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockDir(dir); err == nil || !strings.Contains(err.Error(), "a run is writing into") {
		t.Errorf("a second lock gives %v, want a refusal", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := lockDir(dir)
	if err != nil {
		t.Fatalf("the folder is free again, yet: %v", err)
	}
	_ = again.Close()
}

// A log below a folder that is too deep for SQLite is refused before anything is made, also where only the
// repetitions' folders are too deep.
func TestFoldersTooDeepForTheLogAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	top, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const repetition = len("/profile_runs/run_0001")
	room := eventlog.LongestPath - len(top) - len("/run.db")
	for _, c := range []struct {
		length, runs int
		fits         bool
	}{{room, 1, true}, {room + 1, 1, false}, {room - repetition, 2, true}, {room - repetition + 1, 2, false}} {
		folder := strings.Repeat("/x", c.length/2)
		if c.length%2 == 1 {
			folder += "x"
		}
		o := &Options{ArtifactDir: folder[1:], Load: LoadOptions{Concurrency: 1}, Series: SeriesOptions{Runs: c.runs}, Settings: map[string]any{}}
		_, err := planSeries(o)
		if c.fits && err != nil || !c.fits && (err == nil || !strings.Contains(err.Error(), "--artifact-dir: x/x/") || !errors.Is(err, eventlog.ErrPathTooLong)) {
			t.Errorf("%d bytes, %d runs: %v", c.length, c.runs, err)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
