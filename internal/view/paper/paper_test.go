package paper

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

const hostile = "t</td><script>x</script> | `a` [b](c) \x1b[2J\u202e\n2"

func sample() *Document {
	d := &Document{Title: "A title " + hostile}
	t := &Table{Header: []string{"name", "value", "why"}, Last: true, Fold: 2}
	t.Row(hostile, "1", "one")
	t.Row("second", "1,000", "two")
	t.Mark(1, Bad)
	t.Row("third", "3", "three")
	d.Add(Heading{Text: "Part " + hostile}, Paragraph{Text: hostile, Tone: Warn}, t, Figure{SVG: "<svg></svg>", Caption: hostile})
	return d
}

func TestText(t *testing.T) {
	var out bytes.Buffer
	d := &Document{Title: "Title"}
	table := &Table{Header: []string{"name", "value", "why"}, Last: true}
	table.Row("a", "1", "one")
	table.Row("long name", "1,000", "")
	d.Add(Heading{Text: "Part"}, Paragraph{Text: "Words."}, table, Figure{SVG: "<svg></svg>"})
	if err := d.Text(&out); err != nil {
		t.Fatal(err)
	}
	want := "Title\n\nPart\n----\nWords.\n  name       value  why\n  a              1  one\n  long name  1,000\n"
	if out.String() != want {
		t.Errorf("got\n%s\nexpected\n%s", out.String(), want)
	}
}

func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	d := &Document{Title: "Title"}
	table := &Table{Header: []string{"name", "value"}}
	table.Row("a_b|c", "1")
	d.Add(Heading{Text: "Part"}, Paragraph{Text: "Less < more & [x]."}, table)
	if err := d.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	want := "# Title\n\n## Part\n\nLess &lt; more &amp; \\[x\\].\n\n| name | value |\n| :-- | --: |\n| a\\_b\\|c | 1 |\n"
	if out.String() != want {
		t.Errorf("got\n%s\nexpected\n%s", out.String(), want)
	}
}

// Text of any kind stays text: nothing acts on a terminal, adds a row to a table, or becomes markup.
func TestHostileTextStaysText(t *testing.T) {
	d := sample()
	var text, markdown, page bytes.Buffer
	for _, err := range []error{d.Text(&text), d.Markdown(&markdown), d.HTML(&page)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, out := range map[string]string{"text": text.String(), "markdown": markdown.String(), "page": page.String()} {
		if strings.ContainsAny(out, "\x1b\u202e") {
			t.Errorf("%s holds controls", name)
		}
	}
	if n := strings.Count(markdown.String(), "\n| "); n != 4+1 {
		t.Errorf("the Markdown table has %d lines, expected 5:\n%s", n, markdown.String())
	}
	if strings.Contains(markdown.String(), "<script") || strings.Contains(markdown.String(), "[b](c)") {
		t.Error("Markdown holds markup")
	}
	document, err := html.Parse(&page)
	if err != nil {
		t.Fatal(err)
	}
	elements := map[string]int{}
	for node := range document.Descendants() {
		if node.Type == html.ElementNode {
			elements[node.Data]++
		}
	}
	if elements["script"] != 0 || elements["td"] != 9 || elements["table"] != 2 || elements["details"] != 1 || elements["figure"] != 1 {
		t.Errorf("elements %v", elements)
	}
}

func TestNumbers(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 1: "1", 0.00123456: "0.001235", 12.3456789: "12.346", 1234.56: "1,234.6", 1234567.8: "1,234,568", -1234.5: "-1,234.5",
		math.Inf(1): "inf", -0.0000001: "0", 100000: "100,000",
	} {
		if got := Number(value); got != want {
			t.Errorf("Number(%v) is %q, expected %q", value, got, want)
		}
	}
	if Number(math.NaN()) != "n/a" || Signed(3) != "+3" || Signed(-3) != "-3" || Signed(0) != "0" {
		t.Error("n/a, +3, -3 and 0 are expected")
	}
	for share, want := range map[float64]string{0.05: "+5.00 %", -0.5: "-50.00 %", 0.00001: "0.00 %", -0.00001: "0.00 %"} {
		if got := Percent(share); got != want {
			t.Errorf("Percent(%v) is %q, expected %q", share, got, want)
		}
	}
}
