package analyze

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"agentx/eventlog"
	"agentx/internal/rawlog"
)

// raw opens what the log and the bundle, where it is found, give of requests and answers. What is missing
// is told, and named in the files too. release gives everything back.
func (l *Log) raw(notes io.Writer, bundlePath string, config eventlog.RunConfig) (source *rawlog.Source, release func(), err error) {
	opened, err := l.findBundle(bundlePath, config)
	if err != nil && !errors.Is(err, errNoBundle) {
		return nil, nil, err
	}
	done := func() {
		if opened != nil {
			_ = opened.Close()
		}
	}
	if source, err = rawlog.Open(l, opened, config); err != nil {
		done()
		return nil, nil, fmt.Errorf("%s: %w", l.Path, err)
	}
	if note := leftOut(source.Missing()); note != "" {
		fmt.Fprintln(notes, "note: left out:", note)
	}
	return source, func() { source.Close(); done() }, nil
}

// leftOut says in one sentence which fields are missing and why; those that share a reason stand together.
func leftOut(missing []string) string {
	var whys []string
	fields := map[string][]string{}
	for _, text := range missing {
		field, why, _ := strings.Cut(text, ": ")
		if fields[why] == nil {
			whys = append(whys, why)
		}
		fields[why] = append(fields[why], field)
	}
	for i, why := range whys {
		whys[i] = fmt.Sprintf("%s (%s)", strings.Join(fields[why], ", "), why)
	}
	return strings.Join(whys, "; ")
}

// keptAnswers gives a page the texts of answers.
type keptAnswers map[int64]string

// Response is an answer's text; reasoning stands before what was said.
func (k keptAnswers) Response(exchange int64) (string, bool) {
	text, kept := k[exchange]
	return text, kept
}

// answers are the texts of the answers that a run kept; nil where it kept none.
func (l *Log) answers(config eventlog.RunConfig) (keptAnswers, error) {
	source, err := rawlog.Open(l, nil, config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Path, err)
	}
	defer source.Close()
	if !source.Kept() {
		return nil, nil
	}
	texts, err := source.Texts()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Path, err)
	}
	kept := keptAnswers{}
	for exchange, answer := range texts {
		text := answer.Text
		if answer.Reasoning != "" {
			text = "[reasoning]\n" + answer.Reasoning + "\n[answer]\n" + text
		}
		kept[exchange] = text
	}
	return kept, nil
}
