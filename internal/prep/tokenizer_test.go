package prep

import "testing"

// The peer's scripts say `--tokenizer builtin` for the vocabulary that needs no file.
func TestTheEmbeddedTokenizerHasThreeNames(t *testing.T) {
	for _, name := range []string{"", "builtin", "o200k_base"} {
		choice, err := findTokenizer(t.Context(), &Options{Tokenizer: name}, nil)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if choice.identity.Name != "o200k_base" {
			t.Errorf("%q is %s, want o200k_base", name, choice.identity.Name)
		}
	}
}
