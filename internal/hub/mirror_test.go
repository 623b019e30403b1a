package hub

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/internal/hub/hubtest"
)

var testRepo = Repo{Kind: Dataset, Name: "org/name"}

// mirrored fetches into a mirror and returns it.
func mirrored(t *testing.T, repo Repo) (mirror string, h *fakeHub) {
	t.Helper()
	h, request := dataset(t)
	request.Repo, h.Tags = repo, []string{repo.Revision}
	mirror = t.TempDir()
	request.Folder = MirrorFolder(mirror, repo)
	client, _ := h.client(nil)
	mustFetch(t, client, request)
	return mirror, h
}

func TestFindMirror(t *testing.T) {
	mirror, _ := mirrored(t, testRepo)
	at := func(revision string) Repo { repo := testRepo; repo.Revision = revision; return repo }
	for _, repo := range []Repo{testRepo, at(hubtest.Commit), at(hubtest.Commit[:8])} {
		folder, record, err := FindMirror(mirror, repo)
		if err != nil || folder != filepath.Join(mirror, "datasets--org--name") || record == nil {
			t.Errorf("%s: %q, %v, %v", repo, folder, record, err)
		}
		// The folder itself is as good as the mirror.
		if own, record, err := FindMirror(folder, repo); err != nil || own != folder || record == nil {
			t.Errorf("%s in its own folder: %q, %v, %v", repo, own, record, err)
		}
	}
	if _, _, err := FindMirror(mirror, at("v2")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another revision: %v", err)
	}
	if _, _, err := FindMirror(mirror, Repo{Kind: Dataset, Name: "org/other"}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "it has datasets--org--name") {
		t.Errorf("another repository: %v", err)
	}
	_, _, err := FindMirror(filepath.Join(mirror, "datasets--org--name"), Repo{Kind: Dataset, Name: "org/other"})
	if err == nil || !strings.Contains(err.Error(), "holds org/name") {
		t.Errorf("the folder of another repository: %v", err)
	}
	named, _ := mirrored(t, at("v1/x"))
	if folder, _, err := FindMirror(named, testRepo); err != nil || filepath.Base(folder) != "datasets--org--name@v1--x" {
		t.Errorf("a revision that was fetched by name: %q, %v", folder, err)
	}
}

func TestFolderCopiedByHandProvesNothing(t *testing.T) {
	mirror := t.TempDir()
	write(t, filepath.Join(mirror, "a.jsonl"), []byte("{}"))
	folder, record, err := FindMirror(mirror, testRepo)
	if err != nil || folder != mirror || record != nil {
		t.Fatalf("%q, %v, %v", folder, record, err)
	}
	if record, err = Unrecorded(folder, testRepo, ""); err != nil || record.Proved() || len(record.Data()) != 1 {
		t.Errorf("%+v, %v", record, err)
	}
	if err := record.Verify(t.Context(), folder, 2); err != nil {
		t.Errorf("nothing is known of the file, so nothing can be wrong: %v", err)
	}
}

func TestInterruptedFetchIsNoCopy(t *testing.T) {
	mirror, _ := mirrored(t, testRepo)
	folder := MirrorFolder(mirror, testRepo)
	if err := os.Remove(filepath.Join(folder, RecordName)); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{mirror, folder} {
		if _, _, err := FindMirror(at, testRepo); err == nil || !strings.Contains(err.Error(), "did not finish") {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// A mirror counts as pinned only if its files match the record (decision 8).
func TestVerifyFindsEveryChange(t *testing.T) {
	changes := map[string]func(name string, content []byte) error{
		"missing": func(name string, _ []byte) error { return os.Remove(name) },
		"longer":  func(name string, content []byte) error { return os.WriteFile(name, append(content, '\n'), 0o644) },
		"flipped": func(name string, content []byte) error {
			content[len(content)/2] ^= 1
			return os.WriteFile(name, content, 0o644)
		},
	}
	for change, apply := range changes {
		t.Run(change, func(t *testing.T) {
			mirror, _ := mirrored(t, testRepo)
			folder, record, err := FindMirror(mirror, testRepo)
			if err != nil || !record.Proved() {
				t.Fatalf("%+v, %v", record, err)
			}
			if err := record.Verify(t.Context(), folder, 2); err != nil {
				t.Fatalf("untouched: %v", err)
			}
			name := filepath.Join(folder, "traces.jsonl")
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := apply(name, content); err != nil {
				t.Fatal(err)
			}
			if e := faultOf(t, record.Verify(t.Context(), folder, 2)); e.Fault != Corrupt || !strings.Contains(e.Error(), name) {
				t.Errorf("error is %v", e)
			}
		})
	}
}

func TestRecordsThatAreNoRecords(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON":   "{",
		"newer":      `{"format":2,"kind":"datasets","repository":"a/b","commit":"` + hubtest.Commit + `"}`,
		"no commit":  `{"format":1,"kind":"datasets","repository":"a/b","commit":"main"}`,
		"leaves":     `{"format":1,"kind":"datasets","repository":"a/b","commit":"` + hubtest.Commit + `","files":[{"path":"../x"}]}`,
		"odd digest": `{"format":1,"kind":"datasets","repository":"a/b","commit":"` + hubtest.Commit + `","files":[{"path":"x","stated":"md5:00"}]}`,
	} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, RecordName), []byte(text))
		if record, err := ReadRecord(folder); err == nil {
			t.Errorf("%s: read %+v", name, record)
		}
	}
}

// The cache is laid out as the HuggingFace libraries do it: refs, snapshots of links, blobs.
func hfCache(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	repo := filepath.Join(root, "datasets--org--name")
	write(t, filepath.Join(repo, "refs", "main"), []byte(hubtest.Commit))
	for name, text := range files {
		blob := filepath.Join(repo, "blobs", hubtest.Sum([]byte(text)))
		write(t, blob, []byte(text))
		link := filepath.Join(repo, "snapshots", hubtest.Commit, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(blob, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestHuggingFaceCache(t *testing.T) {
	h, _ := dataset(t)
	root := hfCache(t, map[string]string{"data/train-00000-of-00001.jsonl": "{}\n", "README.md": "# x\n"})
	client, _ := h.client(func(c *Config) { c.CacheDir = root })
	for _, revision := range []string{"", "main", hubtest.Commit} {
		folder, record, whole, err := client.Cached(Repo{Kind: Dataset, Name: "org/name", Revision: revision}, "")
		if err != nil || record == nil || !whole || !record.Proved() || record.Commit != hubtest.Commit {
			t.Fatalf("%q: %+v, whole %v, %v", revision, record, whole, err)
		}
		if err := record.Verify(t.Context(), folder, 1); err != nil {
			t.Errorf("verifying: %v", err)
		}
	}
	if _, record, _, err := client.Cached(Repo{Kind: Dataset, Name: "org/name", Revision: "v2"}, ""); record != nil || err != nil {
		t.Errorf("a revision that is not there: %+v, %v", record, err)
	}
	if _, record, _, err := client.Cached(Repo{Kind: Dataset, Name: "org/other"}, ""); record != nil || err != nil {
		t.Errorf("a repository that is not there: %+v, %v", record, err)
	}
	if h.Asked() > 0 {
		t.Errorf("the network was used for %d paths", h.Asked())
	}
}

// Where the names do not prove that nothing is missing, the hub's list does.
func TestCacheThatMayBePartial(t *testing.T) {
	h, _ := dataset(t)
	client, _ := h.client(func(c *Config) { c.CacheDir = hfCache(t, map[string]string{"traces.jsonl": "{}\n"}) })
	folder, record, whole, err := client.Cached(testRepo, "")
	if err != nil || record == nil || whole {
		t.Fatalf("%+v, whole %v, %v", record, whole, err)
	}
	delete(h.Files, "README.md")
	snapshot, err := client.Resolve(t.Context(), testRepo)
	if err != nil || !snapshot.Complete(record, folder) {
		t.Errorf("the hub has just this file: %v", err)
	}
	h.Files["more.jsonl"] = []byte("{}\n")
	if snapshot, err = client.Resolve(t.Context(), testRepo); err != nil || snapshot.Complete(record, folder) {
		t.Errorf("the hub has another file: %v", err)
	}
}

func TestFromEnvironment(t *testing.T) {
	read := func(pairs ...string) (Config, error) {
		return FromEnvironment(func(name string) (string, bool) {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1], true
				}
			}
			return "", false
		})
	}
	c, err := read("HF_ENDPOINT", "http://localhost:1/", "HF_TOKEN", "t", "HF_HUB_OFFLINE", "true", "HF_HOME", "/h")
	if err != nil || c.Endpoint != "http://localhost:1" || c.Token != "t" || !c.Offline || c.CacheDir != filepath.Join("/h", "hub") {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = read("HF_HUB_OFFLINE", "0", "XDG_CACHE_HOME", "/x"); err != nil || c.Endpoint != DefaultEndpoint || c.Offline || c.CacheDir != filepath.Join("/x", "huggingface", "hub") {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = read("HF_HUB_CACHE", "/own", "HF_HOME", "/h"); err != nil || c.CacheDir != "/own" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = read("HF_HUB_CACHE", "~/own", "HF_HOME", "/h"); err != nil || strings.Contains(c.CacheDir, "~") || filepath.Base(c.CacheDir) != "own" {
		t.Errorf("%+v, %v", c, err)
	}
	for _, address := range []string{"hub.example", "ftp://hub.example", "http://me:secret@hub.example", "http://"} {
		if _, err := read("HF_ENDPOINT", address); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestParseRepo(t *testing.T) {
	for text, want := range map[string]Repo{"org/name": {Dataset, "org/name", ""}, "name@v1": {Dataset, "name", "v1"}, "a/b@refs/pr/1": {Dataset, "a/b", "refs/pr/1"}} {
		if got, err := ParseRepo(Dataset, text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "a/b/c", "../a", "a/..", "a--b/c", "a/b@", "a/b@../x", "a b/c", "https://x/y"} {
		if got, err := ParseRepo(Dataset, text); err == nil {
			t.Errorf("%q was taken as %+v", text, got)
		}
	}
	if got := (Repo{Model, "org/n", "refs/pr/1"}).infoURL("http://h"); got != "http://h/api/models/org/n/revision/refs%2Fpr%2F1?blobs=true" {
		t.Error(got)
	}
	if got := (Repo{Model, "org/n", ""}).fileURL("http://h", "c", "a b/x.json"); got != "http://h/org/n/resolve/c/a%20b/x.json" {
		t.Error(got)
	}
}
