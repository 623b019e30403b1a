package hub

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentx/internal/hub/hubtest"
)

// A body that breaks off is gone on with by a range, from the bytes that came.
func TestTruncatedBodyIsResumed(t *testing.T) {
	h, request := dataset(t)
	whole := h.Files["traces.jsonl"]
	h.Fault = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if r.URL.Path != "/blob/traces.jsonl" || n > 2 {
			return false
		}
		if n == 2 { // a range is answered with too little as well
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 70000-%d/%d", len(whole)-1, len(whole)))
			w.Header().Set("Content-Length", fmt.Sprint(len(whole)-70_000))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(whole[70_000:100_000])
			return true
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
		_, _ = w.Write(whole[:70_000])
		return true
	}
	client, slept := h.client(nil)
	mustFetch(t, client, request)
	h.holds(request.Folder, "traces.jsonl")
	h.NoLeak()
	// The hub itself sees the range too, before it redirects.
	if want := []string{"bytes=70000-", "bytes=70000-", "bytes=100000-", "bytes=100000-"}; !slices.Equal(h.Ranges(), want) {
		t.Errorf("ranges are %v, want %v", h.Ranges(), want)
	}
	if len(*slept) != 2 {
		t.Errorf("waited %v, want two pauses", *slept)
	}
}

// What an earlier process left is gone on with; the digest finds out if it was something else.
func TestResumeAfterAKill(t *testing.T) {
	for name, left := range map[string][]byte{"good": nil, "rotten": []byte(strings.Repeat("x", 1000)), "whole": nil, "too long": []byte(strings.Repeat("y", 300_000))} {
		t.Run(name, func(t *testing.T) {
			h, request := dataset(t)
			whole := h.Files["traces.jsonl"]
			switch name {
			case "good":
				left = whole[:1000]
			case "whole":
				left = whole
			}
			write(t, partName(request.Folder, "traces.jsonl"), left)
			client, _ := h.client(nil)
			mustFetch(t, client, request)
			h.holds(request.Folder, "traces.jsonl")
		})
	}
}

// partName is where the download of a file goes, by the documented rule: one name a commit and path.
func partName(folder, path string) string {
	return filepath.Join(folder, partPrefix+hubtest.Sum([]byte(hubtest.Commit + "/" + path))[:16])
}

func TestWrongBytesAreNeverGivenAName(t *testing.T) {
	h, request := dataset(t)
	h.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.URL.Path != "/blob/traces.jsonl" {
			return false
		}
		bad := append([]byte(nil), h.Files["traces.jsonl"]...)
		bad[5] ^= 1
		_, _ = w.Write(bad)
		return true
	}
	client, _ := h.client(nil)
	_, err := client.Fetch(t.Context(), request)
	if e := faultOf(t, err); e.Fault != Corrupt || !strings.Contains(err.Error(), hubtest.Sum(h.Files["traces.jsonl"])) {
		t.Errorf("error is %v", err)
	}
	entries, _ := os.ReadDir(request.Folder)
	for _, entry := range entries {
		if name := entry.Name(); name != lockName && name != readmeFile {
			t.Errorf("left behind: %s", name)
		}
	}
}

// Statuses, each with what the user is told; busy ones are tried again, refusals are not.
func TestStatuses(t *testing.T) {
	cases := map[string]struct {
		status int
		header http.Header
		fault  Fault
		says   string
		tries  int
	}{
		"gated":       {403, http.Header{"X-Error-Code": {"GatedRepo"}}, Denied, "ask for access on its page", 1},
		"private":     {401, nil, Denied, "the token in HF_TOKEN may not read it", 1},
		"no repo":     {401, http.Header{"X-Error-Code": {"RepoNotFound"}}, Missing, "no such repository, or it is private", 1},
		"missing":     {404, nil, Missing, "check the name", 1},
		"revision":    {404, http.Header{"X-Error-Code": {"RevisionNotFound"}}, Missing, "no such revision", 1},
		"busy":        {503, nil, Busy, "after 6 tries", mostTries},
		"limited":     {429, http.Header{"Retry-After": {"7"}}, Busy, "429", mostTries},
		"long wait":   {429, http.Header{"Retry-After": {"86400"}}, Busy, "wait 24h0m0s", 1},
		"unspeakable": {418, nil, Broken, "is HF_ENDPOINT", 1},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			h, request := dataset(t)
			h.Fault = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
				for key, values := range test.header {
					w.Header()[key] = values
				}
				w.WriteHeader(test.status)
				return true
			}
			client, slept := h.client(nil)
			_, err := client.Fetch(t.Context(), request)
			e := faultOf(t, err)
			if e.Fault != test.fault || e.Status != test.status || !strings.Contains(err.Error(), test.says) {
				t.Errorf("fault %d, status %d, %v; want %d, %d and %q", e.Fault, e.Status, err, test.fault, test.status, test.says)
			}
			if n := h.Count("/api/datasets/org/name/revision/main"); n != test.tries {
				t.Errorf("tried %d times, want %d", n, test.tries)
			}
			if name == "limited" && (len(*slept) != test.tries-1 || (*slept)[0] != 7*time.Second) {
				t.Errorf("waited %v, the hub said 7 s", *slept)
			}
			if name == "busy" && !slices.Equal(*slept, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}) {
				t.Errorf("waited %v", *slept)
			}
		})
	}
}

func TestBusyHubThatRecovers(t *testing.T) {
	h, request := dataset(t)
	h.Fault = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if n > 1 {
			return false
		}
		w.Header().Set("RateLimit", `"resolvers";r=0;t=55`)
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	}
	client, slept := h.client(nil)
	mustFetch(t, client, request)
	h.holds(request.Folder, "traces.jsonl")
	for _, wait := range (*slept)[:2] {
		if wait != 55*time.Second {
			t.Errorf("waited %v, the hub said 55 s", *slept)
		}
	}
}

func TestWaitTold(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{"12": 12 * time.Second, "Fri, 02 Jan 2026 03:05:05 GMT": time.Minute, "Fri, 02 Jan 2026 03:00:00 GMT": 0, "-3": 0, "soon": 0} {
		if got := waitTold(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("Retry-After %q: %v, want %v", text, got, want)
		}
	}
}

// The hub's word on commit, size and digest must agree with itself.
func TestContradictionsAreRefused(t *testing.T) {
	for header, value := range map[string]string{"X-Repo-Commit": strings.Repeat("e", 40), "X-Linked-Size": "5", "X-Linked-Etag": strings.Repeat("d", 64)} {
		t.Run(header, func(t *testing.T) {
			h, request := dataset(t)
			h.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
				if !strings.HasSuffix(r.URL.Path, "/traces.jsonl") || strings.HasPrefix(r.URL.Path, "/blob/") {
					return false
				}
				w.Header().Set(header, value)
				http.Redirect(w, r, h.Storage+"/blob/traces.jsonl", http.StatusFound)
				return true
			}
			client, _ := h.client(nil)
			_, err := client.Fetch(t.Context(), request)
			if e := faultOf(t, err); e.Fault != Broken {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestStalledAnswersAreAskedForAgain(t *testing.T) {
	for _, path := range []string{"/blob/traces.jsonl", "/api/datasets/org/name/revision/main"} {
		t.Run(path, func(t *testing.T) { stalls(t, path) })
	}
}

// stalls fetches while the first answer at the path breaks off without an end.
func stalls(t *testing.T, path string) {
	h, request := dataset(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	h.Fault = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if r.URL.Path != path || n > 1 {
			return false
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(h.Files["traces.jsonl"])))
		_, _ = w.Write([]byte("{"))
		w.(http.Flusher).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return true
	}
	client, slept := h.client(func(c *Config) { c.Stall = 100 * time.Millisecond })
	mustFetch(t, client, request)
	h.holds(request.Folder, "traces.jsonl")
	if len(*slept) != 1 {
		t.Errorf("paused %v, want once", *slept)
	}
}

func TestNoNetwork(t *testing.T) {
	h, request := dataset(t)
	h.Close()
	client, slept := h.client(nil)
	_, err := client.Fetch(t.Context(), request)
	if e := faultOf(t, err); e.Fault != Unreachable || !IsUnreachable(err) || len(*slept) > 0 {
		t.Errorf("error is %v after %v; a host without network must hear it at once", err, *slept)
	}
	offline, _ := h.client(func(c *Config) { c.Offline = true })
	_, err = offline.Fetch(t.Context(), request)
	if e := faultOf(t, err); e.Fault != Offline || !IsUnreachable(err) {
		t.Errorf("error is %v", err)
	}
}

func TestRedirectsThatAreNotFollowed(t *testing.T) {
	for name, target := range map[string]string{"loop": "", "scheme": "ftp://127.0.0.1/x"} {
		t.Run(name, func(t *testing.T) {
			h, request := dataset(t)
			h.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
				to := target
				if to == "" {
					to = r.URL.Path
				}
				http.Redirect(w, r, to, http.StatusTemporaryRedirect)
				return true
			}
			client, _ := h.client(nil)
			_, err := client.Fetch(t.Context(), request)
			if e := faultOf(t, err); e.Fault != Broken {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// A name that leads out of the folder is never asked for, nor written to.
func TestPathsThatLeaveTheFolder(t *testing.T) {
	for _, path := range []string{"../traces.jsonl", "a/../../traces.jsonl", "/traces.jsonl", `a\b.jsonl`, "c:x.jsonl"} {
		h := newHub(t, Dataset, map[string]string{path: "{}"})
		client, _ := h.client(nil)
		_, err := client.Fetch(t.Context(), Request{Repo: Repo{Kind: Dataset, Name: "org/name"}, Folder: filepath.Join(t.TempDir(), "a", "b")})
		if e := faultOf(t, err); e.Fault != Broken && e.Fault != Unfit {
			t.Errorf("%q: %v", path, err)
		}
		if h.Asked() != 1 {
			t.Errorf("%q: asked for %d paths, want only the list", path, h.Asked())
		}
	}
}
