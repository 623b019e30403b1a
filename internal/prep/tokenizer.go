package prep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agentx/corpus/bundle"
	"agentx/internal/synth/chat"
	"agentx/internal/synth/o200k"
	"agentx/internal/synth/token"
)

// tokenizerChoice is the tokenizer of a build: what the bundle will carry of it.
type tokenizerChoice struct {
	source   token.Source
	template []byte // settings of the chat template, nil without one
	path     string // of the file; empty for the embedded one
	identity bundle.Tokenizer
}

// Embedded tells whether a value of --tokenizer means the embedded vocabulary: nothing, its own name, or
// the peer's word for it.
func Embedded(name string) bool { return name == "" || name == "builtin" || name == o200k.Name }

// openTokenizer finds the tokenizer that a path means, or the embedded one.
func openTokenizer(path string) (*tokenizerChoice, error) {
	if Embedded(path) {
		source, err := o200k.Source()
		if err != nil {
			return nil, err
		}
		return choose(o200k.Name, source, nil), nil
	}
	file, folder := path, ""
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		file, folder = filepath.Join(path, "tokenizer.json"), path
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && folder != "" {
		return nil, classed(Input, missingTokenizer(folder))
	}
	if err != nil {
		return nil, classed(Input, fmt.Errorf("the tokenizer: %w; give a tokenizer.json, or a folder that has one", err))
	}
	var template []byte
	if folder != "" {
		settings, err := chat.ReadFolder(folder)
		if err != nil {
			return nil, classed(Input, err)
		}
		if settings != nil {
			template = settings.JSON()
		}
	}
	choice := choose("", token.Source{Kind: token.KindHuggingFace, Data: data}, template)
	// Not the path: the name is part of the key, and where a file lies is not part of what it is.
	choice.identity.Name = fmt.Sprintf("tokenizer.json@%.12s", choice.identity.Digest)
	choice.path = file
	return choice, nil
}

// missingTokenizer says which file a folder lacks, and which it has that cannot be read.
func missingTokenizer(folder string) error {
	for _, other := range []string{"tiktoken.model", "tokenizer.model", "spiece.model", "vocab.json"} {
		if _, err := os.Stat(filepath.Join(folder, other)); err == nil {
			return fmt.Errorf("the tokenizer folder %s has %s and no tokenizer.json; get the tokenizer.json of the same model (it is made by its authors or by save_pretrained)", folder, other)
		}
	}
	return fmt.Errorf("the tokenizer folder %s has no tokenizer.json", folder)
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

func choose(name string, source token.Source, template []byte) *tokenizerChoice {
	choice := &tokenizerChoice{source: source, template: template}
	choice.identity = bundle.Tokenizer{Name: name, Kind: string(source.Kind), Pattern: source.Pattern, Digest: bundle.Sum(source.Data)}
	if len(source.Special) > 0 {
		choice.identity.Special = make(map[string]uint32, len(source.Special))
		for text, id := range source.Special {
			choice.identity.Special[text] = uint32(id)
		}
	}
	if template != nil {
		choice.identity.Template = bundle.Sum(template)
	}
	return choice
}

// load makes the tokenizer ready.
func (c *tokenizerChoice) load() (*token.Tokenizer, error) {
	tokenizer, err := token.Load(c.source)
	if err != nil {
		return nil, classed(Input, fmt.Errorf("tokenizer %s: %w", c.path, err))
	}
	return tokenizer, nil
}

// bundleTokenizer makes the tokenizer that a bundle carries ready.
func bundleTokenizer(b *bundle.Bundle) (*token.Tokenizer, error) {
	data, err := b.TokenizerData()
	if err != nil {
		return nil, err
	}
	identity := b.Recipe().Tokenizer
	source := token.Source{Kind: token.Kind(identity.Kind), Pattern: identity.Pattern, Data: data, Special: map[string]token.ID{}}
	for text, id := range identity.Special {
		source.Special[text] = token.ID(id)
	}
	tokenizer, err := token.Load(source)
	if err != nil {
		return nil, fmt.Errorf("the tokenizer of bundle %s: %w", b.Path(), err)
	}
	return tokenizer, nil
}
