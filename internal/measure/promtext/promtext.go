// Package promtext reads metrics pages in Prometheus' text format and in OpenMetrics text.
//
// It promises to read what servers of this field write, to skip and count lines that it cannot read,
// and to trust nothing: a page is input from outside.
package promtext

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Family is a metric with its samples.
type Family struct {
	Name    string // without the suffixes of its samples
	Type    string // counter, gauge, histogram, summary, or untyped
	Help    string
	Samples []Sample
}

// Sample is one line.
type Sample struct {
	Name   string // as written: with _bucket, _sum, _count, _total
	Labels []Label
	Value  float64
}

// Label is one label of a sample.
type Label struct{ Name, Value string }

// Label is the value of a label; empty where the sample has none.
func (s *Sample) Label(name string) string {
	for _, l := range s.Labels {
		if l.Name == name {
			return l.Value
		}
	}
	return ""
}

// maxPage bounds what is looked at of a page.
const maxPage = 64 << 20

// Parse reads a page. Families are in the order in which they come, labels sorted by name; skipped
// counts the lines that could not be read.
func Parse(page []byte) (families []*Family, skipped int) {
	p := parser{byName: map[string]*Family{}}
	page = page[:min(len(page), maxPage)]
	for len(page) > 0 {
		line, rest, _ := bytes.Cut(page, []byte("\n"))
		page = rest
		if !p.line(strings.TrimRight(string(line), "\r")) {
			skipped++
		}
	}
	return p.families, skipped
}

type parser struct {
	families []*Family
	byName   map[string]*Family
}

func (p *parser) family(name string) *Family {
	f := p.byName[name]
	if f == nil {
		f = &Family{Name: name, Type: "untyped"}
		p.byName[name] = f
		p.families = append(p.families, f)
	}
	return f
}

func (p *parser) line(line string) bool {
	line = strings.TrimLeft(line, " \t")
	switch {
	case line == "" || line == "# EOF":
		return true
	case strings.HasPrefix(line, "# TYPE "):
		name, kind, ok := strings.Cut(line[len("# TYPE "):], " ")
		if ok = ok && name != ""; ok {
			p.family(name).Type = strings.TrimSpace(kind)
		}
		return ok
	case strings.HasPrefix(line, "# HELP "):
		name, help, _ := strings.Cut(line[len("# HELP "):], " ")
		if name != "" {
			p.family(name).Help = help
		}
		return name != ""
	case line[0] == '#':
		return true
	}
	sample, ok := parseSample(line)
	if !ok {
		return false
	}
	f := p.owner(sample.Name)
	f.Samples = append(f.Samples, sample)
	return true
}

// owner is the family of a sample's name.
func (p *parser) owner(name string) *Family {
	if f := p.byName[name]; f != nil {
		return f
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count", "_total", "_created"} {
		if base, cut := strings.CutSuffix(name, suffix); cut {
			if f := p.byName[base]; f != nil && f.Type != "gauge" && f.Type != "untyped" {
				return f
			}
		}
	}
	return p.family(name)
}

func parseSample(line string) (Sample, bool) {
	end := strings.IndexAny(line, "{ \t")
	if end <= 0 {
		return Sample{}, false
	}
	s := Sample{Name: line[:end]}
	rest := line[end:]
	if rest[0] == '{' {
		labels, after, ok := parseLabels(rest[1:])
		if !ok {
			return Sample{}, false
		}
		s.Labels, rest = labels, after
	}
	words := strings.Fields(rest) // value, then a time stamp or an exemplar, which are not needed
	if len(words) == 0 {
		return Sample{}, false
	}
	value, err := strconv.ParseFloat(words[0], 64)
	s.Value = value
	return s, err == nil
}

// parseLabels reads name="value" pairs up to the closing brace.
func parseLabels(text string) (labels []Label, rest string, ok bool) {
	for {
		text = strings.TrimLeft(text, " ,\t")
		if strings.HasPrefix(text, "}") {
			slices.SortStableFunc(labels, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
			return labels, text[1:], true
		}
		name, after, found := strings.Cut(text, "=")
		after = strings.TrimLeft(after, " ")
		if !found || !strings.HasPrefix(after, `"`) {
			return nil, "", false
		}
		value, after, closed := unquote(after[1:])
		if !closed {
			return nil, "", false
		}
		labels = append(labels, Label{strings.TrimSpace(name), value})
		text = after
	}
}

// unquote reads a value up to its closing quote.
func unquote(text string) (value, rest string, ok bool) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return out.String(), text[i+1:], true
		case '\\':
			i++
			if i == len(text) {
				return "", "", false
			}
			if text[i] == 'n' {
				out.WriteByte('\n')
			} else {
				out.WriteByte(text[i])
			}
		default:
			out.WriteByte(c)
		}
	}
	return "", "", false
}
