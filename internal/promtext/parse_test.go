package promtext

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSeriesOfEveryType(t *testing.T) {
	page, skipped, err := Parse([]byte(`# HELP c total things
# TYPE c counter
c{b="2",a="x\"y"} 7
# TYPE h histogram
h_bucket{le="1"} 2
h_bucket{le="+Inf"} 5
h_sum 9.5
h_count 5
# TYPE s summary
s{quantile="0.5"} 3
s_sum 6
s_count 2
# TYPE g gauge
g 3 1700000000000
u 1e3`))
	if err != nil || skipped != 0 {
		t.Fatal(skipped, err)
	}
	if got := fmt.Sprintf("%+v", page); got != `[{Name:c Help:total things Type:counter Series:[{Labels:[{Name:a Value:x"y} {Name:b Value:2}] Value:7 Count:0 Sum:0 Buckets:[]}]} `+
		`{Name:g Help: Type:gauge Series:[{Labels:[] Value:3 Count:0 Sum:0 Buckets:[]}]} `+
		`{Name:h Help: Type:histogram Series:[{Labels:[] Value:0 Count:5 Sum:9.5 Buckets:[{Bound:1 Count:2} {Bound:+Inf Count:5}]}]} `+
		`{Name:s Help: Type:summary Series:[{Labels:[] Value:0 Count:2 Sum:6 Buckets:[{Bound:0.5 Count:3}]}]} `+
		`{Name:u Help: Type:untyped Series:[{Labels:[] Value:1000 Count:0 Sum:0 Buckets:[]}]}]` {
		t.Error(got)
	}
	if page.Family("h") == nil || page.Family("nothing") != nil {
		t.Error("families are not found by name")
	}
}

// TestOpenMetricsText: counters under the name of their samples, exemplars left out, other types untyped.
func TestOpenMetricsText(t *testing.T) {
	page, skipped, err := Parse([]byte(`# HELP open things that opened
# TYPE open counter
open_total 7 # {trace_id="x"} 0.3
open_created 1.7e9
# TYPE h histogram
h_bucket{le="0.1"} 2
h_bucket{le="+Inf"} 5 # {trace_id="x"} 0.3
h_sum 1.5
h_count 5
# TYPE build info
build_info{v="1"} 1
# EOF
`))
	if err != nil || skipped != 0 {
		t.Fatal(skipped, err)
	}
	open, h := page.Family("open_total"), page.Family("h")
	if open == nil || open.Type != "counter" || open.Help != "things that opened" || open.Series[0].Value != 7 {
		t.Errorf("counter %+v", open)
	}
	if h == nil || len(h.Series) != 1 || h.Series[0].Buckets[1].Count != 5 || h.Series[0].Sum != 1.5 {
		t.Errorf("histogram %+v", h)
	}
	if page.Family("build_info") == nil {
		t.Errorf("page %+v", page)
	}
}

// TestDamagedLinesAreCounted: they cost nothing but themselves, and the first is named.
func TestDamagedLinesAreCounted(t *testing.T) {
	for _, c := range []struct {
		page    string
		skipped int
		at      string // of the first
		left    string // names of what could be read
	}{
		{"<html>\n\n<body>\n", 2, "line 1:", ""},
		{"# TYPE a counter\na{b=\"c} 1\na 2\n", 1, "line 2:", "a"},
		{"a 1\na{ 2\n", 1, "line 2:", "a"},
		{"a one\n# TYPE h histogram\nh_sum 2\nh_count x\nh_bucket{le=\"x\"} 1\n# HELP z\nz 1", 3, "line 1:", "h z"},
		{"# TYPE a counter\na 1\n# TYPE a counter\na{b=\"2\"} 2\n", 0, "", "a"},
		{"a{ 1\nlast 2", 1, "line 1:", "last"},
	} {
		page, skipped, first := Parse([]byte(c.page))
		var names []string
		for _, family := range page {
			names = append(names, family.Name)
		}
		if got := strings.Join(names, " "); skipped != c.skipped || got != c.left || (first == nil) != (c.skipped == 0) || first != nil && !strings.Contains(first.Error(), c.at) {
			t.Errorf("%q: %d lines skipped (%v), left %q; want %d, %s, %q", c.page, skipped, first, got, c.skipped, c.at, c.left)
		}
	}
}

// TestPageThatIsNone: a text of many lines is counted without being read again for each of them.
func TestPageThatIsNone(t *testing.T) {
	page, skipped, _ := Parse([]byte(strings.Repeat("<p>\n", 100_000)))
	if len(page) != 0 || skipped != 100_000 {
		t.Errorf("%d families, %d lines skipped", len(page), skipped)
	}
}

func sharedPages(t *testing.T) map[string][]byte {
	folder := os.Getenv("AGENTX_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "captures", "*", "metrics.txt"))
	if err != nil || len(paths) == 0 {
		t.Skip("no captured pages here (AGENTX_SHARED)")
	}
	pages := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(text, []byte("HTTP/")) { // some were kept with their head
			_, text, _ = bytes.Cut(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
		}
		pages[path] = text
	}
	return pages
}

func TestPagesOfRealServersAreReadWhole(t *testing.T) {
	for path, text := range sharedPages(t) {
		page, skipped, first := Parse(text)
		if len(page) < 5 || skipped > 0 {
			t.Errorf("%s: %d families, %d lines skipped, first: %v", path, len(page), skipped, first)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# TYPE a counter\na{b=\"c\"} 1 2\n"))
	f.Add([]byte("# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n# EOF"))
	f.Add([]byte("broken{ 1\nalso broken\nalone NaN\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		page, skipped, first := Parse(text)
		if (skipped > 0) != (first != nil) {
			t.Fatalf("%d lines skipped, but the first is %v", skipped, first)
		}
		names := make([]string, len(page))
		for i, family := range page {
			names[i] = family.Name
			if page.Family(family.Name) != &page[i] || len(family.Series) == 0 {
				t.Fatalf("%q is not found by its name, or empty, in %s", family.Name, strings.Join(names, " "))
			}
		}
		page.Facts()
	})
}
