package schedlog

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"agentx/sched"

	"pgregory.net/rapid"
)

// TestPayloadsByHandAreTheEncoders draws payloads with every field set or not, also one that is added
// later, and compares with encoding/json.
func TestPayloadsByHandAreTheEncoders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, payload := range []any{&Ended{}, &sched.TurnDue{}, &sched.Dispatch{}} {
			draw(t, reflect.ValueOf(payload).Elem())
			var want bytes.Buffer
			encoder := json.NewEncoder(&want)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(payload); err != nil {
				t.Fatal(err)
			}
			got, ok := appendByHand(nil, payload)
			if !ok || string(got)+"\n" != want.String() {
				t.Fatalf("%T (%v)\n%s\nwant\n%s", payload, ok, got, &want)
			}
		}
	})
}

func draw(t *rapid.T, value reflect.Value) {
	if !rapid.Bool().Draw(t, "set") {
		return
	}
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			draw(t, value.Field(i))
		}
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		draw(t, value.Elem())
	case reflect.String:
		value.SetString(rapid.StringOf(rapid.RuneFrom([]rune("aZ09_- :,[]{}<>&'~"))).Draw(t, "text"))
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int64:
		value.SetInt(rapid.Int64().Draw(t, "number"))
	case reflect.Uint8:
		value.SetUint(uint64(rapid.Uint8().Draw(t, "set of names")))
	default:
		t.Fatalf("a field of kind %v", value.Kind())
	}
}

// TestTextsThatNeedEscapesAreLeftToTheEncoder: a trace names nothing in these payloads today.
func TestTextsThatNeedEscapesAreLeftToTheEncoder(t *testing.T) {
	for _, marker := range []string{`"`, `\`, "\n", "ü", "\x7f"} {
		if text, ok := appendByHand(nil, &sched.Dispatch{Marker: marker}); ok {
			t.Errorf("%q is written as %s", marker, text)
		}
	}
}
