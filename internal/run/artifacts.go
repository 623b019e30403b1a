package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// logName is the name of a run's event log inside its folder.
const logName = "run.db"

// artifactDir makes the folder of a run and returns its path. A folder that holds a run is never reused
// (spec decision 28): an automatic name gets -2, -3 …, a given one is refused unless overwrite is set.
func artifactDir(o *Options) (string, error) {
	if o.ArtifactDir != "" {
		return givenDir(o.ArtifactDir, o.Overwrite)
	}
	base := filepath.Join("artifacts", autoName(o.Server.Models, o.Load.Concurrency))
	for number := 1; ; number++ {
		dir := base
		if number > 1 {
			dir = fmt.Sprintf("%s-%d", base, number)
		}
		if holdsRun(dir) {
			continue
		}
		return dir, makeDir(dir)
	}
}

// autoName is the peer's name for a chat run with a concurrency.
func autoName(models []string, concurrency int) string {
	name := strings.ReplaceAll(models[0], "/", "_")
	if len(models) > 1 {
		name += "_multi"
	}
	return fmt.Sprintf("%s-openai-chat-concurrency%d", name, concurrency)
}

func givenDir(dir string, overwrite bool) (string, error) {
	if !holdsRun(dir) {
		return dir, makeDir(dir)
	}
	if !overwrite {
		return "", fmt.Errorf("%s holds a run already: give another --artifact-dir, or --overwrite to replace it", dir)
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(filepath.Join(dir, logName+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("replacing the run in %s: %w", dir, err)
		}
	}
	return dir, nil
}

func holdsRun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, logName))
	return err == nil
}

func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the artifact folder: %w", err)
	}
	return nil
}
