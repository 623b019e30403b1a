package hub

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"agentx/internal/hub/hubtest"
)

func mustFetch(t *testing.T, c *Client, request Request) *Record {
	t.Helper()
	record, err := c.Fetch(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// faultOf is the fault of an error; it fails for another kind of error.
func faultOf(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, expected one of this package", err)
	}
	return e
}

// holds compares a file of the folder with what the hub has, and looks for leftovers.
func (h *fakeHub) holds(folder, name string) {
	h.t.Helper()
	got, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil || !bytes.Equal(got, h.Files[name]) {
		h.t.Errorf("%s: %d bytes (%v), the hub has %d", name, len(got), err, len(h.Files[name]))
	}
	if parts, _ := filepath.Glob(filepath.Join(folder, partPrefix+"*")); len(parts) > 0 {
		h.t.Errorf("left behind: %v", parts)
	}
}

func TestFetchRecordsWhatTheHubStates(t *testing.T) {
	h, request := dataset(t)
	client, _ := h.client(nil)
	request.Alias = "some_alias"
	request.Now = func() time.Time { return time.Unix(1_700_000_000, 0) }
	var last, total int64
	request.Progress = func(done, of int64) { last, total = done, of }
	record := mustFetch(t, client, request)
	h.holds(request.Folder, "traces.jsonl")
	h.holds(request.Folder, "README.md")
	h.NoLeak()
	if want := int64(len(h.Files["traces.jsonl"])); last != want || total != want {
		t.Errorf("progress ended at %d of %d, want %d", last, total, want)
	}
	if record.Commit != hubtest.Commit || record.Repository != "org/name" || record.Alias != "some_alias" || !record.Proved() {
		t.Errorf("record is %+v", record)
	}
	data := record.Data()
	if len(data) != 1 || data[0].Stated != Stated("sha256:"+hubtest.Sum(h.Files["traces.jsonl"])) || data[0].SHA256 != hubtest.Sum(h.Files["traces.jsonl"]) {
		t.Errorf("data files are %+v", data)
	}
	again, err := ReadRecord(request.Folder)
	if err != nil || again.FetchedAt.Unix() != 1_700_000_000 || len(again.Files) != 2 || again.Files[1].Stated != Stated("git-sha1:"+hubtest.GitSum(h.Files["README.md"])) {
		t.Errorf("read back %+v, %v", again, err)
	}
	if _, err := os.Stat(filepath.Join(request.Folder, ".gitattributes")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf(".gitattributes was fetched, though it is no data")
	}
}

// A second fetch asks only for the list; so does one that finds the file in the HuggingFace cache.
func TestFetchDownloadsNothingTwice(t *testing.T) {
	h, request := dataset(t)
	client, _ := h.client(nil)
	mustFetch(t, client, request)
	mustFetch(t, client, request)
	if n := h.Count("/blob/traces.jsonl"); n != 1 {
		t.Errorf("downloaded %d times, want once", n)
	}
	cache := t.TempDir()
	blobs := filepath.Join(cache, "datasets--org--name", "blobs")
	write(t, filepath.Join(blobs, hubtest.Sum(h.Files["traces.jsonl"])), h.Files["traces.jsonl"])
	cached, _ := h.client(func(c *Config) { c.CacheDir = cache })
	request.Folder = filepath.Join(t.TempDir(), "other")
	mustFetch(t, cached, request)
	h.holds(request.Folder, "traces.jsonl")
	if n := h.Count("/blob/traces.jsonl"); n != 1 {
		t.Errorf("downloaded %d times, though the HuggingFace cache has it", n)
	}
}

// A file of the folder, or of the cache, that is not what the hub states is downloaded.
func TestFetchReplacesWhatIsNotTheHubs(t *testing.T) {
	h, request := dataset(t)
	cache := t.TempDir()
	write(t, filepath.Join(cache, "datasets--org--name", "blobs", hubtest.Sum(h.Files["traces.jsonl"])), []byte("rotten"))
	write(t, filepath.Join(request.Folder, "traces.jsonl"), []byte("other"))
	client, _ := h.client(func(c *Config) { c.CacheDir = cache })
	mustFetch(t, client, request)
	h.holds(request.Folder, "traces.jsonl")
}

// The files of a commit are under its record alone: what it has no more goes.
func TestFetchOfANewCommitReplacesTheOld(t *testing.T) {
	h, request := dataset(t)
	client, _ := h.client(nil)
	mustFetch(t, client, request)
	h.Files["new.jsonl"] = []byte("{}\n")
	delete(h.Files, "traces.jsonl")
	h.Commit = strings.Repeat("f", 40)
	record := mustFetch(t, client, request)
	if got := record.Data(); record.Commit != h.Commit || len(got) != 1 || got[0].Path != "new.jsonl" {
		t.Errorf("record is %+v", record)
	}
	if _, err := os.Stat(filepath.Join(request.Folder, "traces.jsonl")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old file is still there: %v", err)
	}
	h.Add("datasets", "org/another", map[string]string{"a.jsonl": "{}"})
	request.Repo.Name = "org/another"
	if _, err := client.Fetch(t.Context(), request); err == nil || !strings.Contains(err.Error(), "holds org/name already") {
		t.Errorf("another repository into the same folder: %v", err)
	}
}

func TestFetchTokenizer(t *testing.T) {
	h := newHub(t, Model, map[string]string{"tokenizer.json": `{"a":1}`, "tokenizer_config.json": `{}`, "model.safetensors": "big", "config.json": "{}"})
	client, _ := h.client(nil)
	request := Request{Repo: Repo{Kind: Model, Name: "org/name"}, Folder: t.TempDir()}
	record := mustFetch(t, client, request)
	var names []string
	for _, file := range record.Data() {
		names = append(names, file.Path)
	}
	if !slices.Equal(names, []string{"tokenizer.json", "tokenizer_config.json"}) {
		t.Errorf("fetched %v", names)
	}
	if h.Count("/api/models/org/name/revision/main") != 1 || h.Count("/org/name/resolve/"+hubtest.Commit+"/tokenizer.json") != 1 {
		t.Errorf("asked for other paths, %d in all", h.Asked())
	}
	delete(h.Files, "tokenizer.json")
	h.Files["tiktoken.model"] = nil
	request.Folder = t.TempDir()
	_, err := client.Fetch(t.Context(), request)
	if e := faultOf(t, err); e.Fault != Unfit || !strings.Contains(err.Error(), "tiktoken.model and no tokenizer.json") {
		t.Errorf("without tokenizer.json: %v", err)
	}
}

// Hubs that know neither ?blobs=true nor digests of small files leave a folder that proves nothing.
func TestFetchFromAHubThatStatesNothing(t *testing.T) {
	h, request := dataset(t)
	h.Silent = true
	h.Large["traces.jsonl"] = false
	h.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if !strings.Contains(r.URL.Path, "/resolve/") {
			return false
		}
		// As some servers do: an entity tag that only looks like a digest.
		w.Header().Set("ETag", `"`+strings.Repeat("ab", 20)+`"`)
		_, _ = w.Write(h.Files[filepath.Base(r.URL.Path)])
		return true
	}
	client, _ := h.client(nil)
	record := mustFetch(t, client, request)
	h.holds(request.Folder, "traces.jsonl")
	if record.Proved() || record.Data()[0].Stated != "" {
		t.Errorf("record claims proof: %+v", record)
	}
}

// Two programs that fetch into one folder take turns; the second finds all there.
func TestFetchWaitsForAnother(t *testing.T) {
	h, request := dataset(t)
	waits := make(chan string, 1)
	client, _ := h.client(func(c *Config) { c.Notice = func(text string) { waits <- text } })
	if err := os.MkdirAll(request.Folder, 0o755); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(request.Folder, lockName))
	if free, err := lock.TryLock(); err != nil || !free {
		t.Fatal(free, err)
	}
	done := make(chan error)
	go func() {
		_, err := client.Fetch(t.Context(), request)
		done <- err
	}()
	if text := <-waits; !strings.Contains(text, "waiting for another fetch") {
		t.Errorf("said %q", text)
	}
	if h.Count("/blob/traces.jsonl") != 0 {
		t.Error("downloaded while another fetch had the folder")
	}
	if err := errors.Join(lock.Close(), <-done); err != nil {
		t.Error(err)
	}
	h.holds(request.Folder, "traces.jsonl")
}

func TestFetchEndsWithTheContext(t *testing.T) {
	h, request := dataset(t)
	client, _ := h.client(nil)
	ctx, cancel := context.WithCancel(t.Context())
	h.Fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if strings.HasPrefix(r.URL.Path, "/blob/") {
			cancel()
		}
		return false
	}
	if _, err := client.Fetch(ctx, request); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if _, err := ReadRecord(request.Folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an interrupted fetch left a record (%v)", err)
	}
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, content, 0o644)); err != nil {
		t.Fatal(err)
	}
}
