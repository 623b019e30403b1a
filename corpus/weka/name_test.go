package weka

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Names go to terminals: an escape sequence or a turned-around text in one is refused, with its place.
func TestNamesWithUnseenCharactersAreRefused(t *testing.T) {
	for name, unseen := range map[string]string{"escape": `\u001b[31m`, "bidi": `\u202e`, "null": `\u0000`} {
		path := filepath.Join(t.TempDir(), name+".json")
		text := `{"id":"a` + unseen + `b","models":["m"],"block_size":64,"hash_id_scope":"local","requests":[{"type":"n","t":0,"model":"m","in":64,"out":1}]}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sources, err := List([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		survey, err := sources[0].Survey(t.Context(), Settings{})
		if err == nil {
			_, err = Combine([]*Survey{survey}, Settings{})
		}
		if err == nil || !strings.Contains(err.Error(), "control or invisible") {
			t.Errorf("%s: error is %v, want a refusal of the id", name, err)
		}
	}
}
