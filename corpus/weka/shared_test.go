package weka_test

import (
	"archive/tar"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"agentx/corpus"
	"agentx/corpus/weka"
)

// sharedPath finds material that is not part of the project; the test is skipped where it is absent.
func sharedPath(t testing.TB, elements ...string) string {
	t.Helper()
	root := os.Getenv("AGENTX_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{root}, elements...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("skipped: %s is not here (set AGENTX_SHARED to the folder that has it)", filepath.Join(elements...))
	}
	return path
}

// realTraces is a folder with the 640 real traces, unpacked once into the user's cache.
func realTraces(t testing.TB) string {
	t.Helper()
	archive := sharedPath(t, "traces", "kv-cache-tester.tar.zst")
	packed, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := blake3.Sum256(packed)
	directory := filepath.Join(cache, "agentx-test", "traces-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(directory); err == nil {
		return directory
	}
	if err := os.MkdirAll(filepath.Dir(directory), 0o755); err != nil {
		t.Fatal(err)
	}
	unpacked, err := os.MkdirTemp(filepath.Dir(directory), "unpacking-*")
	if err != nil {
		t.Fatal(err)
	}
	if err := untar(archive, unpacked); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(unpacked, directory); err != nil {
		if _, there := os.Stat(directory); there != nil { // else another test was faster
			t.Fatal(err)
		}
		os.RemoveAll(unpacked)
	}
	return directory
}

func untar(archive, into string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	unpacker, err := zstd.NewReader(file)
	if err != nil {
		return err
	}
	defer unpacker.Close()
	for files := tar.NewReader(unpacker); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		target, err := os.Create(filepath.Join(into, filepath.Base(header.Name)))
		if err != nil {
			return err
		}
		if _, err := io.Copy(target, files); err != nil {
			return err
		}
		if err := target.Close(); err != nil {
			return err
		}
	}
}

// surveyAll lists and surveys all files below the paths, on all cores.
func surveyAll(t testing.TB, settings weka.Settings, paths ...string) (*weka.Corpus, error) {
	t.Helper()
	sources, err := weka.List(paths)
	if err != nil {
		return nil, err
	}
	surveys := make([]*weka.Survey, len(sources))
	faults := make([]error, len(sources))
	inParallel(len(sources), func(i int) { surveys[i], faults[i] = sources[i].Survey(t.Context(), settings) })
	for _, fault := range faults { // the first in order, whatever the number of cores
		if fault != nil {
			return nil, fault
		}
	}
	joined, err := weka.Combine(surveys, settings)
	if err == nil {
		t.Cleanup(func() {
			if err := joined.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return joined, err
}

// inParallel calls work for 0 … n−1 on all cores.
func inParallel(n int, work func(i int)) {
	next := make(chan int)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				work(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}

// built is a trace with what Build made of it.
type built struct {
	trace  *corpus.Trace
	plan   *corpus.Plan
	layout *corpus.Layout
	facts  corpus.Facts
}

// buildFile reads and builds the only trace of a file.
func buildFile(t testing.TB, path string, options corpus.Options) built {
	t.Helper()
	joined, err := surveyAll(t, weka.Settings{Options: options, Strict: true}, path)
	if err != nil {
		t.Fatal(err)
	}
	if len(joined.Units) != 1 {
		t.Fatalf("%s has %d traces, want 1", path, len(joined.Units))
	}
	return buildUnit(t, joined.Units[0], options)
}

func buildUnit(t testing.TB, unit *weka.Unit, options corpus.Options) built {
	t.Helper()
	trace, err := unit.Read()
	if err != nil {
		t.Fatal(err)
	}
	plan, layout, facts, err := corpus.Build(trace, options)
	if err != nil {
		t.Fatal(err)
	}
	return built{trace, plan, layout, facts}
}
