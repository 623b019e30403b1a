package prep

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"agentx/corpus"
	"agentx/corpus/bundle"
	"agentx/internal/progress"
)

func TestSameBytesForAnyNumberOfWorkers(t *testing.T) {
	folder := writeTraces(t, sampleTraces())
	var first []byte
	var digest bundle.Digest
	for _, workers := range []int{1, 4} {
		options := sampleOptions(t, folder)
		options.Workers = workers
		result := mustBuild(t, options)
		data, err := os.ReadFile(result.Path)
		if err != nil {
			t.Fatal(err)
		}
		if result.Reused {
			t.Fatal("a cache of its own had the bundle")
		}
		if first == nil {
			first, digest = data, result.Content
		} else if !bytes.Equal(first, data) || digest != result.Content {
			t.Errorf("%d workers give another bundle", workers)
		}
	}
}

func TestKeyIsKnownBeforeBuildingAndFindsTheBundle(t *testing.T) {
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	first := mustBuild(t, options)
	second := mustBuild(t, options)
	if first.Reused || !second.Reused || first.Key != second.Key || first.Content != second.Content {
		t.Errorf("first %v %v, second %v %v", first.Reused, first.Key, second.Reused, second.Key)
	}
	if want := CachePath(options.CacheDir, first.Key); first.Path != want {
		t.Errorf("the bundle is %s, want %s", first.Path, want)
	}
}

// Every setting that changes content changes the key; those that do not, do not.
func TestKeyFollowsContentOnly(t *testing.T) {
	folder := writeTraces(t, map[string]string{"a": sampleTraces()["cut"]})
	key := func(change func(o *Options)) bundle.Digest {
		options := sampleOptions(t, folder)
		change(&options)
		return mustBuild(t, options).Key
	}
	plain := key(func(*Options) {})
	for name, change := range map[string]func(o *Options){
		"seed":       func(o *Options) { o.Seed = 1 },
		"style":      func(o *Options) { o.Style = "words" },
		"max-osl":    func(o *Options) { o.Corpus.MaxOSL = 10 },
		"aux floor":  func(o *Options) { o.Corpus.AuxISLFloor++ },
		"adjacent":   func(o *Options) { o.Corpus.AdjacentRoles = corpus.AdjacentMerge },
		"strict":     func(o *Options) { o.Strict = true },
		"skip":       func(o *Options) { o.SkipInvalid = true },
		"input file": func(o *Options) { o.Inputs = []string{writeTraces(t, map[string]string{"b": sampleTraces()["cut"]})} },
	} {
		if key(change) == plain {
			t.Errorf("%s does not change the key", name)
		}
	}
	for name, change := range map[string]func(o *Options){
		"workers":      func(o *Options) { o.Workers = 3 },
		"output":       func(o *Options) { o.Output = filepath.Join(t.TempDir(), "x") },
		"other folder": func(o *Options) { o.Inputs = []string{writeTraces(t, map[string]string{"a": sampleTraces()["cut"]})} },
	} {
		if key(change) != plain {
			t.Errorf("%s changes the key", name)
		}
	}
}

// The filter looks at recorded lengths; the marker that a run adds is counted and said.
func TestTurnsThatTheMarkerTakesOverTheLimitAreSaid(t *testing.T) {
	options := sampleOptions(t, writeTraces(t, map[string]string{"cut": sampleTraces()["cut"]}))
	for limit, want := range map[int64]int{350: 2, 367: 1, 368: 0} { // in + out is 350 and 340
		options.Corpus.MaxContextLength = limit
		result := mustBuild(t, options)
		var out strings.Builder
		if err := result.WriteSummary(&out); err != nil {
			t.Fatal(err)
		}
		if got := result.Manifest.Totals.OverLimit; got != want || strings.Contains(out.String(), "with the marker") != (want > 0) {
			t.Errorf("limit %d: %d turns over, want %d\n%s", limit, got, want, out.String())
		}
	}
}

func TestOutputIsAWholeBundle(t *testing.T) {
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	folder := t.TempDir()
	options.Output = filepath.Join(folder, "out.agentx")
	for range 2 { // the second replaces the first
		if result := mustBuild(t, options); result.Path != options.Output {
			t.Errorf("the bundle is %s", result.Path)
		}
		if err := checkQuietly(options.Output); err != nil {
			t.Error(err)
		}
	}
	options.NoCache, options.Output = true, filepath.Join(folder, "direct.agentx")
	mustBuild(t, options)
	if err := checkQuietly(options.Output); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, want the two bundles", entries)
	}
}

func checkQuietly(path string) error {
	return Check(context.Background(), &strings.Builder{}, path, CheckOptions{Retokenize: "all", Workers: 1}, silent())
}

// A damaged bundle in the cache is said, and built again.
func TestDamagedCacheEntryIsReplaced(t *testing.T) {
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	path := mustBuild(t, options).Path
	if err := os.Truncate(path, 1000); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	result, err := Build(context.Background(), options, progress.Plain(&said, time.Now))
	if err != nil || result.Reused || !strings.Contains(said.String(), "building it again") {
		t.Errorf("reused %v, error %v, said %q", result != nil && result.Reused, err, said.String())
	}
	if err := checkQuietly(path); err != nil {
		t.Error(err)
	}
}

// Who comes second waits, is told for whom, and takes the other's bundle.
func TestConcurrentBuilderWaitsForTheFirst(t *testing.T) {
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	path := mustBuild(t, options).Path
	aside := filepath.Join(t.TempDir(), "aside")
	if err := os.Rename(path, aside); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(strings.TrimSuffix(path, bundle.Suffix) + ".lock")
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	said := newWatched("waiting for")
	done := make(chan error, 1)
	var result *Result
	go func() {
		var err error
		result, err = Build(context.Background(), options, progress.Plain(said, time.Now))
		done <- err
	}()
	<-said.seen
	if err := errors.Join(os.Rename(aside, path), lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || !result.Reused {
		t.Errorf("error %v, result %+v", err, result)
	}
	if !strings.Contains(said.text(), "process ") {
		t.Errorf("said %q, which does not tell for whom", said.text())
	}
}

func TestInterruptedBuildLeavesNothing(t *testing.T) {
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Build(ctx, options, silent()); ClassOf(err) != Interrupted {
		t.Errorf("error %v", err)
	}
	entries, err := os.ReadDir(options.CacheDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".lock") {
			t.Errorf("%s is left", entry.Name())
		}
	}
}

// builderVariable makes the test binary a builder that is killed in the middle of its work.
const builderVariable = "AGENTX_TEST_BUILDER"

func TestMain(m *testing.M) {
	if arguments := os.Getenv(builderVariable); arguments != "" {
		parts := strings.Split(arguments, "\n")
		options := DefaultOptions()
		options.Inputs, options.CacheDir, options.fillerLengths = []string{parts[0]}, parts[1], []int{1 << 20}
		_, err := Build(context.Background(), options, progress.Plain(os.Stdout, time.Now))
		if err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	_ = os.RemoveAll(sampleOnce())
	os.Exit(code)
}

// A builder that is killed leaves nothing that is taken for a bundle, nor a lock that anyone waits for.
func TestKilledBuilderLeavesNothingTakenForABundle(t *testing.T) {
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	options.Tokenizer = ""
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), builderVariable+"="+options.Inputs[0]+"\n"+options.CacheDir)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	// Its first line comes when the plans are written and the filler is about to be made.
	buffer := make([]byte, 200)
	n, err := output.Read(buffer)
	if err != nil || !strings.Contains(string(buffer[:n]), "making filler") {
		t.Fatalf("the builder says %q, %v", buffer[:n], err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		t.Fatal("the builder was not killed")
	}
	entries, err := os.ReadDir(options.CacheDir)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), bundle.Suffix) {
			t.Errorf("%s is left", entry.Name())
		}
		if strings.HasPrefix(entry.Name(), bundle.TempPrefix) {
			left++
		}
	}
	if left == 0 {
		t.Error("the builder was killed before it had begun: the test shows nothing")
	}
	if result := mustBuild(t, options); result.Reused {
		t.Error("a bundle was found in the cache")
	}
}

func TestCacheAdministration(t *testing.T) {
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	result := mustBuild(t, options)
	damaged := filepath.Join(options.CacheDir, strings.Repeat("0", 64)+bundle.Suffix)
	leftover := filepath.Join(options.CacheDir, bundle.TempPrefix+"1")
	young := filepath.Join(options.CacheDir, bundle.TempPrefix+"2")
	for _, path := range []string{damaged, leftover, young} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * leftoverAge)
	if err := os.Chtimes(leftover, old, old); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := CacheList(&out, options.CacheDir); err != nil || !strings.Contains(out.String(), result.Key.String()[:12]) || !strings.Contains(out.String(), "is not a bundle") {
		t.Errorf("%v\n%s", err, out.String())
	}
	out.Reset()
	if err := CacheCollect(&out, options.CacheDir, 0); err != nil || !strings.Contains(out.String(), "3 files removed") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("the file of a running build was removed")
	}
	if err := CacheRemove(&out, options.CacheDir, []string{"zz"}); ClassOf(err) != Usage {
		t.Errorf("error %v", err)
	}
	if err := CacheRemove(&out, options.CacheDir, []string{result.Key.String()[:8]}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(result.Path); !errors.Is(err, os.ErrNotExist) {
		t.Error("the bundle is still there")
	}
}
