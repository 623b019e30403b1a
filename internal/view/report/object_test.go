package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// Our writer gives what encoding/json gives, but for the order of keys.
func TestEncodeEqualsTheStandardEncoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := []any{
			rapid.Float64().Filter(func(f float64) bool { return f-f == 0 }).Draw(t, "float"), rapid.Int64().Draw(t, "int"),
			rapid.String().Draw(t, "text"), rapid.Bool().Draw(t, "flag"), rapid.SliceOf(rapid.Float64Range(-1e9, 1e9)).Draw(t, "list"),
			rapid.MapOf(rapid.String(), rapid.Int()).Draw(t, "map"),
		}
		for _, value := range values {
			got, err := encode(nil, object{{"key", value}, {"again", []object{{{"inner", value}}}}})
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			encoder := json.NewEncoder(&want)
			encoder.SetEscapeHTML(false)
			err = encoder.Encode(struct {
				Key   any              `json:"key"`
				Again []map[string]any `json:"again"`
			}{value, []map[string]any{{"inner": value}}})
			if err != nil {
				t.Fatal(err)
			}
			if string(got)+"\n" != want.String() {
				t.Fatalf("got %s, want %s", got, want.String())
			}
		}
	})
}
