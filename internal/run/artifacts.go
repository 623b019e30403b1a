package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentx/internal/view/report"
)

const (
	logName       = "run.db"     // a run's event log inside its folder
	linesName     = "agentx.log" // lines for people, in folder logs
	configName    = "run_config.json"
	trialsFolder  = "profile_runs" // of repetitions
	aggregateName = "aggregate"    // what they say together
)

// artifactDirs names the folder of each concurrency. Nothing is made yet. A folder that holds a run is
// never reused (spec decision 28): an automatic name gets -2, -3 …, a given one is refused unless
// overwrite is set. Several concurrencies in a given folder get one each below it.
func artifactDirs(o *Options) ([]string, error) {
	points := o.points()
	if o.ArtifactDir == "" {
		dirs := make([]string, len(points))
		for i, concurrency := range points {
			dirs[i] = freeDir(filepath.Join("artifacts", autoName(o.Server.Models, concurrency)))
		}
		return dirs, nil
	}
	if err := mayUse(o.ArtifactDir, o.Overwrite); err != nil {
		return nil, err
	}
	if len(points) == 1 {
		return []string{o.ArtifactDir}, nil
	}
	dirs := make([]string, len(points))
	for i, concurrency := range points {
		dirs[i] = filepath.Join(o.ArtifactDir, fmt.Sprintf("concurrency%d", concurrency))
		if err := mayUse(dirs[i], o.Overwrite); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

func mayUse(dir string, overwrite bool) error {
	if holdsRun(dir) && !overwrite {
		return fmt.Errorf("%s holds a run already: give another --artifact-dir, or --overwrite to replace it", dir)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("--artifact-dir %s is a file: give the name of a folder", dir)
	}
	return nil
}

// freeDir is base, or base with the first number that makes it free.
func freeDir(base string) string {
	dir := base
	for number := 2; holdsRun(dir); number++ {
		dir = fmt.Sprintf("%s-%d", base, number)
	}
	return dir
}

// autoName is the peer's name for a chat run with a concurrency.
func autoName(models []string, concurrency int) string {
	name := strings.ReplaceAll(models[0], "/", "_")
	if len(models) > 1 {
		name += "_multi"
	}
	return fmt.Sprintf("%s-openai-chat-concurrency%d", name, concurrency)
}

// claimDir makes a folder ready for a run. What an earlier run has left there goes: its results must not
// stand beside the new log.
func claimDir(dir string) error {
	if !holdsRun(dir) {
		return nil
	}
	stale := []string{configName, logName, logName + "-wal", logName + "-shm", logName + "-journal", report.Marker}
	for _, name := range append(stale, report.FileNames()...) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replacing the run in %s: %w", dir, err)
		}
	}
	for _, name := range []string{trialsFolder, aggregateName} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("replacing the run in %s: %w", dir, err)
		}
	}
	return nil
}

// holdsRun reports whether a folder has a run in it, or the repetitions of one.
func holdsRun(dir string) bool {
	for _, name := range []string{logName, trialsFolder} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
