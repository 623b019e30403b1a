// Package hubtest is a small HuggingFace-compatible hub for tests: repositories in memory, large files on
// a second host to which it redirects, ranges, statuses and faults to order. It watches where the access
// token goes.
package hubtest

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// Commit is that of a repository, until a test changes it.
	Commit = "0123456789abcdef0123456789abcdef01234567"
	// Token is what the hub expects.
	Token = "hf_secret"
)

// Repo is a repository.
type Repo struct {
	Commit string
	Tags   []string // revisions beside main and the commit
	Files  map[string][]byte
	Large  map[string]bool // files that lie on the storage host
	// Silent: no sizes and digests in the list of files, as from hubs that do not know ?blobs=true.
	Silent bool
}

// Hub is a hub with its storage host.
type Hub struct {
	URL     string // of the hub
	Storage string // URL of the storage host

	// Fault answers a request itself, or returns false. n counts the requests for that path, from 1. It
	// is called by one goroutine at a time.
	Fault func(w http.ResponseWriter, r *http.Request, n int) bool

	t       testing.TB
	servers []*httptest.Server
	turn    sync.Mutex // of Fault

	mu      sync.Mutex
	repos   map[string]*Repo
	counts  map[string]int
	ranges  []string
	leaked  []string // requests to the storage host that had the token
	without []string // requests to the hub that did not have it
}

// New starts a hub; it ends with the test.
func New(t testing.TB) *Hub {
	h := &Hub{t: t, repos: map[string]*Repo{}, counts: map[string]int{}}
	for _, serve := range []http.HandlerFunc{h.serve, h.store} {
		h.servers = append(h.servers, httptest.NewServer(serve))
	}
	t.Cleanup(h.Close)
	h.URL, h.Storage = h.servers[0].URL, h.servers[1].URL
	return h
}

// Close ends the hub before the test ends.
func (h *Hub) Close() {
	for _, server := range h.servers {
		server.Close()
	}
}

// Add makes a repository; kind is datasets or models. Large files are named.
func (h *Hub) Add(kind, name string, files map[string]string, large ...string) *Repo {
	repo := &Repo{Commit: Commit, Files: map[string][]byte{}, Large: map[string]bool{}}
	for name, text := range files {
		repo.Files[name] = []byte(text)
	}
	for _, name := range large {
		repo.Large[name] = true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.repos[kind+"/"+name] = repo
	return repo
}

// enter counts a request and lets the fault answer.
func (h *Hub) enter(w http.ResponseWriter, r *http.Request, list *[]string, wrong bool) bool {
	h.mu.Lock()
	h.counts[r.URL.Path]++
	n := h.counts[r.URL.Path]
	if value := r.Header.Get("Range"); value != "" {
		h.ranges = append(h.ranges, value)
	}
	if wrong {
		*list = append(*list, r.URL.Path)
	}
	h.mu.Unlock()
	if h.Fault == nil {
		return false
	}
	h.turn.Lock()
	defer h.turn.Unlock()
	return h.Fault(w, r, n)
}

func (h *Hub) serve(w http.ResponseWriter, r *http.Request) {
	if h.enter(w, r, &h.without, r.Header.Get("Authorization") != "Bearer "+Token) {
		return
	}
	if path, isInfo := strings.CutPrefix(r.URL.Path, "/api/"); isInfo {
		name, revision, _ := strings.Cut(path, "/revision/")
		repo := h.repo(w, name)
		if repo == nil {
			return
		}
		if revision != "main" && revision != repo.Commit && !slices.Contains(repo.Tags, revision) {
			refuse(w, "RevisionNotFound")
			return
		}
		repo.describe(w)
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/")
	if !strings.HasPrefix(path, "datasets/") {
		path = "models/" + path
	}
	name, rest, _ := strings.Cut(path, "/resolve/")
	repo := h.repo(w, name)
	if repo == nil {
		return
	}
	commit, file, _ := strings.Cut(rest, "/")
	content, known := repo.Files[file]
	if !known || commit != repo.Commit {
		refuse(w, "EntryNotFound")
		return
	}
	w.Header().Set("X-Repo-Commit", repo.Commit)
	if !repo.Large[file] {
		w.Header().Set("ETag", `"`+GitSum(content)+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		return
	}
	w.Header().Set("X-Linked-Etag", `"`+Sum(content)+`"`)
	w.Header().Set("X-Linked-Size", fmt.Sprint(len(content)))
	http.Redirect(w, r, h.Storage+"/blob/"+file+"?signature=x", http.StatusFound)
}

// repo is the repository of that name; where there is none it answers, as the hub does, 401.
func (h *Hub) repo(w http.ResponseWriter, name string) *Repo {
	h.mu.Lock()
	defer h.mu.Unlock()
	repo := h.repos[name]
	if repo == nil {
		w.Header().Set("X-Error-Code", "RepoNotFound")
		w.WriteHeader(http.StatusUnauthorized)
	}
	return repo
}

func refuse(w http.ResponseWriter, code string) {
	w.Header().Set("X-Error-Code", code)
	w.WriteHeader(http.StatusNotFound)
}

// store is the storage host: its ETag is an MD5, and it must never see the token.
func (h *Hub) store(w http.ResponseWriter, r *http.Request) {
	if h.enter(w, r, &h.leaked, r.Header.Get("Authorization") != "") {
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/blob/")
	h.mu.Lock()
	var content []byte
	for _, repo := range h.repos {
		if repo.Large[name] {
			content = repo.Files[name]
		}
	}
	h.mu.Unlock()
	w.Header().Set("ETag", `"d41d8cd98f00b204e9800998ecf8427e"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

func (r *Repo) describe(w http.ResponseWriter) {
	type object map[string]any
	siblings := []object{}
	for name, content := range r.Files {
		sibling := object{"rfilename": name}
		if !r.Silent {
			sibling["size"], sibling["blobId"] = len(content), GitSum(content)
			if r.Large[name] {
				sibling["lfs"] = object{"sha256": Sum(content), "size": len(content)}
			}
		}
		siblings = append(siblings, sibling)
	}
	_ = json.NewEncoder(w).Encode(object{"sha": r.Commit, "siblings": siblings})
}

// Count is how often a path was asked for, on either host.
func (h *Hub) Count(path string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.counts[path]
}

// Asked is how many paths were asked for.
func (h *Hub) Asked() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.counts)
}

// Ranges are the Range headers in the order in which they came.
func (h *Hub) Ranges() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.ranges)
}

// NoLeak fails where the token went to the storage host, or did not go to the hub.
func (h *Hub) NoLeak() {
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

// Sum is the SHA-256 of a file, in hex.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// GitSum is the name that git has for a file.
func GitSum(content []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...))
	return hex.EncodeToString(sum[:])
}
