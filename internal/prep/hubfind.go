package prep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agentx/internal/hub"
	"agentx/internal/progress"
)

// The evidence for repository and revision of a corpus, as bundle.Source has it.
const (
	evidenceLocal = "local"
	evidenceHub   = "hub digests" // every file has the digest that the hub states for the commit
)

// hubPlaces says where a repository may be.
type hubPlaces struct {
	client *hub.Client
	mirror string // folder that the user names, empty for none
	own    string // folder of fetched repositories in the cache
	show   *progress.Printer
}

// openHub makes the hub's client from the environment; nothing is asked yet.
func openHub(options *Options, show *progress.Printer) (*hubPlaces, error) {
	config, err := hub.FromEnvironment(os.LookupEnv)
	if err != nil {
		return nil, classed(Usage, err)
	}
	config.Agent = options.Agent
	config.Notice = func(text string) { show.Line("%s", text) }
	client, err := hub.New(config)
	if err != nil {
		return nil, classed(Usage, err)
	}
	own, err := fetchedFolder(options.CacheDir)
	if err != nil {
		return nil, err
	}
	return &hubPlaces{client: client, mirror: options.Mirror, own: own, show: show}, nil
}

// fetchedFolder is where fetched repositories lie unless the user names a place.
func fetchedFolder(cacheDir string) (string, error) {
	folder, err := cacheFolder(cacheDir)
	return filepath.Join(folder, "hub"), err
}

// found is a repository on this host.
type found struct {
	folder   string
	record   *hub.Record
	evidence string
}

// wanted is a repository to be found.
type wanted struct {
	repo   hub.Repo
	alias  string
	subset string
	fetch  string // the command that brings it
}

// find finds a repository: in the mirror, in the HuggingFace cache, on the hub, and, where the hub cannot
// be reached, among what was fetched before.
func (h *hubPlaces) find(ctx context.Context, w wanted) (*found, error) {
	if h.mirror != "" {
		at, err := h.inMirror(ctx, h.mirror, w)
		// A mirror of a data set need not have the tokenizer too.
		if at != nil || w.repo.Kind == hub.Dataset || !errors.Is(err, fs.ErrNotExist) {
			return at, err
		}
	}
	cached, enough, err := h.inCache(ctx, w)
	if err != nil || enough {
		return cached, err
	}
	if !h.client.Offline() {
		at, failure := h.fetch(ctx, w, hub.MirrorFolder(h.own, w.repo))
		if failure == nil || !hub.IsUnreachable(failure) {
			return at, classedHub(failure)
		}
		err = failure
	}
	before, known := h.inMirror(ctx, h.own, w)
	switch {
	case known == nil:
		h.show.Line("the hub was not asked; using %s as it was fetched on %s", w.repo, before.record.FetchedAt.Format("2006-01-02"))
		return before, nil
	case cached != nil:
		h.show.Line("using the HuggingFace cache; without the hub nothing proves that %s has all the files of %s (evidence: local)", cached.folder, w.repo)
		return cached, nil
	case err == nil:
		err = fmt.Errorf("HF_HUB_OFFLINE is set, and neither the HuggingFace cache nor %s has %s", h.own, w.repo)
	}
	return nil, classed(Input, w.withoutNetwork(err))
}

// withoutNetwork adds to an error what to do on a host without network.
func (w *wanted) withoutNetwork(err error) error {
	return fmt.Errorf("%w; on a host without network: run `%s -o DIR` on a host that has one, carry DIR over, and add --mirror DIR here", err, w.fetch)
}

// inMirror finds a repository in a mirror and verifies it. The error is fs.ErrNotExist where it does not
// have it.
func (h *hubPlaces) inMirror(ctx context.Context, mirror string, w wanted) (*found, error) {
	folder, record, err := hub.FindMirror(mirror, w.repo)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; bring it with `%s -o %s`", err, w.fetch, mirror)
		}
		return nil, classedHub(err)
	}
	if record == nil {
		if record, err = hub.Unrecorded(folder, w.repo, w.subset); err != nil {
			return nil, classedHub(err)
		}
		if w.repo.Kind == hub.Dataset {
			h.show.Line("%s was copied by hand, without the record that agentx-prep fetch writes (a hidden file): the bundle will not count as %s (evidence: local)", folder, w.repo)
		}
		return &found{folder, record, evidenceLocal}, nil
	}
	if record.Subset != w.subset {
		return nil, classed(Input, fmt.Errorf("%s has the subset %s of %s, not %s; fetch again, or give the same --hf-subset", folder, orDefault(record.Subset), w.repo, orDefault(w.subset)))
	}
	if err := record.Verify(ctx, folder, verifiers); err != nil {
		return nil, classedHub(fmt.Errorf("%w; bring it anew with `%s -o DIR`, or build from the files as they are by --input-file", err, w.fetch))
	}
	return h.proved(folder, record), nil
}

// verifiers is how many files are hashed at a time.
const verifiers = 4

func orDefault(subset string) string {
	if subset == "" {
		return "(default)"
	}
	return subset
}

// proved is a repository whose files match the record.
func (h *hubPlaces) proved(folder string, record *hub.Record) *found {
	if record.Proved() {
		return &found{folder, record, evidenceHub}
	}
	if record.Kind == hub.Dataset {
		h.show.Line("the hub states no digest for some file of %s, so nothing proves that it is %s (evidence: local)", folder, record.Repository)
	}
	return &found{folder, record, evidenceLocal}
}

// inCache finds a repository in the HuggingFace cache; nil where it has none that can be used. enough
// reports that the hub has nothing to add: the files are all there, with the digests that it states. The
// network is used only where their names leave open whether one is missing, and for its list of files
// alone.
func (h *hubPlaces) inCache(ctx context.Context, w wanted) (at *found, enough bool, err error) {
	folder, record, whole, err := h.client.Cached(w.repo, w.subset)
	if record == nil || err != nil {
		return nil, false, classedHub(err)
	}
	if err := record.Verify(ctx, folder, verifiers); err != nil {
		if ctx.Err() != nil {
			return nil, false, classed(Interrupted, err)
		}
		h.show.Line("%v; the HuggingFace cache is not used", err)
		return nil, false, nil
	}
	if !whole && !h.client.Offline() {
		commit := w.repo
		commit.Revision = record.Commit
		if snapshot, err := h.client.Resolve(ctx, commit); err == nil {
			whole = snapshot.Complete(record, folder)
		}
	}
	if !whole || w.repo.Kind == hub.Dataset && !record.Proved() {
		return &found{folder, record, evidenceLocal}, false, nil
	}
	h.show.Line("%s: commit %s from the HuggingFace cache (`%s` asks the hub for a newer one)", w.repo, record.Commit, w.fetch)
	return h.proved(folder, record), true, nil
}

// fetch brings a repository into a folder.
func (h *hubPlaces) fetch(ctx context.Context, w wanted, folder string) (*found, error) {
	meter := &byteMeter{show: h.show}
	defer meter.end()
	record, err := h.client.Fetch(ctx, hub.Request{Repo: w.repo, Folder: folder, Alias: w.alias, Subset: w.subset, Progress: meter.progress})
	if err != nil {
		return nil, err
	}
	return h.proved(folder, record), nil
}

// byteMeter shows bytes as steps of a MiB.
type byteMeter struct {
	show  *progress.Printer
	work  *progress.Work
	steps int64
}

const mebibyte = 1 << 20

func (m *byteMeter) progress(done, total int64) {
	if total < mebibyte {
		return
	}
	if m.work == nil {
		m.work = m.show.Start("fetching, MiB", int(total/mebibyte))
	}
	for ; m.steps < done/mebibyte; m.steps++ {
		m.work.Step()
	}
}

func (m *byteMeter) end() {
	if m.work != nil {
		m.work.End()
	}
}

// classedHub gives an error of the hub its class: what was asked for cannot be used, the disk, or the user
// stopped the work.
func classedHub(err error) error {
	var e *hub.Error
	switch {
	case errors.Is(err, context.Canceled):
		return classed(Interrupted, err)
	case errors.As(err, &e) && e.Fault != hub.Local:
		return classed(Input, err)
	}
	return err
}
