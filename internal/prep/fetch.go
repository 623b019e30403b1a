package prep

import (
	"context"
	"errors"
	"fmt"
	"io"

	"agentx/internal/hub"
	"agentx/internal/progress"
)

// FetchOptions say what to bring from the hub.
type FetchOptions struct {
	DataSet           string // alias or repository, with @REVISION or without; empty: none
	Subset            string
	Tokenizer         string // repository of a model; empty: none
	TokenizerRevision string
	Output            string // mirror folder; empty: the one in the cache, which builds look into by themselves
	CacheDir          string
	Agent             string // User-Agent
}

// Fetch brings a data set, a tokenizer or both into a mirror: a folder that builds on a host without
// network read.
func Fetch(ctx context.Context, out io.Writer, options FetchOptions, show *progress.Printer) error {
	if options.DataSet == "" && options.Tokenizer == "" {
		return classed(Usage, errors.New("fetch what? give the name of a public data set, OWNER/NAME of a repository, or --tokenizer OWNER/NAME"))
	}
	if options.DataSet == "" && options.Subset != "" {
		return classed(Usage, errors.New("--hf-subset needs a data set"))
	}
	var all []wanted
	var build string
	if options.DataSet != "" {
		set, err := ParseDataSet(options.DataSet)
		if err != nil {
			return err
		}
		set.Subset = options.Subset
		all = append(all, set.wanted())
		build += " " + set.flags()
	}
	if options.Tokenizer != "" {
		repo, err := tokenizerRepo(options.Tokenizer, options.TokenizerRevision)
		if err != nil {
			return err
		}
		all = append(all, wantedTokenizer(repo))
		build += " --tokenizer " + repo.String()
	}
	places, err := openHub(&Options{CacheDir: options.CacheDir, Agent: options.Agent}, show)
	if err != nil {
		return err
	}
	mirror := places.own
	if options.Output != "" {
		mirror = options.Output
		build += " --mirror " + mirror
	}
	p := &printer{out: out}
	for _, w := range all {
		at, err := places.fetch(ctx, w, hub.MirrorFolder(mirror, w.repo))
		if err != nil {
			return classedHub(err)
		}
		writeFetched(p, at)
	}
	if options.DataSet != "" {
		p.row("next", "agentx-prep build%s", build)
	} else {
		p.row("next", "agentx-prep build --input-file TRACES%s", build)
	}
	return p.err
}

// flags are those of a build of this data set.
func (d *DataSet) flags() string {
	text := "--hf-weka-dataset " + d.Repo.String()
	if d.Alias != "" {
		text = "--public-dataset " + d.String()
	}
	if d.Subset != "" {
		text += " --hf-subset " + d.Subset
	}
	return text
}

// wanted is what find and fetch need to know.
func (d *DataSet) wanted() wanted {
	command := "agentx-prep fetch " + d.String()
	if d.Subset != "" {
		command = fmt.Sprintf("agentx-prep fetch --hf-subset %s %s", d.Subset, d)
	}
	return wanted{repo: d.Repo, alias: d.Alias, subset: d.Subset, fetch: command}
}

func writeFetched(p *printer, at *found) {
	r := at.record
	name := r.Repository
	if r.Alias != "" {
		name = r.Alias + " (" + name + ")"
	}
	p.row("fetched", "%s, revision %s", name, orMain(r.Revision))
	p.row("commit", "%s", r.Commit)
	size := int64(0)
	for _, file := range r.Data() {
		size += file.Size
	}
	p.row("files", "%s, %s (%s)", count(len(r.Data())), bytesText(size), r.Choice)
	for i, file := range r.Data() {
		if i == mostListed {
			p.row("", "… and %s more, all in %s", count(len(r.Data())-mostListed), hub.RecordName)
			break
		}
		p.row("", "%s  %s  %s", file.Path, bytesText(file.Size), orNone(string(file.Stated)))
	}
	if at.evidence != evidenceHub {
		p.row("", "the hub states no digest for some of them: nothing will prove what they are")
	}
	p.row("folder", "%s", at.folder)
}

// mostListed is how many files are printed.
const mostListed = 10

func orMain(revision string) string {
	if revision == "" {
		return hub.DefaultRevision
	}
	return revision
}
