package run

import (
	"fmt"

	"agentx/corpus/bundle"
	"agentx/internal/exit"
	"agentx/internal/mockserver"
	"agentx/internal/synth/token"
)

// TokenCounter counts prompts for the mock server with a bundle's tokenizer, so that what the server
// reports can be compared with what the bundle promises. unitTokens is the server model's cache unit.
func TokenCounter(bundlePath string, unitTokens int) (mockserver.Counter, error) {
	opened, err := bundle.Open(bundlePath)
	if err != nil {
		return nil, fmt.Errorf("opening the bundle: %w", exit.With(bundleExit(err), err))
	}
	defer opened.Close()
	tokens, err := bundleTokenizer(opened)
	if err != nil {
		return nil, exit.With(bundleExit(err), err)
	}
	return mockserver.NewTokenCounter(mockserver.TokenCounterOptions{
		Name:       opened.Recipe().Tokenizer.Name,
		UnitTokens: unitTokens,
		Encode: func(text string) []int {
			ids := tokens.Encode(nil, text)
			numbers := make([]int, len(ids))
			for i, id := range ids {
				numbers[i] = int(id)
			}
			return numbers
		},
	}), nil
}

var _ tokenCounter = (*token.Tokenizer)(nil)
