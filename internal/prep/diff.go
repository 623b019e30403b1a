package prep

import (
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

// mostDifferences is how many lines a diff prints of one kind.
const mostDifferences = 20

// DiffBundles prints which settings, traces and turns differ between two bundles. With fail set, a
// difference is an error of class Different.
func DiffBundles(out io.Writer, first, second string, fail bool) error {
	a, err := bundle.Open(first)
	if err != nil {
		return err
	}
	b, err := bundle.Open(second)
	if err != nil {
		return errors.Join(err, a.Close())
	}
	d := &differ{printer: printer{out: out}, a: a, b: b}
	err = d.compare()
	if err == nil && fail && d.different {
		err = classed(Different, errors.New("the bundles differ"))
	}
	return errors.Join(err, a.Close(), b.Close())
}

type differ struct {
	printer
	a, b      *bundle.Bundle
	different bool
}

func (d *differ) compare() error {
	if d.a.ContentDigest() == d.b.ContentDigest() {
		d.f("same content: %s\n", d.a.ContentDigest())
		return d.err
	}
	d.different = true
	d.row("content", "%.16s … and %.16s … differ", d.a.ContentDigest(), d.b.ContentDigest())
	if err := d.settings(); err != nil {
		return err
	}
	if d.a.Manifest().Frames != d.b.Manifest().Frames {
		d.row("text", "filler, tokenizer or chat template differ: prompts have other words")
	}
	return errors.Join(d.traces(), d.err)
}

// settings compares the recipes, name by name.
func (d *differ) settings() error {
	a, errA := flatten(d.a.Manifest().Recipe)
	b, errB := flatten(d.b.Manifest().Recipe)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a[name] != b[name] {
			d.row("setting", "%s: %s, %s", name, orNone(a[name]), orNone(b[name]))
		}
	}
	return nil
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// flatten lists the leaves of a JSON object by their path.
func flatten(text []byte) (map[string]string, error) {
	var value map[string]any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, fmt.Errorf("reading a recipe: %w", err)
	}
	leaves := map[string]string{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		if object, ok := value.(map[string]any); ok {
			for name, member := range object {
				walk(strings.TrimPrefix(path+"."+name, "."), member)
			}
			return
		}
		leaf, err := json.Marshal(value)
		if err != nil {
			panic(err) // it came from JSON
		}
		leaves[path] = string(leaf)
	}
	walk("", value)
	return leaves, nil
}

// traces compares the tables, and the plans of the traces that both have.
func (d *differ) traces() error {
	var onlyA, onlyB []corpus.TraceID
	var planned, texted int
	for i := range d.a.Manifest().Traces {
		info := &d.a.Manifest().Traces[i]
		at, ok := d.b.Find(info.ID)
		if !ok {
			onlyA = append(onlyA, info.ID)
			continue
		}
		other := &d.b.Manifest().Traces[at]
		if info.Text != other.Text {
			texted++
		}
		if info.Plan == other.Plan {
			continue
		}
		if planned++; planned <= mostDifferences {
			if err := d.plans(i, at); err != nil {
				return err
			}
		}
	}
	for i := range d.b.Manifest().Traces {
		if _, ok := d.a.Find(d.b.Manifest().Traces[i].ID); !ok {
			onlyB = append(onlyB, d.b.Manifest().Traces[i].ID)
		}
	}
	if len(onlyA) > 0 {
		d.row("only in first", "%s", someOf(onlyA))
	}
	if len(onlyB) > 0 {
		d.row("only in second", "%s", someOf(onlyB))
	}
	d.row("plans", "%s of %s common traces have another plan", count(planned), count(len(d.a.Manifest().Traces)-len(onlyA)))
	d.row("windows", "%s have other windows", count(texted))
	return nil
}

// plans says how two plans of a trace differ: conversations, then turns.
func (d *differ) plans(first, second int) error {
	a, err := d.a.Plan(first)
	if err != nil {
		return err
	}
	b, err := d.b.Plan(second)
	if err != nil {
		return err
	}
	others := map[corpus.ConversationID]*corpus.Conversation{}
	for c := range b.Conversations {
		others[b.Conversations[c].ID] = &b.Conversations[c]
	}
	var notes []string
	for c := range a.Conversations {
		own := &a.Conversations[c]
		other := others[own.ID]
		delete(others, own.ID)
		if other == nil {
			notes = append(notes, fmt.Sprintf("%s is only in the first", own.ID))
			continue
		}
		notes = append(notes, turnDifferences(own, other)...)
	}
	for _, id := range slices.Sorted(maps.Keys(others)) {
		notes = append(notes, fmt.Sprintf("%s is only in the second", id))
	}
	if len(notes) == 0 {
		notes = []string{"its counters, branches or sources differ"}
	}
	for _, note := range notes[:min(3, len(notes))] {
		d.row("trace "+string(a.Trace), "%s", note)
	}
	if len(notes) > 3 {
		d.row("trace "+string(a.Trace), "… and %d more differences", len(notes)-3)
	}
	return nil
}

func turnDifferences(a, b *corpus.Conversation) []string {
	var notes []string
	if len(a.Turns) != len(b.Turns) {
		notes = append(notes, fmt.Sprintf("%s has %d turns, %d", a.ID, len(a.Turns), len(b.Turns)))
	}
	for k := range min(len(a.Turns), len(b.Turns)) {
		own, errA := json.Marshal(&a.Turns[k])
		other, errB := json.Marshal(&b.Turns[k])
		if errA != nil || errB != nil || string(own) == string(other) {
			continue
		}
		leavesA, errA := flatten(own)
		leavesB, errB := flatten(other)
		if errA != nil || errB != nil {
			continue
		}
		names := maps.Clone(leavesA)
		maps.Copy(names, leavesB)
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if leavesA[name] != leavesB[name] {
				fields = append(fields, fmt.Sprintf("%s %s, %s", name, orNone(leavesA[name]), orNone(leavesB[name])))
			}
		}
		notes = append(notes, fmt.Sprintf("%s turn %d: %s", a.ID, k, strings.Join(fields, "; ")))
	}
	return notes
}
