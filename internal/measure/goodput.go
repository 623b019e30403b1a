package measure

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Objective is one goodput condition: a metric that must not be worse than a limit, in display units.
type Objective struct {
	Tag        string
	Limit      float64
	definition *Definition
}

// ParseObjectives reads the words of --goodput: "tag:value tag:value …", limits in display units
// (spec metrics 3). A tag must be a metric with one value per request.
func ParseObjectives(text string) ([]Objective, error) {
	definitions := Definitions()
	var objectives []Objective
	for _, word := range strings.Fields(text) {
		tag, number, found := strings.Cut(word, ":")
		limit, err := strconv.ParseFloat(number, 64)
		if !found || err != nil || math.IsNaN(limit) || math.IsInf(limit, 0) {
			return nil, fmt.Errorf("goodput %q: expected tag:number, as in time_to_first_token:250", word)
		}
		d, known := Lookup(definitions, tag)
		if !known || d.Family != FamilyRecord {
			return nil, fmt.Errorf("goodput %q: %s is no metric with one value per request; docs/metrics.md lists them", word, tag)
		}
		objectives = append(objectives, Objective{Tag: tag, Limit: limit, definition: d})
	}
	return objectives, nil
}

// Streamed reports whether only streamed answers can keep the objective.
func (o *Objective) Streamed() bool { return o.definition.Streamed }

// met reports whether the record keeps the objective; a missing value does not.
func (o *Objective) met(r *Record, basis *Basis) bool {
	value, ok := o.definition.Value(r, basis)
	if !ok {
		return false
	}
	if o.definition.Better == Higher {
		return value >= o.Limit
	}
	return value <= o.Limit
}

// good reports whether a valid record keeps every objective; ok is false without objectives or for
// records that are not valid.
func good(r *Record, basis *Basis) (float64, bool) {
	if len(basis.Objectives) == 0 || !r.Valid() {
		return 0, false
	}
	for i := range basis.Objectives {
		if !basis.Objectives[i].met(r, basis) {
			return 0, true
		}
	}
	return 1, true
}
