package bundles

import (
	"fmt"
	"slices"
	"strings"

	"agentx/corpus/bundle"
	"agentx/internal/prep"
	"agentx/internal/scenario"
)

// Wish is what a command line says of the recording: values by main flag name, only those that the user
// set. Values are string, bool, int, int64, float64 or []string.
type Wish map[string]any

// NamesDataset reports whether the wish says which recording is meant, not only how it is to be prepared.
func (w Wish) NamesDataset() bool {
	for _, flag := range datasetFlags() {
		if _, given := w[flag]; given {
			return true
		}
	}
	return false
}

// countFlags are those of which agentx-prep build takes no 0.
func countFlags() []string {
	return []string{"max-context-length", "num-dataset-entries", "synthesis-max-isl", "synthesis-max-osl", "isl-block-size"}
}

func datasetFlags() []string { return []string{"public-dataset", "hf-weka-dataset", "input-file"} }

// Check refuses wishes that contradict themselves.
func (w Wish) Check() error {
	var given []string
	for _, flag := range datasetFlags() {
		if _, is := w[flag]; is && !(flag == "public-dataset" && w.namesLoader()) {
			given = append(given, "--"+flag)
		}
	}
	switch {
	case len(given) > 1:
		return fmt.Errorf("%s name different recordings: give one of them", strings.Join(given, " and "))
	case w.is("ignore-trace-delays") && w.is("use-think-time-only"):
		return fmt.Errorf("--ignore-trace-delays leaves --use-think-time-only without effect: give one of them")
	}
	for _, flag := range countFlags() {
		if value, is := numeric(w[flag]); is && value < 1 {
			return fmt.Errorf("--%s is %v: expected 1 or more, or no such flag", flag, w[flag])
		}
	}
	if kind, is := w["custom-dataset-type"]; is && spelled(fmt.Sprint(kind)) != scenario.LoaderLocal {
		return fmt.Errorf("--custom-dataset-type %v: agentx reads %s recordings only", kind, scenario.LoaderLocal)
	}
	public, _ := w["public-dataset"].(string)
	repository, _ := w["hf-weka-dataset"].(string)
	_, err := prep.ChooseDataSet(public, repository, "")
	return err
}

// namesLoader reports whether the public data set is the peer's word for a repository that is given too.
func (w Wish) namesLoader() bool {
	_, repository := w["hf-weka-dataset"]
	return repository && spelled(fmt.Sprint(w["public-dataset"])) == scenario.LoaderHub
}

func (w Wish) is(flag string) bool { return w[flag] == true }

// Content is what the wish says to a scenario, where there is no bundle to ask.
func (w Wish) Content() scenario.Content {
	content := scenario.Content{IgnoreTraceDelays: w.is("ignore-trace-delays"), Pinned: true}
	switch {
	case w["public-dataset"] != nil && !w.namesLoader():
		alias, _, _ := strings.Cut(fmt.Sprint(w["public-dataset"]), "@")
		content.Loader = spelled(alias)
		content.Repository, _ = scenario.Repository(content.Loader)
	case w["hf-weka-dataset"] != nil:
		content.Loader = scenario.LoaderHub
		content.Repository, _, _ = strings.Cut(fmt.Sprint(w["hf-weka-dataset"]), "@")
	case w["input-file"] != nil || w["custom-dataset-type"] != nil:
		content.Loader = scenario.LoaderLocal
	default:
		return scenario.Content{}
	}
	return content
}

// spelled is the one spelling of a name that may be written with dashes or underscores.
func spelled(name string) string { return strings.ReplaceAll(strings.ToLower(name), "-", "_") }

// Flags lists the flags that a wish may have, in the order of a command line.
func Flags() []string {
	var flags []string
	for _, rule := range rules() {
		flags = append(flags, rule.flag)
	}
	return flags
}

// PrepCommand is the command line that makes the bundle of the wish. What the wish leaves open is as in
// base, where there is one.
func (w Wish) PrepCommand(base *Candidate) string {
	whole := Wish{}
	if base != nil && !w.NamesDataset() {
		base.describe(whole)
	}
	if base != nil {
		base.describeOptions(whole)
	}
	for flag, value := range w {
		whole[flag] = value
	}
	if !whole.NamesDataset() {
		whole["input-file"] = []string{"TRACES"}
	}
	words := []string{"agentx-prep", "build"}
	for _, flag := range Flags() {
		if value, given := whole[flag]; given {
			words = append(words, flagWords(flag, value)...)
		}
	}
	return strings.Join(append(words, "-o", "NAME"+bundle.NamedSuffix), " ")
}

func flagWords(flag string, value any) []string {
	switch value := value.(type) {
	case bool:
		if value {
			return []string{"--" + flag}
		}
		return []string{"--" + flag + "=false"}
	case []string:
		words := []string{"--" + flag}
		for _, word := range value {
			words = append(words, Quoted(word))
		}
		return words
	}
	return []string{"--" + flag, Quoted(fmt.Sprint(value))}
}

// Quoted is a word as a shell reads it.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || slices.Contains([]rune("-_./:@,+="), r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
