package hub

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// tokenizerFile is the one file that a tokenizer cannot do without.
const tokenizerFile = "tokenizer.json"

// tokenizerFiles are what a tokenizer may have: itself, its settings and its chat template.
var tokenizerFiles = []string{tokenizerFile, "tokenizer_config.json", "chat_template.jinja"}

// Cached looks for a repository in the cache of the HuggingFace libraries. record is nil where it has
// nothing that can be used. whole reports that no data file can be missing; where it is false, the hub's
// own list is needed to prove that (see Complete).
func (c *Client) Cached(repo Repo, subset string) (folder string, record *Record, whole bool, err error) {
	if c.config.CacheDir == "" {
		return "", nil, false, nil
	}
	root := filepath.Join(c.config.CacheDir, repo.Folder())
	commit := repo.revision()
	if ref, err := os.ReadFile(filepath.Join(root, "refs", filepath.FromSlash(commit))); err == nil {
		commit = strings.TrimSpace(string(ref))
	}
	if !fullCommit.MatchString(commit) {
		return "", nil, false, nil
	}
	folder = filepath.Join(root, "snapshots", commit)
	names, err := listing(folder)
	if err != nil || len(names) == 0 {
		return "", nil, false, nil
	}
	snapshot := &Snapshot{Repo: repo, Commit: commit}
	for _, name := range names {
		snapshot.Files = append(snapshot.Files, File{Path: name, Size: -1, Stated: blobOf(root, filepath.Join(folder, filepath.FromSlash(name)))})
	}
	if !slices.ContainsFunc(names, func(name string) bool { return repo.Kind == Dataset && kindOf(name) != "" || name == tokenizerFile }) {
		return "", nil, false, nil
	}
	record, whole, err = describe(snapshot, folder, subset)
	return folder, record, whole, err
}

// blobOf is the digest that the cache has a file under: its snapshots are links to blobs, which are named
// by the hub's entity tags.
func blobOf(root, name string) Stated {
	at, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	blobs, err := filepath.EvalSymlinks(filepath.Join(root, "blobs"))
	if err != nil || filepath.Dir(at) != blobs {
		return ""
	}
	return statedBy(filepath.Base(at))
}

// Complete reports whether the record, whose files lie in folder, has all the data files of the snapshot.
func (s *Snapshot) Complete(record *Record, folder string) bool {
	choice, err := s.choose(folder, record.Subset)
	if err != nil || s.Commit != record.Commit {
		return false
	}
	return slices.EqualFunc(choice.Files, record.Data(), func(file string, own RecordFile) bool { return file == own.Path })
}

// describe makes the record of a repository whose files lie in folder: which hold data.
func describe(s *Snapshot, folder, subset string) (*Record, bool, error) {
	record := &Record{
		Format: recordFormat, Kind: s.Repo.Kind, Repository: s.Repo.Name, Revision: s.Repo.Revision, Commit: s.Commit, Subset: subset,
	}
	choice, err := s.choose(folder, subset)
	if err != nil {
		return nil, false, err
	}
	record.Choice = choice.How
	for _, name := range choice.Files {
		file, _ := s.find(name)
		record.Files = append(record.Files, RecordFile{Path: name, Size: file.Size, Stated: file.Stated, Data: true})
	}
	return record, choice.Whole, nil
}

// choose finds the data files. A data set's README.md must be in the folder if the repository has one.
func (s *Snapshot) choose(folder, subset string) (Choice, error) {
	if s.Repo.Kind == Model {
		return s.chooseTokenizer()
	}
	var readme []byte
	if _, has := s.find(readmeFile); has {
		var err error
		if readme, err = os.ReadFile(filepath.Join(folder, readmeFile)); err != nil {
			return Choice{}, failed(Local, err, "reading the README")
		}
	}
	choice, err := Choose(s.Paths(), readme, subset)
	if e, ok := err.(*Error); ok {
		e.Text = s.Repo.String() + ": " + e.Text
	}
	return choice, err
}

const readmeFile = "README.md"

// chooseTokenizer takes what a tokenizer has.
func (s *Snapshot) chooseTokenizer() (Choice, error) {
	choice := Choice{How: "tokenizer files"}
	for _, name := range tokenizerFiles {
		if _, has := s.find(name); has {
			choice.Files = append(choice.Files, name)
		}
	}
	if slices.Contains(choice.Files, tokenizerFile) {
		// A cache may have the one without the other, which has the chat template.
		choice.Whole = slices.Contains(choice.Files, tokenizerFiles[1])
		return choice, nil
	}
	for _, file := range s.Files {
		switch path.Base(file.Path) {
		case "tiktoken.model", "tokenizer.model", "spiece.model", "vocab.json", "tekken.json":
			return choice, failed(Unfit, nil, "%s has %s and no tokenizer.json; get the tokenizer.json of the same model (its authors or save_pretrained make one) and give that file by --tokenizer", s.Repo, file.Path)
		}
	}
	return choice, failed(Unfit, nil, "%s has no tokenizer.json; is it the repository of a model?", s.Repo)
}
