package hub

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentx/internal/hub/hubtest"
)

// fakeHub is a hub with one repository.
type fakeHub struct {
	*hubtest.Hub
	*hubtest.Repo
	t *testing.T
}

func newHub(t *testing.T, kind Kind, files map[string]string, large ...string) *fakeHub {
	h := hubtest.New(t)
	return &fakeHub{h, h.Add(string(kind), "org/name", files, large...), t}
}

// client asks this hub, sleeping never.
func (h *fakeHub) client(change func(*Config)) (*Client, *[]time.Duration) {
	h.t.Helper()
	slept := &[]time.Duration{}
	config := Config{Endpoint: h.URL, Token: hubtest.Token, Sleep: func(ctx context.Context, d time.Duration) error {
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

// dataset is a repository with one large file.
func dataset(t *testing.T) (*fakeHub, Request) {
	h := newHub(t, Dataset, map[string]string{"README.md": "# traces\n", "traces.jsonl": strings.Repeat("{\"id\":1}\n", 20_000), ".gitattributes": "x"}, "traces.jsonl")
	return h, Request{Repo: Repo{Kind: Dataset, Name: "org/name"}, Folder: filepath.Join(t.TempDir(), "mirror")}
}
