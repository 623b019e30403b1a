package prep

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentx/corpus/bundle"
	"agentx/internal/hub"
	"agentx/internal/hub/hubtest"
	"agentx/internal/progress"
	"agentx/internal/scenario"
)

// pinnedAlias is an alias, and pinnedRepository what it stands for.
const (
	pinnedAlias      = "semianalysis_cc_traces_weka_062126"
	pinnedRepository = "semianalysisai/cc-traces-weka-062126"
)

// hubEnvironment starts a hub that has the sample traces as a pinned recording, and points the
// environment to it.
func hubEnvironment(t *testing.T) (*hubtest.Hub, *hubtest.Repo) {
	t.Helper()
	h := hubtest.New(t)
	var lines []string
	traces := sampleTraces()
	for _, name := range slices.Sorted(maps.Keys(traces)) {
		lines = append(lines, traces[name])
	}
	repo := h.Add("datasets", pinnedRepository, map[string]string{"README.md": "# recordings\n", "data/train.jsonl": strings.Join(lines, "\n")}, "data/train.jsonl")
	t.Setenv("HF_ENDPOINT", h.URL)
	t.Setenv("HF_TOKEN", hubtest.Token)
	t.Setenv("HF_HUB_OFFLINE", "")
	t.Setenv("HF_HUB_CACHE", "")
	t.Setenv("HF_HOME", t.TempDir())
	return h, repo
}

// hubOptions build the recording by its alias.
func hubOptions(t *testing.T) Options {
	t.Helper()
	options := sampleOptions(t, "")
	options.Inputs = nil
	var err error
	if options.DataSet, err = ChooseDataSet("semianalysis-cc-traces-weka-062126", "", ""); err != nil {
		t.Fatal(err)
	}
	return options
}

// mirror fetches into a new folder.
func mirror(t *testing.T, options FetchOptions) string {
	t.Helper()
	options.Output, options.CacheDir = filepath.Join(t.TempDir(), "mirror"), t.TempDir()
	var out bytes.Buffer
	if err := Fetch(t.Context(), &out, options, silent()); err != nil {
		t.Fatal(err)
	}
	return options.Output
}

// Decision 8: with fetch's record and matching files the corpus is pinned, whatever way it came.
func TestPinnedByFetchMirrorAndCache(t *testing.T) {
	h, repo := hubEnvironment(t)
	options := hubOptions(t)
	online := mustBuild(t, options)
	want := online.Recipe.Source
	if want.Alias != pinnedAlias || want.Repository != pinnedRepository || want.Revision != hubtest.Commit || want.Evidence != evidenceHub || want.Files != 1 {
		t.Fatalf("source is %+v", want)
	}
	if name := online.Manifest.Files[0].Name; name != "data/train.jsonl" {
		t.Errorf("the file is called %s, want its path in the repository", name)
	}
	h.NoLeak()
	if content := contentOf(t, online); !content.Pinned || content.Loader != pinnedAlias {
		t.Errorf("the scenarios see %+v", content)
	}

	carried := mirror(t, FetchOptions{DataSet: pinnedAlias})
	cache := writeCache(t, "datasets", pinnedRepository, repo.Files)
	asked := h.Asked()
	t.Setenv("HF_HUB_OFFLINE", "1")
	empty := t.TempDir()
	for name, change := range map[string]func(o *Options){
		"mirror":                func(o *Options) { o.Mirror, o.CacheDir = carried, t.TempDir() },
		"folder of the mirror":  func(o *Options) { o.Mirror = filepath.Join(carried, "datasets--semianalysisai--cc-traces-weka-062126") },
		"fetched before":        func(o *Options) { o.CacheDir = options.CacheDir },
		"the HuggingFace cache": func(o *Options) { t.Setenv("HF_HOME", cache) },
	} {
		offline := hubOptions(t)
		offline.Tokenizer = options.Tokenizer
		t.Setenv("HF_HOME", empty)
		change(&offline)
		result := mustBuild(t, offline)
		// A cache without the hub's list does not prove that no file is missing.
		evidence := evidenceHub
		if name == "the HuggingFace cache" {
			evidence = evidenceLocal
		}
		if got := result.Recipe.Source; got.Evidence != evidence || got.Revision != want.Revision || got.Digest != want.Digest {
			t.Errorf("%s: source is %+v", name, got)
		}
		if evidence == evidenceHub && result.Key != online.Key {
			t.Errorf("%s: another key for the same corpus", name)
		}
	}
	if h.Asked() != asked {
		t.Error("the network was used in spite of HF_HUB_OFFLINE")
	}
}

// contentOf is what the scenarios read in a bundle's manifest.
func contentOf(t *testing.T, result *Result) scenario.Content {
	t.Helper()
	text, err := json.Marshal(result.Manifest)
	var manifest map[string]any
	if err = errors.Join(err, json.Unmarshal(text, &manifest)); err != nil {
		t.Fatal(err)
	}
	return scenario.ContentOf(manifest)
}

// writeCache lays files out as the HuggingFace libraries do.
func writeCache(t *testing.T, kind, repository string, files map[string][]byte) (home string) {
	t.Helper()
	home = t.TempDir()
	root := filepath.Join(home, "hub", kind+"--"+strings.ReplaceAll(repository, "/", "--"))
	put := func(name string, content []byte) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(root, "refs", "main"), []byte(hubtest.Commit))
	for name, content := range files {
		blob := filepath.Join(root, "blobs", hubtest.Sum(content))
		put(blob, content)
		link := filepath.Join(root, "snapshots", hubtest.Commit, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(blob, link)); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// The cache is read before the network, which is asked only whether a file is missing.
func TestHuggingFaceCacheComesFirst(t *testing.T) {
	h, repo := hubEnvironment(t)
	t.Setenv("HF_HOME", writeCache(t, "datasets", pinnedRepository, repo.Files))
	result := mustBuild(t, hubOptions(t))
	if result.Recipe.Source.Evidence != evidenceHub || h.Count("/blob/data/train.jsonl") != 0 {
		t.Errorf("evidence %q, downloaded %d times", result.Recipe.Source.Evidence, h.Count("/blob/data/train.jsonl"))
	}
	repo.Files["data/train2.jsonl"] = []byte(traceText("late", row{0, 64, 1, "1"}.request()))
	options := hubOptions(t)
	result = mustBuild(t, options)
	if result.Recipe.Source.Files != 2 || result.Recipe.Source.Evidence != evidenceHub {
		t.Errorf("a cache without one of two files: source is %+v", result.Recipe.Source)
	}
	if h.Count("/blob/data/train.jsonl") != 0 {
		t.Error("what the cache has was downloaded")
	}
}

// A cache whose files are no links into its blobs (as on systems without links) proves nothing: the hub is
// asked, and only where it cannot be reached the files serve as they are.
func TestHuggingFaceCacheWithoutLinks(t *testing.T) {
	h, repo := hubEnvironment(t)
	home := t.TempDir()
	root := filepath.Join(home, "hub", "datasets--semianalysisai--cc-traces-weka-062126")
	for name, content := range map[string][]byte{"refs/main": []byte(hubtest.Commit), "snapshots/" + hubtest.Commit + "/train-00000-of-00001.jsonl": repo.Files["data/train.jsonl"]} {
		at := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HF_HOME", home)
	if got := mustBuild(t, hubOptions(t)).Recipe.Source; got.Evidence != evidenceHub || h.Count("/blob/data/train.jsonl") != 1 {
		t.Errorf("with a network: %+v, downloaded %d times", got, h.Count("/blob/data/train.jsonl"))
	}
	h.Close()
	if got := mustBuild(t, hubOptions(t)).Recipe.Source; got.Evidence != evidenceLocal || got.Revision != hubtest.Commit {
		t.Errorf("without: %+v", got)
	}
}

func TestFolderCopiedByHandIsLocal(t *testing.T) {
	hubEnvironment(t)
	options := hubOptions(t)
	options.Mirror = mirror(t, FetchOptions{DataSet: pinnedAlias})
	hidden, err := filepath.Glob(filepath.Join(options.Mirror, "datasets--semianalysisai--cc-traces-weka-062126", ".*"))
	if err != nil || !slices.ContainsFunc(hidden, func(name string) bool { return filepath.Base(name) == hub.RecordName }) {
		t.Fatalf("hidden files are %v, %v", hidden, err)
	}
	for _, name := range hidden {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	result := mustBuild(t, options)
	if got := result.Recipe.Source; got.Evidence != evidenceLocal || got.Revision != "" || got.Alias != pinnedAlias {
		t.Errorf("source is %+v", got)
	}
	if content := contentOf(t, result); content.Pinned || content.Loader != pinnedAlias {
		t.Errorf("the scenarios see %+v", content)
	}
}

func TestChangedMirrorIsRefused(t *testing.T) {
	hubEnvironment(t)
	options := hubOptions(t)
	options.Mirror = mirror(t, FetchOptions{DataSet: pinnedAlias})
	name := filepath.Join(options.Mirror, "datasets--semianalysisai--cc-traces-weka-062126", "data", "train.jsonl")
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	content = bytes.Replace(content, []byte(`"in":250`), []byte(`"in":251`), 1)
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Build(t.Context(), options, silent())
	if ClassOf(err) != Input || !strings.Contains(err.Error(), "is not the file that the hub has") || !strings.Contains(err.Error(), "agentx-prep fetch "+pinnedAlias) {
		t.Errorf("error is %v", err)
	}
}

// Every error of a hub says what to do; where there is no network, how to bring the files.
func TestErrorsOfHubs(t *testing.T) {
	h, _ := hubEnvironment(t)
	cases := map[string]struct {
		change func(o *Options)
		says   []string
	}{
		"offline":              {func(*Options) { t.Setenv("HF_HUB_OFFLINE", "1") }, []string{"HF_HUB_OFFLINE is set", "`agentx-prep fetch " + pinnedAlias + " -o DIR`", "--mirror DIR"}},
		"no such repository":   {func(o *Options) { o.DataSet, _ = ChooseDataSet("", "org/nothing", "") }, []string{"no such repository", "HF_TOKEN"}},
		"no such revision":     {func(o *Options) { o.DataSet, _ = ChooseDataSet("", pinnedRepository+"@v9", "") }, []string{"no such revision"}},
		"no such subset":       {func(o *Options) { o.DataSet, _ = ChooseDataSet(pinnedAlias, "", "x") }, []string{"declares no subsets"}},
		"mirror without it":    {func(o *Options) { o.Mirror = t.TempDir() }, []string{"does not have " + pinnedRepository, "bring it with `agentx-prep fetch"}},
		"mirror that is not":   {func(o *Options) { o.Mirror = "/no/such/folder" }, []string{"is not a folder"}},
		"no such tokenizer":    {func(o *Options) { o.Tokenizer = "org/nothing" }, []string{"there is no file org/nothing", "no such repository"}},
		"tokenizer, two names": {func(o *Options) { o.Tokenizer, o.TokenizerRevision = "org/nothing@a", "b" }, []string{"two revisions"}},
		"revision of a file":   {func(o *Options) { o.TokenizerRevision = "b" }, []string{"--tokenizer-revision needs"}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HF_HUB_OFFLINE", "")
			options := hubOptions(t)
			test.change(&options)
			_, err := Build(t.Context(), options, silent())
			if class := ClassOf(err); err == nil || class != Input && class != Usage && class != Failure {
				t.Fatalf("class %d, %v", class, err)
			}
			for _, part := range test.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v\ndoes not say %q", err, part)
				}
			}
		})
	}
	h.Close()
	t.Setenv("HF_HUB_OFFLINE", "")
	_, err := Build(t.Context(), hubOptions(t), silent())
	if ClassOf(err) != Input || !strings.Contains(err.Error(), "cannot be reached") || !strings.Contains(err.Error(), "on a host without network: run") {
		t.Errorf("without network: %v", err)
	}
}

func TestTokenizerOfARepository(t *testing.T) {
	h, _ := hubEnvironment(t)
	text, err := os.ReadFile(sampleOptions(t, "").Tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	h.Add("models", "org/model", map[string]string{"tokenizer.json": string(text), "tokenizer_config.json": `{"chat_template":"{{ messages[0].content }}"}`}, "tokenizer.json")
	options := hubOptions(t)
	options.Tokenizer = "org/model"
	online := mustBuild(t, options)
	if got := online.Recipe.Tokenizer; got.Name != "org/model" || got.Revision != hubtest.Commit || got.Template == (online.Key) || got.Template == [32]byte{} {
		t.Errorf("tokenizer is %+v", got)
	}
	options = hubOptions(t)
	options.Tokenizer, options.TokenizerRevision = "org/model", hubtest.Commit
	options.Mirror = mirror(t, FetchOptions{DataSet: pinnedAlias, Tokenizer: "org/model"})
	t.Setenv("HF_HUB_OFFLINE", "1")
	if offline := mustBuild(t, options); offline.Key != online.Key {
		t.Error("the mirror gives another key for the same tokenizer")
	}
}

// Decision 8: the cache of the HuggingFace libraries serves tokenizers too, before the network and without
// it, by branch, tag or commit.
func TestTokenizerOfTheHuggingFaceCache(t *testing.T) {
	h, _ := hubEnvironment(t)
	text, err := os.ReadFile(sampleOptions(t, "").Tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	home := writeCache(t, "models", "org/model", map[string][]byte{"tokenizer.json": text, "tokenizer_config.json": []byte(`{"chat_template":"{{ messages[0].content }}"}`)})
	tag := filepath.Join(home, "hub", "models--org--model", "refs", "v1")
	if err := os.WriteFile(tag, []byte(hubtest.Commit), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HF_HOME", home)
	var key bundle.Digest
	cache, folder := t.TempDir(), writeTraces(t, sampleTraces()) // what has the key is found there
	for _, offline := range []string{"", "1"} {
		t.Setenv("HF_HUB_OFFLINE", offline)
		for _, revision := range []string{"", "main", "v1", hubtest.Commit} {
			options := sampleOptions(t, folder)
			options.CacheDir, options.Tokenizer, options.TokenizerRevision = cache, "org/model", revision
			result := mustBuild(t, options)
			if got := result.Recipe.Tokenizer; got.Name != "org/model" || got.Revision != hubtest.Commit || got.Template == (bundle.Digest{}) {
				t.Errorf("offline %q, revision %q: tokenizer is %+v", offline, revision, got)
			}
			if key == (bundle.Digest{}) {
				key = result.Key
			}
			if result.Key != key {
				t.Errorf("offline %q, revision %q: another key for the same commit", offline, revision)
			}
		}
	}
	if h.Asked() > 0 {
		t.Errorf("the network was used for %d paths", h.Asked())
	}
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	options.Tokenizer, options.TokenizerRevision = "org/model", "v2"
	if _, err := Build(t.Context(), options, silent()); ClassOf(err) != Input || !strings.Contains(err.Error(), "HF_HUB_OFFLINE") {
		t.Errorf("a revision that is not in the cache, offline: %v", err)
	}
}

func TestFetchSaysWhatItBrought(t *testing.T) {
	h, _ := hubEnvironment(t)
	h.Add("models", "org/model", map[string]string{"tokenizer.json": "{}"})
	var out, shown bytes.Buffer
	options := FetchOptions{DataSet: pinnedAlias + "@" + hubtest.Commit, Tokenizer: "org/model", Output: filepath.Join(t.TempDir(), "m"), CacheDir: t.TempDir()}
	if err := Fetch(t.Context(), &out, options, progress.Plain(&shown, time.Now)); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"fetched        " + pinnedAlias + " (" + pinnedRepository + "), revision " + hubtest.Commit, "commit         " + hubtest.Commit,
		"data/train.jsonl", "sha256:", "files called train", "fetched        org/model, revision main",
		"next           agentx-prep build --public-dataset " + pinnedAlias + "@" + hubtest.Commit + " --tokenizer org/model --mirror " + options.Output,
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("printed\n%s\nwithout %q", &out, part)
		}
	}
}

func TestChooseDataSet(t *testing.T) {
	for name, test := range map[string]struct{ public, repository, subset, says string }{
		"both":             {pinnedAlias, "a/b", "", "name two data sets"},
		"subset of none":   {"", "", "x", "--hf-subset needs"},
		"unknown":          {"sharegpt", "", "", `no public data set "sharegpt"`},
		"no repository":    {"", "a/b/c", "", "is not the name of a repository"},
		"revision of none": {pinnedAlias + "@", "", "", "is not a revision"},
	} {
		if set, err := ChooseDataSet(test.public, test.repository, test.subset); ClassOf(err) != Usage || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, %v", name, set, err)
		}
	}
	set, err := ChooseDataSet("weka-hf", "a/b@v1", "s")
	if err != nil || set.Alias != "" || set.Repo.Name != "a/b" || set.Repo.Revision != "v1" || set.Subset != "s" {
		t.Errorf("%+v, %v", set, err)
	}
	if set, err = ChooseDataSet("", "", ""); set != nil || err != nil {
		t.Errorf("no flags: %+v, %v", set, err)
	}
}
