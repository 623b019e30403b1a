package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentx/corpus/bundle"
	"agentx/internal/prep"
	"agentx/internal/progress"
)

// shared is what all tests of the package build once.
var shared struct {
	once   sync.Once
	folder string
	err    error
}

// sample is the path of a bundle of two small traces; their files are in the folder traces beside it.
func sample(t *testing.T) string {
	t.Helper()
	shared.once.Do(func() { shared.folder, shared.err = buildSample() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return filepath.Join(shared.folder, "sample"+bundle.Suffix)
}

func buildSample() (string, error) {
	folder, err := os.MkdirTemp("", "agentx-run-test-")
	if err != nil {
		return "", err
	}
	traces := filepath.Join(folder, "traces")
	if err := os.Mkdir(traces, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"odd.json", "sequence.json"} {
		text, err := os.ReadFile(filepath.Join("../../testdata/corpus", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(traces, name), text, 0o644)
		}
		if err != nil {
			return "", err
		}
	}
	options := prep.DefaultOptions()
	options.Inputs, options.NoCache, options.Output = []string{traces}, true, filepath.Join(folder, "sample"+bundle.Suffix)
	_, err = prep.Build(context.Background(), options, progress.Plain(io.Discard, time.Now))
	return folder, err
}

// relabelled is a copy of the sample whose recipe is changed, as if it had been made in another way. Its
// texts are not those that the recipe would give; nothing here looks at them.
func relabelled(t *testing.T, name string, change func(*bundle.Recipe)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+bundle.Suffix)
	if err := relabel(sample(t), path, change); err != nil {
		t.Fatal(err)
	}
	return path
}

func relabel(from, to string, change func(*bundle.Recipe)) (err error) {
	source, err := bundle.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	writer, err := bundle.Create(to, len(source.Manifest().Traces), 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.Abort()) }()
	if err := copyFrames(source, writer); err != nil {
		return err
	}
	recipe, manifest := *source.Recipe(), *source.Manifest()
	change(&recipe)
	_, _, err = writer.Finish(&recipe, &manifest)
	return err
}

// copyFrames copies what the bundle holds, but for the filler, which is one word again and again.
func copyFrames(source *bundle.Bundle, writer *bundle.Writer) error {
	const word, words = " aaa", 4096
	ends := make([]uint32, words)
	for i := range ends {
		ends[i] = uint32((i + 1) * len(word))
	}
	tokenizer, err := source.TokenizerData()
	if err == nil {
		err = errors.Join(writer.Filler(strings.Repeat(word, words), ends), writer.Tokenizer(tokenizer))
	}
	for i := range source.Manifest().Traces {
		if err != nil {
			return err
		}
		err = copyTrace(source, writer, i)
	}
	return err
}

func copyTrace(source *bundle.Bundle, writer *bundle.Writer, trace int) error {
	plan, err := source.Plan(trace)
	if err != nil {
		return err
	}
	text, err := source.Text(trace)
	if err != nil {
		return err
	}
	layout := text.Layout()
	starts := make([]uint32, layout.Ranks())
	for rank := range starts {
		starts[rank] = uint32(rank)
	}
	return errors.Join(writer.Plan(trace, plan), writer.Text(trace, bundle.PackLayout(layout), starts))
}
