package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

func showFields(fields Fields) string {
	var out []string
	for _, field := range fields {
		out = append(out, field.Key+"="+string(field.Value))
	}
	return strings.Join(out, " ")
}

func TestExtraInputsParsing(t *testing.T) {
	for _, c := range []struct {
		in   []string
		want string
	}{
		{[]string{"ignore_eos:true"}, `ignore_eos=true`},
		{[]string{"a:TRUE,b:False,c:None,d:null"}, `a=true b=false c=null d=null`},
		{[]string{"a:5,b:0,c:05,d:-5,e:-05"}, `a=5 b=0 c="05" d=-5 e=-5`},
		{[]string{"a:0.5,b:1.,c:.5,d:1e5,e:1.2.3,f:."}, `a=0.5 b=1.0 c=0.5 d="1e5" e="1.2.3" f="."`},
		{[]string{"a:-1.5"}, `a=-1.5`},
		{[]string{"a:x y", `b:"q"`}, `a="x y" b="\"q\""`},
		{[]string{"a:http://h"}, `a="http://h"`},
		{[]string{"a:"}, `a=""`},
		{[]string{`{"a": 1, "b": {"c": [1, "<é>"]}, "n": null}`}, `a=1 b={"c":[1,"<é>"]} n=null`},
		{[]string{"a:1,b:2", `{"a":3}`}, `a=3 b=2`},
		{[]string{"a:12345678901234567890"}, `a=12345678901234567890`},
		{nil, ``},
	} {
		fields, err := ParseFields(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
		} else if got := showFields(fields); got != c.want {
			t.Errorf("%q: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestExtraInputsRefusals(t *testing.T) {
	for _, in := range []string{"", "a", ":1", "a:1,b", "{", `{"a":}`, `{"a":1} x`, `{"a":1`, `{"a":1,}`} {
		if fields, err := ParseFields([]string{in}); err == nil {
			t.Errorf("%q was taken as %s", in, showFields(fields))
		}
	}
}

func TestEscapedTextIsWhatJSONSays(t *testing.T) {
	for c := range 0x180 {
		text := "a" + string(rune(c)) + "b"
		var back string
		if err := json.Unmarshal(appendQuoted(nil, text), &back); err != nil || back != text {
			t.Errorf("%q: %q, %v", text, back, err)
		}
	}
	if got := string(appendQuoted(nil, "<é>&\u2028")); got != "\"<é>&\u2028\"" {
		t.Errorf("%s: more was escaped than must be", got)
	}
}
