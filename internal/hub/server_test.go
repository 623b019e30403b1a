package hub

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	testCommit = "0123456789abcdef0123456789abcdef01234567"
	testToken  = "hf_secret"
)

// fakeHub is a hub with one repository. Large files (lfs) live on another host, to which it redirects.
type fakeHub struct {
	t       *testing.T
	hub     *httptest.Server
	storage *httptest.Server
	commit  string
	files   map[string][]byte
	lfs     map[string]bool
	blobs   bool // answers to ?blobs=true with sizes and digests

	// fault answers a request itself, or returns false; n counts the requests for that path, from 1.
	fault func(w http.ResponseWriter, r *http.Request, n int) bool

	mu      sync.Mutex
	counts  map[string]int
	ranges  []string // Range headers that storage and hub saw
	leaked  []string // requests to the storage host that had the token
	without []string // requests to the hub that had no token
}

func newHub(t *testing.T, files map[string]string) *fakeHub {
	h := &fakeHub{t: t, commit: testCommit, files: map[string][]byte{}, lfs: map[string]bool{}, blobs: true, counts: map[string]int{}}
	for name, text := range files {
		h.files[name] = []byte(text)
	}
	h.hub = httptest.NewServer(http.HandlerFunc(h.serve))
	h.storage = httptest.NewServer(http.HandlerFunc(h.store))
	t.Cleanup(h.hub.Close)
	t.Cleanup(h.storage.Close)
	return h
}

// client asks this hub, sleeping never.
func (h *fakeHub) client(change func(*Config)) (*Client, *[]time.Duration) {
	h.t.Helper()
	slept := &[]time.Duration{}
	config := Config{Endpoint: h.hub.URL, Token: testToken, Sleep: func(ctx context.Context, d time.Duration) error {
		*slept = append(*slept, d)
		return ctx.Err()
	}}
	if change != nil {
		change(&config)
	}
	client, err := New(config)
	if err != nil {
		h.t.Fatal(err)
	}
	return client, slept
}

// enter counts a request and lets the fault answer.
func (h *fakeHub) enter(w http.ResponseWriter, r *http.Request, list *[]string, wrong bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[r.URL.Path]++
	if value := r.Header.Get("Range"); value != "" {
		h.ranges = append(h.ranges, value)
	}
	if wrong {
		*list = append(*list, r.URL.Path)
	}
	return h.fault != nil && h.fault(w, r, h.counts[r.URL.Path])
}

func (h *fakeHub) serve(w http.ResponseWriter, r *http.Request) {
	if h.enter(w, r, &h.without, r.Header.Get("Authorization") != "Bearer "+testToken) {
		return
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		h.describe(w)
		return
	}
	_, name, found := strings.Cut(r.URL.Path, "/resolve/"+h.commit+"/")
	content, known := h.files[name]
	if !found || !known {
		w.Header().Set("X-Error-Code", "EntryNotFound")
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("X-Repo-Commit", h.commit)
	if !h.lfs[name] {
		w.Header().Set("ETag", `"`+gitSum(content)+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		return
	}
	w.Header().Set("X-Linked-Etag", `"`+contentSum(content)+`"`)
	w.Header().Set("X-Linked-Size", fmt.Sprint(len(content)))
	http.Redirect(w, r, h.storage.URL+"/blob/"+name+"?signature=x", http.StatusFound)
}

// store is the storage host: its ETag is an MD5, and it must never see the token.
func (h *fakeHub) store(w http.ResponseWriter, r *http.Request) {
	if h.enter(w, r, &h.leaked, r.Header.Get("Authorization") != "") {
		return
	}
	w.Header().Set("ETag", `"d41d8cd98f00b204e9800998ecf8427e"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(h.files[strings.TrimPrefix(r.URL.Path, "/blob/")]))
}

func (h *fakeHub) describe(w http.ResponseWriter) {
	type sibling map[string]any
	var siblings []sibling
	for name, content := range h.files {
		s := sibling{"rfilename": name}
		if h.blobs {
			s["size"], s["blobId"] = len(content), gitSum(content)
			if h.lfs[name] {
				s["lfs"] = sibling{"sha256": contentSum(content), "size": len(content)}
			}
		}
		siblings = append(siblings, s)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "org/name", "sha": h.commit, "siblings": siblings})
}

func (h *fakeHub) count(path string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.counts[path]
}

// noLeak fails where the token went to another host, or did not go to the hub.
func (h *fakeHub) noLeak() {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.leaked) > 0 {
		h.t.Errorf("the storage host got the token with %v", h.leaked)
	}
	if len(h.without) > 0 {
		h.t.Errorf("the hub did not get the token with %v", h.without)
	}
}

func contentSum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func gitSum(content []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...))
	return hex.EncodeToString(sum[:])
}

// dataset is a repository with one large file.
func dataset(t *testing.T) (*fakeHub, Request) {
	h := newHub(t, map[string]string{"README.md": "# traces\n", "traces.jsonl": strings.Repeat("{\"id\":1}\n", 20_000), ".gitattributes": "x"})
	h.lfs["traces.jsonl"] = true
	return h, Request{Repo: Repo{Kind: Dataset, Name: "org/name"}, Folder: filepath.Join(t.TempDir(), "mirror")}
}
