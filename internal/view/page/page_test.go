package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

const hostile = "t</script><b>x <!-- </ScRiPt><img src=x onerror=\"document.title='owned'\"> \u2028\u2029 &lt; ]]> </style>"

func render(t *testing.T, p Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Case 43 of the known faults: text of any kind inside data is data, and comes back letter by letter.
func TestHostileTextStaysData(t *testing.T) {
	written := render(t, Page{Title: hostile, Body: "<main></main>", Data: []Data{{"data", map[string]string{hostile: hostile}}},
		Scripts: [][]byte{[]byte("void 0")}})
	document, err := html.Parse(strings.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	elements := map[string]int{}
	for node := range document.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		elements[node.Data]++
		if node.FirstChild != nil && node.FirstChild.Type == html.TextNode {
			texts[node.Data+"#"+attribute(node, "id")] = node.FirstChild.Data
		}
	}
	if elements["img"] != 0 || elements["b"] != 0 || elements["script"] != 2 {
		t.Errorf("elements %v: text became markup", elements)
	}
	var decoded map[string]string
	if err := json.Unmarshal([]byte(texts["script#data"]), &decoded); err != nil || decoded[hostile] != hostile {
		t.Errorf("the data came back as %q (%v)", decoded, err)
	}
	for _, raw := range []string{"<", ">", "&", "\u2028", "\u2029"} {
		if strings.Contains(texts["script#data"], raw) {
			t.Errorf("the data block holds a raw %q", raw)
		}
	}
	if texts["title#"] != Visible(hostile) {
		t.Errorf("title is %q", texts["title#"])
	}
}

func TestPolicyAllowsOnlyWhatIsInThePage(t *testing.T) {
	script, style := "document.title='x'", "body{margin:0}"
	written := render(t, Page{Styles: []string{style}, Scripts: [][]byte{[]byte(script)}})
	for _, content := range []string{script, style} {
		sum := sha256.Sum256([]byte(content))
		if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(written, want) {
			t.Errorf("the policy does not name the digest of %q", content)
		}
	}
	if !strings.Contains(written, "default-src 'none'") || strings.Contains(written, "unsafe") {
		t.Error("the policy is not closed")
	}
	if strings.Index(written, "Content-Security-Policy") > strings.Index(written, "<style>") {
		t.Error("the policy stands after what it governs")
	}
}

func TestScriptThatWouldEndItsBlockIsRefused(t *testing.T) {
	for _, bad := range []string{"x='</SCRIPT>'", "x='<!--'"} {
		if err := (Page{Scripts: [][]byte{[]byte(bad)}}).Write(&bytes.Buffer{}); err == nil {
			t.Errorf("script %q was written", bad)
		}
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ in, one, lines string }{
		{"plain ä 漢", "plain ä 漢", "plain ä 漢"},
		{"a\x1b[31mb\x7f", "a‹U+001B›[31mb‹U+007F›", "a‹U+001B›[31mb‹U+007F›"},
		{"a\n\tb\r", "a‹U+000A›‹U+0009›b‹U+000D›", "a\n\tb‹U+000D›"},
		{"x\u202ey\u2028z\u200b", "x‹U+202E›y‹U+2028›z‹U+200B›", "x‹U+202E›y‹U+2028›z‹U+200B›"},
		{"bad\xffbyte \uFFFD", "bad‹FF›byte \uFFFD", "bad‹FF›byte \uFFFD"},
		{"c1\u0085", "c1‹U+0085›", "c1‹U+0085›"},
	} {
		if got := Visible(c.in); got != c.one {
			t.Errorf("Visible(%q) = %q, expected %q", c.in, got, c.one)
		}
		if got := VisibleLines(c.in); got != c.lines {
			t.Errorf("VisibleLines(%q) = %q, expected %q", c.in, got, c.lines)
		}
	}
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
