package prep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"agentx/corpus"
	"agentx/corpus/bundle"
)

// InspectOptions say what to look at.
type InspectOptions struct {
	Trace  string   // id of a trace; empty: the manifest
	JSON   bool     // machine-readable
	Models []string // names for the recorded models, in their order; empty: m0, m1, …
}

// Inspect prints a bundle's manifest, or one of its traces.
func Inspect(out io.Writer, path string, options InspectOptions) error {
	b, err := bundle.Open(path)
	if err != nil {
		return err
	}
	err = inspect(out, b, options)
	return errors.Join(err, b.Close())
}

func inspect(out io.Writer, b *bundle.Bundle, options InspectOptions) error {
	if options.Trace == "" {
		if options.JSON {
			return inspectManifestJSON(out, b)
		}
		return inspectManifest(out, b)
	}
	trace, err := findTrace(b, options.Trace)
	if err != nil {
		return err
	}
	plan, err := b.Plan(trace)
	if err != nil {
		return err
	}
	if options.JSON {
		return writeTraceJSON(out, plan, b.Recipe().Options, options.Models)
	}
	return writeTree(out, plan, options.Models)
}

// findTrace is the place of a trace in the bundle.
func findTrace(b *bundle.Bundle, id string) (int, error) {
	trace, ok := b.Find(corpus.TraceID(id))
	if ok {
		return trace, nil
	}
	var names []corpus.TraceID
	for _, info := range b.Manifest().Traces {
		names = append(names, info.ID)
	}
	if id == "" {
		return 0, classed(Usage, fmt.Errorf("the trace is missing: give --trace ID; bundle %s has %s, agentx-prep inspect %s lists them", b.Path(), someOf(names), b.Path()))
	}
	return 0, classed(Usage, fmt.Errorf("bundle %s has no trace %q; it has %s", b.Path(), id, someOf(names)))
}

func inspectManifest(out io.Writer, b *bundle.Bundle) error {
	p := &printer{out: out}
	m := b.Manifest()
	p.row("bundle", "%s (%s, format %d)", b.Path(), bytesText(b.Size()), m.Format)
	p.row("key", "%s", m.Key)
	p.row("content", "%s", b.ContentDigest())
	writeManifest(p, m, b.Recipe())
	p.f("\n%-40s %13s %8s %15s %13s %10s %8s\n", "trace", "conversations", "turns", "in", "out", "peak", "blocks")
	const most = 40
	for i := range m.Traces[:min(most, len(m.Traces))] {
		t := &m.Traces[i]
		p.f("%-40s %13s %8s %15s %13s %10s %8s\n", t.ID, count(t.Conversations), count(t.Turns), count(t.In), count(t.Out), count(t.PeakContext), count(t.IDs))
	}
	if more := len(m.Traces) - most; more > 0 {
		p.f("… and %d more (--json lists all)\n", more)
	}
	return p.err
}

func inspectManifestJSON(out io.Writer, b *bundle.Bundle) error {
	text, err := json.Marshal(struct {
		Path     string           `json:"path"`
		Bytes    int64            `json:"bytes"`
		Content  bundle.Digest    `json:"content_digest"`
		Manifest *bundle.Manifest `json:"manifest"`
	}{b.Path(), b.Size(), b.ContentDigest(), b.Manifest()})
	if err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	indented.WriteByte('\n')
	_, err = out.Write(indented.Bytes())
	return err
}

// modelName is the name that stands for the recorded model: by place among the given ones.
func modelName(model int, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf("m%d", model)
	}
	return names[model%len(names)]
}

// writeTree prints a trace for reading: conversations below the turns that spawn them.
func writeTree(out io.Writer, plan *corpus.Plan, models []string) error {
	t := &tree{printer: printer{out: out}, plan: plan, models: models}
	t.f("trace %s from %s: blocks of %d tokens, tools %s, system %s, largest context %s\n", plan.Trace, plan.Source, plan.BlockSize,
		count(plan.ToolTokens), count(plan.SystemTokens), count(plan.PeakContext))
	for i, recorded := range plan.Models {
		t.f("model %s: recorded as %s\n", modelName(i, models), recorded)
	}
	t.legend()
	for _, dropped := range plan.Dropped {
		t.f("dropped: subagent %s in row %d: %s\n", dropped.Agent, dropped.Row, dropped.Reason)
	}
	t.conversation(0, "")
	return t.err
}

// legend says what the short forms of the turns mean.
func (t *tree) legend() {
	t.f(`turns: tokens of the prompt (in) and of the answer (out), recorded; the messages: the first N of the turn before ("keeps N +") and
new ones with their tokens (s system, u user, a assistant, t tool); the pause before it (gap); reset where a message of the turn
before is not kept; hit A/B: A of B recorded blocks would be in an unlimited prefix cache
`)
}

type tree struct {
	printer
	plan   *corpus.Plan
	models []string
}

func (t *tree) conversation(c int, indent string) {
	conversation := &t.plan.Conversations[c]
	var in, out int64
	for k := range conversation.Turns {
		in += conversation.Turns[k].In
		out += conversation.Turns[k].Out
	}
	t.f("%s%s (%s): %s, %s in, %s out\n", indent, conversation.ID, conversation.Kind, counted(len(conversation.Turns), "turn", "turns"), count(in), count(out))
	for k := range conversation.Turns {
		turn := &conversation.Turns[k]
		t.turn(conversation, k, indent+"  ")
		for _, b := range turn.Spawns {
			branch := &conversation.Branches[b]
			until := "in the background"
			if branch.JoinTurn >= 0 {
				until = fmt.Sprintf("joined by turn %d", branch.JoinTurn)
			}
			t.f("%s    spawns %s, %s\n", indent, branch.ID, until)
			for _, child := range branch.Children {
				t.conversation(child, indent+"      ")
			}
		}
	}
}

func (t *tree) turn(conversation *corpus.Conversation, k int, indent string) {
	turn := &conversation.Turns[k]
	gap := ""
	if turn.GapMs.Present() {
		gap = fmt.Sprintf("  gap %.3f s", float64(turn.GapMs)/1000)
	}
	keep := ""
	if turn.Keep > 0 {
		keep = fmt.Sprintf("keeps %d + ", turn.Keep)
	}
	reset := ""
	if turn.Reset {
		reset = "  reset"
	}
	t.f("%sturn %d  %s  in %s  out %s  %s%s%s%s  hit %d/%d%s\n", indent, k, modelName(turn.Model, t.models), count(turn.In), count(turn.Out),
		keep, shapeText(turn.New), gap, reset, turn.HitBlocks, turn.TotalBlocks, t.waits(conversation, turn))
}

// waits says what a turn waits for beside the turn before it.
func (t *tree) waits(conversation *corpus.Conversation, turn *corpus.Turn) string {
	var names []string
	for _, b := range turn.Joins {
		names = append(names, string(conversation.Branches[b].ID))
	}
	for _, pred := range turn.Preds {
		names = append(names, fmt.Sprintf("%s turn %d", t.plan.Conversations[pred.Conversation].ID, pred.Turn))
	}
	if len(names) == 0 {
		return ""
	}
	return "  waits for " + strings.Join(names, ", ")
}

// shapeText is the messages in the short form of the golden files: s system, u user, a assistant,
// t tool, each with its tokens.
func shapeText(messages []corpus.Message) string {
	var text strings.Builder
	for i, message := range messages {
		if i > 0 {
			text.WriteByte(' ')
		}
		fmt.Fprintf(&text, "%c%d", message.Role[0], message.Tokens)
	}
	return text.String()
}
