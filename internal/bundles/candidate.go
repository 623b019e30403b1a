package bundles

import (
	"context"
	"encoding/json"
	"fmt"

	"agentx/corpus"
	"agentx/corpus/bundle"
	"agentx/internal/scenario"
)

// Candidate is an open bundle that is held against wishes.
type Candidate struct {
	bundle  *bundle.Bundle
	options map[string]any // of the recipe, by JSON name
	plans   []*corpus.Plan // nil until a rule needs them
}

// Of makes a candidate of an open bundle.
func Of(b *bundle.Bundle) (*Candidate, error) {
	c := &Candidate{bundle: b}
	var err error
	c.options, err = asJSON(b.Recipe().Options)
	return c, err
}

// asJSON is a struct as JSON has it.
func asJSON(value any) (map[string]any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	return object, json.Unmarshal(text, &object)
}

// Mismatch is a flag with which a bundle does not agree.
type Mismatch struct{ Flag, Wanted, Found string }

func (m Mismatch) String() string {
	return fmt.Sprintf("--%s %s: the bundle has %s", m.Flag, m.Wanted, m.Found)
}

// Compare lists where the bundle does not agree with the wish.
func (c *Candidate) Compare(ctx context.Context, w Wish) ([]Mismatch, error) {
	var list []Mismatch
	for _, rule := range rules() {
		value, given := w[rule.flag]
		if !given {
			continue
		}
		found, agrees, err := rule.agrees(ctx, c, value)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", rule.flag, err)
		}
		if !agrees {
			list = append(list, Mismatch{rule.flag, fmt.Sprint(value), found})
		}
	}
	return list, nil
}

// describe says in a wish which recording the bundle is of, as far as it knows.
func (c *Candidate) describe(w Wish) {
	source := &c.bundle.Recipe().Source
	at := ""
	if source.Revision != "" {
		at = "@" + source.Revision
	}
	switch {
	case source.Alias != "":
		w["public-dataset"] = source.Alias + at
	case source.Repository != "":
		w["hf-weka-dataset"] = source.Repository + at
	}
	if source.Subset != "" {
		w["hf-subset"] = source.Subset
	}
}

// describeOptions says in a wish how the bundle was prepared, where that is not the default.
func (c *Candidate) describeOptions(w Wish) {
	usual, err := asJSON(corpus.DefaultOptions())
	if err != nil {
		return
	}
	for _, rule := range rules() {
		if value := c.options[rule.option]; rule.option != "" && value != nil && value != usual[rule.option] {
			w[rule.flag] = value
		}
	}
	if style := c.bundle.Recipe().PromptCorpus; style != defaultStyle {
		w["prompt-corpus"] = style
	}
}

// usual reports whether everything that the wish does not speak of was prepared by default.
func (c *Candidate) usual(w Wish) bool {
	unasked := Wish{}
	c.describeOptions(unasked)
	for flag := range unasked {
		if _, asked := w[flag]; !asked {
			return false
		}
	}
	recipe := c.bundle.Recipe()
	_, tokenizer := w["tokenizer"]
	return recipe.RandomSeed == 0 && (tokenizer || recipe.Tokenizer.Name == defaultTokenizer)
}

// loader is the bundle's source as scenarios call it.
func (c *Candidate) loader() string {
	source := &c.bundle.Recipe().Source
	switch {
	case source.Alias != "":
		return source.Alias
	case source.Repository != "":
		return scenario.LoaderHub
	}
	return scenario.LoaderLocal
}

// turns gives every turn of the bundle, until look returns false.
func (c *Candidate) turns(look func(*corpus.Turn) bool) error {
	if c.plans == nil {
		var err error
		if c.plans, err = c.bundle.Plans(); err != nil {
			return err
		}
	}
	for _, plan := range c.plans {
		for i := range plan.Conversations {
			turns := plan.Conversations[i].Turns
			for k := range turns {
				if !look(&turns[k]) {
					return nil
				}
			}
		}
	}
	return nil
}
