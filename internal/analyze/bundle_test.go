package analyze

import (
	"path/filepath"
	"slices"
	"testing"

	"agentx/corpus/bundle"
	"agentx/eventlog"
)

// A bundle is looked for where it was, by its name at the run, and in the cache by its key.
func TestBundlePlaces(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	log := &Log{Dir: filepath.Join("runs", "one")}
	config := eventlog.RunConfig{Bundle: eventlog.BundleInfo{Path: filepath.Join("data", "corpus.bundle"), Key: "0123abcd"}}
	places := log.bundlePlaces(config)
	for _, want := range []string{
		filepath.Join("data", "corpus.bundle"), filepath.Join("runs", "one", "corpus.bundle"), filepath.Join("runs", "corpus.bundle"),
	} {
		if !slices.Contains(places, want) {
			t.Errorf("%s is not among %v", want, places)
		}
	}
	if last := places[len(places)-1]; filepath.Base(last) != "0123abcd"+bundle.Suffix || filepath.Base(filepath.Dir(last)) != "agentx" {
		t.Errorf("the cache's place is %s", last)
	}
}
