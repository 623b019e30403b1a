package eventlog

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fill sets every field of a struct to something that is not its zero value.
func fill(value reflect.Value, next *int64) {
	*next++
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			fill(value.Field(i), next)
		}
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(value.Elem(), next)
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 2, 2))
		fill(value.Index(0), next)
		fill(value.Index(1), next)
	case reflect.String:
		value.SetString(fmt.Sprint("text", *next))
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int64:
		value.SetInt(*next)
	default:
		panic(fmt.Sprintf("fill: a %v", value.Kind()))
	}
}

// Every field of ExchangeEnd, also one that is added later, survives the stored form.
func TestEveryFieldOfAnExchangeIsStored(t *testing.T) {
	var want ExchangeEnd
	next := int64(0)
	fill(reflect.ValueOf(&want).Elem(), &next)
	want.BodyDigest = strings.Repeat("0123456789abcdef", 4)
	checkStored(t, want)
	checkStored(t, ExchangeEnd{})
	checkStored(t, ExchangeEnd{Status: 200, Protocol: "HTTP/1.1", Usage: &Usage{}})
}

// What is written by hand for every request is what encoding/json gives.
func TestSmallPayloadsByHandAreTheEncoders(t *testing.T) {
	for _, payload := range []any{
		RequestWritten{}, RequestWritten{Bytes: 265_000}, RequestWritten{Bytes: -1}, FirstContent{}, FirstContent{Class: "text"}, FirstContent{Class: "a\"\\\nü\xff"},
	} {
		want, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		if event, err := NewPayload(KindRequestWritten, 0, payload); err != nil || string(event.Payload) != string(want) {
			t.Errorf("%s (%v), want %s", event.Payload, err, want)
		}
	}
}

func checkStored(t interface{ Fatalf(string, ...any) }, want ExchangeEnd) {
	encoded, err := json.Marshal(want)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var got ExchangeEnd
	if err := json.Unmarshal(encoded, &got); err != nil {
		t.Fatalf("%s: %v", encoded, err)
	}
	if !reflect.DeepEqual(got, want) {
		gotText, _ := json.Marshal(got)
		t.Fatalf("came back as %s, want %s", gotText, encoded)
	}
}

// Stamps in any order, known or not, come back.
func TestStampsOfAnExchangeInAnyOrder(t *testing.T) {
	stamp := rapid.Int64Range(-1000, 1<<50)
	rapid.Check(t, func(t *rapid.T) {
		end := ExchangeEnd{StartNs: stamp.Draw(t, "start"), EndNs: stamp.Draw(t, "end"), Status: 200, Protocol: "HTTP/1.1"}
		between := end.stamps()
		for _, place := range append(between[:], &end.CancelNs) {
			*place = rapid.Ptr(stamp, true).Draw(t, "stamp")
		}
		checkStored(t, end)
	})
}

// Texts of any kind come back, and what is written by hand is what encoding/json makes of the same form.
func TestTextsOfAnExchangeAreEscaped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		end := ExchangeEnd{
			Outcome: OutcomeError, ErrorMessage: text.Draw(t, "message"), RequestID: text.Draw(t, "id"), Status: 500,
			Protocol: "HTTP/2", FinishReasons: rapid.SliceOfN(text, 1, 3).Draw(t, "finish"), Model: text.Draw(t, "model"),
		}
		checkStored(t, end)
		encoded := end.appendJSON(nil)
		var form exchangeForm
		if err := json.Unmarshal(encoded, &form); err != nil {
			t.Fatal(err)
		}
		var twin strings.Builder
		encoder := json.NewEncoder(&twin)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(form); err != nil || twin.String() != string(encoded)+"\n" {
			t.Fatalf("by hand %s, by encoding/json %s, %v", encoded, twin.String(), err)
		}
	})
}
