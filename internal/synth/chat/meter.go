package chat

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ardanlabs/jinja"
)

// Counter counts tokens.
type Counter interface{ Count(text string) int }

// Lost is the error for a template that does not show every message.
type Lost struct{ Message int }

func (e *Lost) Error() string {
	return fmt.Sprintf("the template leaves out the text of message %d", e.Message)
}

// Meter measures what a template adds around messages. It keeps the sample messages that it has made: one
// meter for many role sequences costs a fraction of one for each. It is for one goroutine.
type Meter struct {
	template *Template
	counter  Counter
	// short are one-word messages, long are those with a text of their own for every place.
	short, long samples
	list        []jinja.Value
}

// NewMeter makes a meter.
func (t *Template) NewMeter(counter Counter) *Meter {
	return &Meter{
		template: t, counter: counter,
		short: samples{keep: !t.mutates, content: func(int) string { return "x" }},
		long:  samples{keep: !t.mutates, content: func(i int) string { return fmt.Sprintf("message %d end", i) }},
	}
}

// Overhead is the count of tokens that the template adds around messages of the given shapes: it
// renders every content as one word, and again as a text of its own for each message, and both must
// give the same. An error says that the template raises, loses text, or is not additive.
func (m *Meter) Overhead(shapes []Shape) (int, error) {
	short, err := m.around(&m.short, shapes)
	if err != nil {
		return 0, err
	}
	long, err := m.around(&m.long, shapes)
	if err != nil {
		return 0, err
	}
	if short != long {
		return 0, fmt.Errorf("the template is not additive: it adds %d tokens around short messages and %d around longer ones", short, long)
	}
	return short, nil
}

// around renders sample messages of the shapes, looks for all of their contents, and counts what is not
// content.
func (m *Meter) around(s *samples, shapes []Shape) (int, error) {
	m.list = m.list[:0]
	s.grow(len(shapes), m.counter)
	for i, shape := range shapes {
		m.list = append(m.list, s.message(i, shape))
	}
	text, err := m.template.render(m.list)
	if err != nil {
		return 0, err
	}
	tokens, from := m.counter.Count(text), 0
	for i := range shapes {
		content := s.contents[i]
		at := strings.Index(text[from:], content)
		switch {
		case at >= 0: // as a rule they stand in order
			from += at + len(content)
		case !strings.Contains(text, content):
			return 0, &Lost{i}
		}
		tokens -= s.tokens[i]
	}
	return tokens, nil
}

// samples are messages with made-up contents, which begin and end with a letter or digit, by place in the
// array.
type samples struct {
	content  func(i int) string
	keep     bool // the values serve again
	contents []string
	tokens   []int
	messages []map[Shape]jinja.Value
}

func (s *samples) grow(n int, counter Counter) {
	for i := len(s.contents); i < n; i++ {
		content := s.content(i)
		s.contents = append(s.contents, content)
		s.tokens = append(s.tokens, counter.Count(content))
		s.messages = append(s.messages, map[Shape]jinja.Value{})
	}
}

func (s *samples) message(i int, shape Shape) jinja.Value {
	if known, ok := s.messages[i][shape]; ok {
		return known
	}
	sample := Message{Role: shape.Role, Content: s.contents[i]}
	if shape.Call {
		sample.Call = "call_turn_0"
	}
	value := messageValue(sample)
	if s.keep {
		s.messages[i][shape] = value
	}
	return value
}

// mutator finds what a template could change its messages with: methods of lists and dictionaries, and
// settings of an attribute.
var mutator = regexp.MustCompile(`\b(?:pop|append|insert|extend|remove|update|setdefault|clear|attr)\b|\bset\s+(\w+)\.`)

// mayMutate reports whether a template may change what it is given. It need not do so where it seems to.
func mayMutate(source string) bool {
	for _, found := range mutator.FindAllStringSubmatch(source, -1) {
		own := regexp.MustCompile(`\bset\s+` + found[1] + `\s*=\s*namespace\(`)
		if found[1] == "" || !own.MatchString(source) {
			return true
		}
	}
	return false
}
