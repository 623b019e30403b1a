package hub

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// config is one way to read a data set, as its README's front matter declares it.
type config struct {
	name      string
	byDefault bool
	folder    string // data_dir
	// patterns of the train split, relative to the repository; nil: none are declared.
	patterns []string
	splits   []string // that are declared
}

// parseCard reads the configs of a README. One without front matter, or without configs, has none.
func parseCard(readme []byte) ([]config, error) {
	front := frontMatter(readme)
	if front == nil {
		return nil, nil
	}
	var card struct {
		Configs []struct {
			Name    string `yaml:"config_name"`
			Default bool   `yaml:"default"`
			DataDir string `yaml:"data_dir"`
			Files   any    `yaml:"data_files"`
		} `yaml:"configs"`
	}
	if err := yaml.Unmarshal(front, &card); err != nil {
		return nil, failed(Broken, err, "the front matter of README.md cannot be read")
	}
	var configs []config
	for _, declared := range card.Configs {
		c := config{name: declared.Name, byDefault: declared.Default, folder: strings.Trim(declared.DataDir, "/")}
		if c.name == "" {
			c.name = "default"
		}
		if err := c.dataFiles(declared.Files); err != nil {
			return nil, failed(Broken, err, "README.md, configuration %s", c.name)
		}
		configs = append(configs, c)
	}
	return configs, nil
}

// frontMatter is what stands between the first two lines of three dashes; nil for none.
func frontMatter(readme []byte) []byte {
	text := bytes.ReplaceAll(bytes.TrimPrefix(readme, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	body, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil
	}
	end := bytes.Index(append([]byte("\n"), body...), []byte("\n---"))
	if end < 0 {
		return nil
	}
	return body[:end]
}

// dataFiles takes a pattern, a list of patterns, a list of {split, path}, or a map from split to
// patterns. Patterns without a split are those of the train split.
func (c *config) dataFiles(declared any) error {
	switch value := declared.(type) {
	case nil:
		return nil
	case map[string]any:
		for split, patterns := range value {
			if err := c.addSplit(split, patterns); err != nil {
				return err
			}
		}
		return nil
	case []any:
		for _, item := range value {
			entry, isMap := item.(map[string]any)
			if !isMap {
				if err := c.addSplit(trainSplit, item); err != nil {
					return err
				}
				continue
			}
			split, _ := entry["split"].(string)
			if split == "" {
				split = trainSplit
			}
			if err := c.addSplit(split, entry["path"]); err != nil {
				return err
			}
		}
		return nil
	}
	return c.addSplit(trainSplit, declared)
}

const trainSplit = "train"

func (c *config) addSplit(split string, patterns any) error {
	if !slices.Contains(c.splits, split) {
		c.splits = append(c.splits, split)
	}
	if split != trainSplit {
		return nil
	}
	switch value := patterns.(type) {
	case string:
		c.patterns = append(c.patterns, c.below(value))
		return nil
	case []any:
		for _, item := range value {
			text, ok := item.(string)
			if !ok {
				return fmt.Errorf("data_files has %v, expected a path", item)
			}
			c.patterns = append(c.patterns, c.below(text))
		}
		return nil
	}
	return fmt.Errorf("data_files has %v, expected a path or a list of paths", patterns)
}

// below puts a pattern into the configuration's folder.
func (c *config) below(pattern string) string {
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	if c.folder == "" {
		return pattern
	}
	return c.folder + "/" + pattern
}

// pick is the configuration that a subset means; the empty subset is the only one, the one marked as
// default or the one called so.
func pick(configs []config, subset string) (*config, error) {
	names := make([]string, len(configs))
	for i := range configs {
		names[i] = configs[i].name
	}
	list := strings.Join(names, ", ")
	if subset != "" {
		if at := slices.Index(names, subset); at >= 0 {
			return &configs[at], nil
		}
		return nil, failed(Unfit, nil, "the data set has no subset %q; it has %s", subset, list)
	}
	if len(configs) == 1 {
		return &configs[0], nil
	}
	if at := slices.IndexFunc(configs, func(c config) bool { return c.byDefault }); at >= 0 {
		return &configs[at], nil
	}
	if at := slices.Index(names, "default"); at >= 0 {
		return &configs[at], nil
	}
	return nil, failed(Unfit, nil, "the data set has several subsets: pick one of %s by --hf-subset", list)
}
