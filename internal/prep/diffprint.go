package prep

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Limits of a printed comparison; JSON has everything.
const (
	mostDifferences = 20 // traces
	mostNotes       = 3  // a trace
)

func (d *Difference) print(out io.Writer, asJSON bool) error {
	if asJSON {
		text, err := json.MarshalIndent(d, "", "  ")
		if err != nil {
			return fmt.Errorf("writing the comparison: %w", err)
		}
		_, err = out.Write(append(text, '\n'))
		return err
	}
	p := &printer{out: out}
	if d.Same {
		p.f("same content: %s\n", d.Content[0])
		return p.err
	}
	p.row("content", "%.16s … and %.16s … differ", d.Content[0], d.Content[1])
	for i := range d.Settings {
		p.row("setting", "%s", &d.Settings[i])
	}
	if d.Text {
		p.row("text", "filler, tokenizer or chat template differ: prompts have other words")
	}
	for i := range d.Plans[:min(mostDifferences, len(d.Plans))] {
		d.Plans[i].print(p)
	}
	if more := len(d.Plans) - mostDifferences; more > 0 {
		p.row("", "… and %s (--json lists all)", counted(more, "more trace", "more traces"))
	}
	if len(d.OnlyA) > 0 {
		p.row("only in first", "%s", someOf(d.OnlyA))
	}
	if len(d.OnlyB) > 0 {
		p.row("only in second", "%s", someOf(d.OnlyB))
	}
	p.row("plans", "of %s %d have another plan", counted(d.Common, "common trace", "common traces"), len(d.Plans))
	p.row("windows", "of these %d have other windows of text", len(d.Windows))
	return p.err
}

func (d *TraceDifference) print(p *printer) {
	var notes []string
	for _, id := range d.OnlyA {
		notes = append(notes, fmt.Sprintf("%s is only in the first", id))
	}
	for _, id := range d.OnlyB {
		notes = append(notes, fmt.Sprintf("%s is only in the second", id))
	}
	for i := range d.Turns {
		notes = append(notes, d.Turns[i].String())
	}
	if len(notes) == 0 {
		notes = []string{"its counters, branches or sources differ"}
	}
	for _, note := range notes[:min(mostNotes, len(notes))] {
		p.row("trace "+string(d.Trace), "%s", note)
	}
	if more := len(notes) - mostNotes; more > 0 {
		p.row("trace "+string(d.Trace), "… and %s", counted(more, "more difference", "more differences"))
	}
}

func (d *TurnDifference) String() string {
	if d.Only != "" {
		return fmt.Sprintf("%s turn %d is only in the %s", d.Conversation, d.Turn, d.Only)
	}
	fields := make([]string, len(d.Fields))
	for i := range d.Fields {
		f := &d.Fields[i]
		fields[i] = fmt.Sprintf("%s %s, %s", f.Name, orNone(string(f.A)), orNone(string(f.B)))
	}
	return fmt.Sprintf("%s turn %d: %s", d.Conversation, d.Turn, strings.Join(fields, "; "))
}

func (f *Field) String() string {
	return fmt.Sprintf("%s: %s, %s", f.Name, orNone(string(f.A)), orNone(string(f.B)))
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
