package prep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"agentx/corpus"
	"agentx/corpus/bundle"
)

// DiffOptions say how a comparison ends.
type DiffOptions struct {
	JSON bool // machine-readable, with every difference
	Fail bool // a difference is an error of class Different
}

// Difference is how two bundles differ. Values are JSON, null where one side has none.
type Difference struct {
	Same     bool              `json:"same"` // one content digest
	Content  [2]bundle.Digest  `json:"content_digests"`
	Settings []Field           `json:"settings"` // of the recipe, by name
	Text     bool              `json:"text"`     // filler, tokenizer or chat template differ
	Common   int               `json:"common_traces"`
	OnlyA    []corpus.TraceID  `json:"only_in_first"`
	OnlyB    []corpus.TraceID  `json:"only_in_second"`
	Plans    []TraceDifference `json:"plans"`   // of the traces that both have
	Windows  []corpus.TraceID  `json:"windows"` // traces that both have, with other windows of text
}

// Field is a value that differs.
type Field struct {
	Name string          `json:"name"`
	A    json.RawMessage `json:"first"`
	B    json.RawMessage `json:"second"`
}

// TraceDifference is how two plans of a trace differ. One with no entries has other counters, branches or
// sources.
type TraceDifference struct {
	Trace corpus.TraceID          `json:"trace"`
	OnlyA []corpus.ConversationID `json:"conversations_only_in_first"`
	OnlyB []corpus.ConversationID `json:"conversations_only_in_second"`
	Turns []TurnDifference        `json:"turns"`
}

// TurnDifference is a turn that differs, or is in one of the bundles only.
type TurnDifference struct {
	Conversation corpus.ConversationID `json:"conversation"`
	Turn         int                   `json:"turn"`
	Only         string                `json:"only_in,omitempty"` // first or second
	Fields       []Field               `json:"fields,omitempty"`
}

// DiffBundles prints which settings, traces and turns differ between two bundles.
func DiffBundles(out io.Writer, first, second string, options DiffOptions) error {
	a, err := bundle.Open(first)
	if err != nil {
		return err
	}
	b, err := bundle.Open(second)
	if err != nil {
		return errors.Join(err, a.Close())
	}
	d, err := compareBundles(a, b)
	if err == nil {
		err = d.print(out, options.JSON)
	}
	if err == nil && options.Fail && !d.Same {
		err = classed(Different, errors.New("the bundles differ"))
	}
	return errors.Join(err, a.Close(), b.Close())
}

func compareBundles(a, b *bundle.Bundle) (*Difference, error) {
	d := &Difference{
		Same: a.ContentDigest() == b.ContentDigest(), Content: [2]bundle.Digest{a.ContentDigest(), b.ContentDigest()},
		Settings: []Field{}, OnlyA: []corpus.TraceID{}, OnlyB: []corpus.TraceID{}, Plans: []TraceDifference{}, Windows: []corpus.TraceID{},
	}
	if d.Same {
		d.Common = len(a.Manifest().Traces)
		return d, nil
	}
	var err error
	if d.Settings, err = differingFields(a.Manifest().Recipe, b.Manifest().Recipe); err != nil {
		return nil, err
	}
	d.Text = a.Manifest().Frames != b.Manifest().Frames
	for i := range a.Manifest().Traces {
		if err := d.trace(a, b, i); err != nil {
			return nil, err
		}
	}
	for i := range b.Manifest().Traces {
		if id := b.Manifest().Traces[i].ID; !has(a, id) {
			d.OnlyB = append(d.OnlyB, id)
		}
	}
	return d, nil
}

func has(b *bundle.Bundle, id corpus.TraceID) bool {
	_, ok := b.Find(id)
	return ok
}

// trace compares a trace of the first bundle with that of the second.
func (d *Difference) trace(a, b *bundle.Bundle, i int) error {
	own := &a.Manifest().Traces[i]
	at, ok := b.Find(own.ID)
	if !ok {
		d.OnlyA = append(d.OnlyA, own.ID)
		return nil
	}
	d.Common++
	other := &b.Manifest().Traces[at]
	if own.Text != other.Text {
		d.Windows = append(d.Windows, own.ID)
	}
	if own.Plan == other.Plan {
		return nil
	}
	first, err := a.Plan(i)
	if err != nil {
		return err
	}
	second, err := b.Plan(at)
	if err != nil {
		return err
	}
	difference, err := comparePlans(first, second)
	d.Plans = append(d.Plans, difference)
	return err
}

// comparePlans says how two plans of a trace differ: conversations, then turns.
func comparePlans(a, b *corpus.Plan) (TraceDifference, error) {
	d := TraceDifference{Trace: a.Trace, OnlyA: []corpus.ConversationID{}, OnlyB: []corpus.ConversationID{}, Turns: []TurnDifference{}}
	others := map[corpus.ConversationID]*corpus.Conversation{}
	for c := range b.Conversations {
		others[b.Conversations[c].ID] = &b.Conversations[c]
	}
	for c := range a.Conversations {
		own := &a.Conversations[c]
		other := others[own.ID]
		delete(others, own.ID)
		if other == nil {
			d.OnlyA = append(d.OnlyA, own.ID)
			continue
		}
		if err := d.turns(own, other); err != nil {
			return d, err
		}
	}
	d.OnlyB = append(d.OnlyB, slices.Sorted(maps.Keys(others))...)
	return d, nil
}

func (d *TraceDifference) turns(a, b *corpus.Conversation) error {
	for k := range max(len(a.Turns), len(b.Turns)) {
		turn := TurnDifference{Conversation: a.ID, Turn: k}
		switch {
		case k >= len(b.Turns):
			turn.Only = "first"
		case k >= len(a.Turns):
			turn.Only = "second"
		default:
			own, errA := json.Marshal(&a.Turns[k])
			other, errB := json.Marshal(&b.Turns[k])
			if err := errors.Join(errA, errB); err != nil {
				return fmt.Errorf("comparing turn %d of %s: %w", k, a.ID, err)
			}
			if bytes.Equal(own, other) {
				continue
			}
			var err error
			if turn.Fields, err = differingFields(own, other); err != nil {
				return err
			}
		}
		d.Turns = append(d.Turns, turn)
	}
	return nil
}

// differingFields compares two JSON objects leaf by leaf.
func differingFields(a, b []byte) ([]Field, error) {
	own, errA := flatten(a)
	other, errB := flatten(b)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	names := maps.Clone(own)
	maps.Copy(names, other)
	fields := []Field{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(own[name], other[name]) {
			fields = append(fields, Field{name, own[name], other[name]})
		}
	}
	return fields, nil
}

// flatten lists the leaves of a JSON object by their path.
func flatten(text []byte) (map[string]json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // ids and seeds have more digits than a float keeps
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("reading what is to be compared: %w", err)
	}
	leaves := map[string]json.RawMessage{}
	var walk func(path string, value any) error
	walk = func(path string, value any) error {
		if object, ok := value.(map[string]any); ok {
			for name, member := range object {
				if err := walk(strings.TrimPrefix(path+"."+name, "."), member); err != nil {
					return err
				}
			}
			return nil
		}
		leaf, err := json.Marshal(value)
		leaves[path] = leaf
		return err
	}
	return leaves, walk("", value)
}
