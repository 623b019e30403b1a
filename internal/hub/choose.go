package hub

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Choice is which files of a data set hold its traces.
type Choice struct {
	Files []string // in the order in which they are read
	How   string   // by what rule they were found

	// Whole: the names prove that no file is missing, even if the list that they were chosen from is
	// not known to be all of the repository.
	Whole bool
}

// dataKinds are the forms of traces in the order in which one is preferred: where a repository has the
// same rows in two forms, only one must be read.
var dataKinds = []string{".jsonl", ".ndjson", ".parquet", ".json"}

// noTraces are .json files that data sets have beside their data.
var noTraces = []string{"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "config.json", "state.json"}

// trainName finds the word train in a path as the HuggingFace libraries do: between characters that are
// no letters.
var trainName = regexp.MustCompile(`(?i)(^|[^a-z])(train|training)([^a-z]|$)`)

// shardName finds the numbers of a file that is one of several.
var shardName = regexp.MustCompile(`-(\d+)-of-(\d+)\.`)

// Choose picks the data files of a repository: by its README's configs, else those called train, else
// all; of one kind only (decision 26). files are all its paths, readme its README.md or nil.
func Choose(files []string, readme []byte, subset string) (Choice, error) {
	configs, err := parseCard(readme)
	if err != nil {
		return Choice{}, err
	}
	candidates := slices.DeleteFunc(slices.Clone(files), func(file string) bool { return kindOf(file) == "" })
	if len(configs) == 0 {
		if subset != "" && subset != "default" {
			return Choice{}, failed(Unfit, nil, "the data set declares no subsets, so there is no %q; leave out --hf-subset", subset)
		}
		return chooseByName(candidates, "")
	}
	config, err := pick(configs, subset)
	if err != nil {
		return Choice{}, err
	}
	how := fmt.Sprintf("README.md, subset %s", config.name)
	switch {
	case config.patterns == nil && len(config.splits) > 0:
		return Choice{}, failed(Unfit, nil, "the data set has no train split in subset %s; it has %s", config.name, strings.Join(config.splits, ", "))
	case config.patterns == nil:
		below := slices.DeleteFunc(candidates, func(file string) bool { return config.folder != "" && !strings.HasPrefix(file, config.folder+"/") })
		return chooseByName(below, how+", ")
	}
	return chooseByPatterns(candidates, config.patterns, how)
}

func chooseByPatterns(candidates, patterns []string, how string) (Choice, error) {
	choice := Choice{How: how, Whole: true}
	for _, pattern := range patterns {
		matcher, err := globPattern(pattern)
		if err != nil {
			return Choice{}, failed(Broken, err, "README.md has the pattern %q", pattern)
		}
		var matched []string
		for _, file := range candidates {
			if matcher.MatchString(file) && !slices.Contains(choice.Files, file) {
				matched = append(matched, file)
			}
		}
		slices.Sort(matched)
		choice.Whole = choice.Whole && (len(matched) == 1 && matched[0] == pattern || allShards(matched))
		choice.Files = append(choice.Files, matched...)
	}
	if len(choice.Files) == 0 {
		return Choice{}, failed(Unfit, nil, "%s names %s, but no .jsonl, .parquet or .json file fits", how, strings.Join(patterns, ", "))
	}
	choice.oneKind()
	return choice, nil
}

// chooseByName takes the files called train, or else all.
func chooseByName(candidates []string, how string) (Choice, error) {
	train := slices.DeleteFunc(slices.Clone(candidates), func(file string) bool { return !trainName.MatchString(file) })
	choice := Choice{Files: train, How: how + "files called train"}
	if len(train) == 0 {
		choice.Files, choice.How = slices.Clone(candidates), how+"all data files"
	}
	if len(choice.Files) == 0 {
		return Choice{}, failed(Unfit, nil, "the repository has no .jsonl, .parquet or .json file")
	}
	slices.Sort(choice.Files)
	choice.oneKind()
	choice.Whole = allShards(choice.Files)
	return choice, nil
}

// oneKind keeps the files of one kind.
func (c *Choice) oneKind() {
	for _, kind := range dataKinds {
		own := slices.DeleteFunc(slices.Clone(c.Files), func(file string) bool { return kindOf(file) != kind })
		if len(own) == 0 {
			continue
		}
		if len(own) < len(c.Files) {
			c.How += fmt.Sprintf(", the %s ones (%d others may hold the same rows)", kind, len(c.Files)-len(own))
		}
		c.Files = own
		return
	}
}

// kindOf is the form of a data file, empty for other files. A compression may follow.
func kindOf(file string) string {
	for _, part := range strings.Split(file, "/") {
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "__") {
			return ""
		}
	}
	name := strings.ToLower(path.Base(file))
	if slices.Contains(noTraces, name) {
		return ""
	}
	for _, packing := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, packing)
	}
	if kind := path.Ext(name); slices.Contains(dataKinds, kind) {
		return kind
	}
	return ""
}

// allShards reports whether the files are numbered i of n and all n are there.
func allShards(files []string) bool {
	for _, file := range files {
		numbers := shardName.FindStringSubmatch(path.Base(file))
		if numbers == nil {
			return false
		}
		if of, err := strconv.Atoi(numbers[2]); err != nil || of != len(files) {
			return false
		}
	}
	return len(files) > 0
}

// globPattern compiles a pattern of a README: * and ? stay inside a path component, ** does not.
func globPattern(pattern string) (*regexp.Regexp, error) {
	var out strings.Builder
	out.WriteString("^")
	for i := 0; i < len(pattern); {
		rest := pattern[i:]
		switch {
		case strings.HasPrefix(rest, "**/"):
			out.WriteString("(?:.*/)?")
			i += 3
		case strings.HasPrefix(rest, "**"):
			out.WriteString(".*")
			i += 2
		case rest[0] == '*':
			out.WriteString("[^/]*")
			i++
		case rest[0] == '?':
			out.WriteString("[^/]")
			i++
		case rest[0] == '[' && len(rest) > 2 && strings.Contains(rest[2:], "]"):
			end := strings.Index(rest[2:], "]") + 2
			class := strings.ReplaceAll(rest[1:end], `\`, `\\`)
			if class[0] == '!' {
				class = "^" + class[1:]
			}
			out.WriteString("[" + class + "]")
			i += end + 1
		default:
			out.WriteString(regexp.QuoteMeta(rest[:1]))
			i++
		}
	}
	out.WriteString("$")
	return regexp.Compile(out.String())
}
