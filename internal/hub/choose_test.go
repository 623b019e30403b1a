package hub

import (
	"slices"
	"strings"
	"testing"
)

// front makes a README of YAML.
func front(yaml string) []byte { return []byte("---\n" + yaml + "\n---\n# Title\n") }

func TestChooseDataFiles(t *testing.T) {
	shards := []string{"data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet", "data/test-00000-of-00001.parquet", "README.md"}
	subsets := front("license: apache-2.0\nconfigs:\n- config_name: small\n  data_files:\n  - split: train\n    path: small/*.jsonl\n  - split: test\n    path: t.jsonl\n- config_name: big\n  default: true\n  data_files: big/**")
	repository := []string{"small/a.jsonl", "small/deep/b.jsonl", "big/c.jsonl", "big/x/d.jsonl", "t.jsonl"}
	cases := map[string]struct {
		files  []string
		readme []byte
		subset string
		want   []string
		whole  bool
	}{
		"shards called train":       {shards, nil, "", shards[:2], true},
		"a shard is missing":        {shards[:1], nil, "", shards[:1], false},
		"all of one kind":           {[]string{"b.jsonl", "a.jsonl", "c.parquet", "d.json"}, nil, "", []string{"a.jsonl", "b.jsonl"}, false},
		"parquet before json":       {[]string{"c.parquet", "d.json"}, nil, "", []string{"c.parquet"}, false},
		"packed":                    {[]string{"x.jsonl.zst", "y.JSONL.GZ"}, nil, "", []string{"x.jsonl.zst", "y.JSONL.GZ"}, false},
		"not constrained":           {[]string{"constrained.jsonl", "train.jsonl"}, nil, "", []string{"train.jsonl"}, false},
		"a folder called train":     {[]string{"train/a.json", "test/a.json"}, nil, "", []string{"train/a.json"}, false},
		"hidden and descriptions":   {[]string{".cache/a.json", "__x/a.json", "dataset_infos.json", "one.json"}, nil, "", []string{"one.json"}, false},
		"default subset":            {repository, subsets, "", []string{"big/c.jsonl", "big/x/d.jsonl"}, false},
		"subset by name":            {repository, subsets, "small", []string{"small/a.jsonl"}, false},
		"one named file":            {repository, front("configs:\n- config_name: x\n  data_files: t.jsonl"), "", []string{"t.jsonl"}, true},
		"a list, in its order":      {repository, front("configs:\n- config_name: x\n  data_files:\n  - t.jsonl\n  - small/a.jsonl"), "", []string{"t.jsonl", "small/a.jsonl"}, true},
		"a map of splits":           {repository, front("configs:\n- config_name: x\n  data_files:\n    train: [t.jsonl]\n    test: small/a.jsonl"), "", []string{"t.jsonl"}, true},
		"data_dir":                  {repository, front("configs:\n- config_name: x\n  data_dir: small"), "", []string{"small/a.jsonl", "small/deep/b.jsonl"}, false},
		"data_dir and files":        {repository, front("configs:\n- config_name: x\n  data_dir: small\n  data_files: '*.jsonl'"), "", []string{"small/a.jsonl"}, false},
		"two forms of one row":      {[]string{"d/a.parquet", "d/a.jsonl"}, front("configs:\n- config_name: x\n  data_files: d/*"), "", []string{"d/a.jsonl"}, false},
		"no front matter":           {[]string{"a.jsonl"}, []byte("# Title\n---\nconfigs: x\n"), "default", []string{"a.jsonl"}, false},
		"front matter, no configs":  {[]string{"a.jsonl"}, front("license: mit"), "", []string{"a.jsonl"}, false},
		"windows line ends":         {repository, []byte("---\r\nconfigs:\r\n- config_name: x\r\n  data_files: t.jsonl\r\n---\r\n"), "", []string{"t.jsonl"}, true},
		"a class and one character": {[]string{"a1.jsonl", "b1.jsonl", "a22.jsonl"}, front("configs:\n- config_name: x\n  data_files: '[!b]?.jsonl'"), "", []string{"a1.jsonl"}, false},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			choice, err := Choose(test.files, test.readme, test.subset)
			if err != nil || !slices.Equal(choice.Files, test.want) || choice.Whole != test.whole {
				t.Errorf("chose %v (whole %v, %s), %v; want %v, %v", choice.Files, choice.Whole, choice.How, err, test.want, test.whole)
			}
		})
	}
}

func TestChooseRefuses(t *testing.T) {
	several := front("configs:\n- config_name: a\n  data_files: x.jsonl\n- config_name: b\n  data_files: y.jsonl")
	cases := map[string]struct {
		files  []string
		readme []byte
		subset string
		says   string
	}{
		"several subsets":    {[]string{"x.jsonl"}, several, "", "pick one of a, b by --hf-subset"},
		"unknown subset":     {[]string{"x.jsonl"}, several, "c", `no subset "c"; it has a, b`},
		"no subsets":         {[]string{"x.jsonl"}, nil, "c", "declares no subsets"},
		"no train split":     {[]string{"x.jsonl"}, front("configs:\n- config_name: a\n  data_files:\n  - split: test\n    path: x.jsonl"), "", "no train split in subset a; it has test"},
		"nothing matches":    {[]string{"x.jsonl"}, front("configs:\n- config_name: a\n  data_files: y*"), "", "no .jsonl, .parquet or .json file fits"},
		"no data":            {[]string{"x.csv", "README.md"}, nil, "", "has no .jsonl, .parquet or .json file"},
		"broken README":      {[]string{"x.jsonl"}, front("configs: ["), "", "front matter of README.md"},
		"data files by type": {[]string{"x.jsonl"}, front("configs:\n- config_name: a\n  data_files: 3"), "", "expected a path"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			if choice, err := Choose(test.files, test.readme, test.subset); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("chose %v, %v; want an error with %q", choice.Files, err, test.says)
			}
		})
	}
}

// Names of one character, and patterns that only look like classes, must not break the compiler.
func FuzzChoose(f *testing.F) {
	f.Add("configs:\n- config_name: x\n  data_files: '[a'", "a.jsonl")
	f.Add("configs:\n- config_name: x\n  data_files: '**/*'", "d/a.jsonl")
	f.Fuzz(func(t *testing.T, yaml, file string) {
		choice, err := Choose([]string{file}, front(yaml), "")
		if err == nil && !slices.Equal(choice.Files, []string{file}) {
			t.Errorf("chose %v of %q", choice.Files, file)
		}
	})
}
