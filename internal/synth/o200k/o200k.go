// Package o200k is the embedded default tokenizer: the vocabulary o200k_base of OpenAI's open-weight
// models, taken from the module tiktoken-go/tokenizer. Only the build of a bundle needs it; a bundle
// carries the rank list, so programs that read bundles do not link these megabytes.
package o200k

import (
	"errors"

	"github.com/tiktoken-go/tokenizer/codec"

	"agentx/internal/synth/pretoken"
	"agentx/internal/synth/token"
)

// ranks is the count of ordinary tokens; ids from here on are special.
const ranks = 199_998

// Name is what manifests and summaries call the tokenizer.
const Name = "o200k_base"

// Source returns the vocabulary in the form in which a bundle stores it.
func Source() (token.Source, error) {
	vocabulary := codec.NewO200kBase()
	tokens := make([]string, 0, ranks)
	id := make([]uint, 1)
	for id[0] = range uint(ranks) {
		text, err := vocabulary.Decode(id)
		if err != nil {
			return token.Source{}, errors.Join(errors.New("the embedded vocabulary is not what it should be"), err)
		}
		tokens = append(tokens, text)
	}
	return token.Source{
		Kind:    token.KindRanks,
		Pattern: pretoken.O200K,
		Special: map[string]token.ID{"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018},
		Data:    token.WriteRanks(tokens),
	}, nil
}
