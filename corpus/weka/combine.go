package weka

import (
	"errors"
	"fmt"

	"agentx/corpus"
)

// File identifies a file of a corpus by its content.
type File struct {
	Name   string
	Size   int64 // bytes as stored
	BLAKE3 [32]byte
}

// Corpus is all that the surveys found, in the order of the files.
type Corpus struct {
	Files         []File
	Units         []*Unit
	Refused       []*Error         // left out by Settings.SkipInvalid
	UnknownFields map[string]int   // times each unknown field was met
	Nested        corpus.TimeBasis // convention of the corpus, BasisAuto when there is none

	surveys []*Survey
}

// Summaries are those of the units, for corpus.Select.
func (c *Corpus) Summaries() []corpus.Summary {
	summaries := make([]corpus.Summary, len(c.Units))
	for i, unit := range c.Units {
		summaries[i] = unit.Summary
	}
	return summaries
}

// Close removes what the surveys had to store beside the files. Units cannot be read after it.
func (c *Corpus) Close() error {
	var failed []error
	for _, survey := range c.surveys {
		failed = append(failed, survey.Close())
	}
	return errors.Join(failed...)
}

// Combine joins the surveys of a corpus, given in the order of List: it refuses duplicate trace ids,
// naming both places, and tells every unit the convention of nested times that the whole corpus
// follows. It does not close the surveys when it fails.
func Combine(surveys []*Survey, settings Settings) (*Corpus, error) {
	joined := &Corpus{UnknownFields: map[string]int{}, surveys: surveys}
	first := map[corpus.TraceID]*Unit{}
	for _, survey := range surveys {
		joined.Files = append(joined.Files, File{survey.Source.Name, survey.Source.Size, survey.BLAKE3})
		joined.Refused = append(joined.Refused, survey.Refused...)
		for name, count := range survey.UnknownFields {
			joined.UnknownFields[name] += count
		}
		for _, unit := range survey.Units {
			other, double := first[unit.Summary.Trace]
			if !double {
				first[unit.Summary.Trace] = unit
				joined.Units = append(joined.Units, unit)
				continue
			}
			e := unit.fail(fmt.Sprintf("has the same id as the trace in %s", other.where()), "give every trace its own id")
			if !settings.SkipInvalid {
				return nil, e
			}
			joined.Refused = append(joined.Refused, e)
		}
	}
	joined.Nested = corpus.NestedConvention(joined.Summaries())
	for _, unit := range joined.Units {
		unit.nested = joined.Nested
	}
	return joined, nil
}
