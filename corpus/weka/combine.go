package weka

import (
	"agentx/corpus"
)

// File identifies a file of a corpus by its content.
type File struct {
	Name   string
	Size   int64
	BLAKE3 [32]byte
}

// Corpus is all that the surveys found, in the order of the files.
type Corpus struct {
	Files         []File
	Units         []*Unit
	Refused       []*Error       // left out by Settings.SkipInvalid
	UnknownFields map[string]int // times each unknown field was met
	Nested        corpus.TimeBasis
}

// Summaries are those of the units, for corpus.Select.
func (c *Corpus) Summaries() []corpus.Summary {
	summaries := make([]corpus.Summary, len(c.Units))
	for i, unit := range c.Units {
		summaries[i] = unit.Summary
	}
	return summaries
}

// Close removes what Survey had to store beside the files.
func (c *Corpus) Close() error { return nil }

// Combine joins the surveys of a corpus: it refuses duplicate trace ids (naming both places) and tells
// every unit the convention of nested times that the whole corpus follows.
func Combine(surveys []*Survey, settings Settings) (*Corpus, error) {
	joined := &Corpus{UnknownFields: map[string]int{}}
	for _, survey := range surveys {
		joined.Files = append(joined.Files, File{survey.Source.Name, survey.Source.Size, survey.BLAKE3})
		joined.Units = append(joined.Units, survey.Units...)
		joined.Refused = append(joined.Refused, survey.Refused...)
		for name, count := range survey.UnknownFields {
			joined.UnknownFields[name] += count
		}
	}
	joined.Nested = corpus.NestedConvention(joined.Summaries())
	for _, unit := range joined.Units {
		unit.nested = joined.Nested
	}
	return joined, nil
}
