package prep

import (
	"errors"
	"fmt"
	"strings"

	"agentx/internal/hub"
	"agentx/internal/scenario"
)

// DataSet names a recording on a hub.
type DataSet struct {
	Alias  string // of a public data set; empty when the repository was named itself
	Repo   hub.Repo
	Subset string // configuration; empty: the default one
}

// ParsePublic reads the name of a public data set: ALIAS or ALIAS@REVISION.
func ParsePublic(text string) (*DataSet, error) {
	name, revision, _ := strings.Cut(text, "@")
	alias, repository, known := scenario.DataSet(name)
	if !known {
		return nil, classed(Usage, fmt.Errorf("there is no public data set %q; there are %s (or give a repository by --hf-weka-dataset OWNER/NAME)", name, strings.Join(scenario.DataSets(), ", ")))
	}
	repo := hub.Repo{Kind: hub.Dataset, Name: repository}
	if strings.Contains(text, "@") {
		var err error
		if repo, err = hub.ParseRepo(hub.Dataset, repository+"@"+revision); err != nil {
			return nil, classed(Usage, fmt.Errorf("--public-dataset %s: %w", text, err))
		}
	}
	return &DataSet{Alias: alias, Repo: repo}, nil
}

// ParseHub reads the name of a repository of recordings: OWNER/NAME or OWNER/NAME@REVISION.
func ParseHub(text string) (*DataSet, error) {
	repo, err := hub.ParseRepo(hub.Dataset, text)
	if err != nil {
		return nil, classed(Usage, err)
	}
	return &DataSet{Repo: repo}, nil
}

// ParseDataSet reads either: a name with a slash is a repository.
func ParseDataSet(text string) (*DataSet, error) {
	if name, _, _ := strings.Cut(text, "@"); strings.Contains(name, "/") {
		return ParseHub(text)
	}
	return ParsePublic(text)
}

// ChooseDataSet settles which recording the flags of a build mean; nil is none. weka_hf is the peer's
// name for a repository that is given by --hf-weka-dataset.
func ChooseDataSet(public, repository, subset string) (*DataSet, error) {
	var set *DataSet
	var err error
	switch {
	case repository != "" && public != "" && strings.ReplaceAll(public, "-", "_") != scenario.LoaderHub:
		return nil, classed(Usage, fmt.Errorf("--public-dataset %s and --hf-weka-dataset %s name two data sets; give one of them", public, repository))
	case repository != "":
		set, err = ParseHub(repository)
	case public != "":
		set, err = ParsePublic(public)
	case subset != "":
		return nil, classed(Usage, errors.New("--hf-subset needs --public-dataset or --hf-weka-dataset"))
	}
	if set != nil {
		set.Subset = subset
	}
	return set, err
}

// String is how the user would name it.
func (d *DataSet) String() string {
	if d.Alias == "" {
		return d.Repo.String()
	}
	if d.Repo.Revision != "" {
		return d.Alias + "@" + d.Repo.Revision
	}
	return d.Alias
}
