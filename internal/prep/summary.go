package prep

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"agentx/corpus"
	"agentx/corpus/bundle"
)

// kindOrder is the order of conversation kinds in print.
var kindOrder = []corpus.ConversationKind{
	corpus.KindRoot, corpus.KindSubagent, corpus.KindSubagentFlat, corpus.KindSubagentAux, corpus.KindSubagentGroup, corpus.KindFlat, corpus.KindAux, corpus.KindGroup,
}

// printer writes lines and keeps the first error.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) f(format string, arguments ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, arguments...)
	}
}

// row prints a name and what belongs to it.
func (p *printer) row(name, format string, arguments ...any) {
	p.f("%-14s %s\n", name, fmt.Sprintf(format, arguments...))
}

// WriteSummary prints what a build gave.
func (r *Result) WriteSummary(out io.Writer) error {
	p := &printer{out: out}
	if r.Reused {
		p.row("bundle", "%s (%s), found in the cache", r.Path, bytesText(r.Size))
	} else {
		p.row("bundle", "%s (%s), built in %s", r.Path, bytesText(r.Size), r.Elapsed.Round(10*time.Millisecond))
	}
	p.row("key", "%s", r.Key)
	p.row("content", "%s", r.Content)
	writeManifest(p, r.Manifest, r.Recipe)
	return p.err
}

// writeManifest prints what is in a bundle, what was left out, and what the traces had of note.
func writeManifest(p *printer, m *bundle.Manifest, recipe *bundle.Recipe) {
	t := &m.Totals
	p.row("traces", "%s of %s scanned, from %s (%s)", count(t.Traces), count(m.Selected.Scanned), counted(recipe.Source.Files, "file", "files"), recipe.Source.Evidence)
	if source := recipe.Source; source.Repository != "" {
		p.row("source", "%s", sourceText(source))
	}
	writeLeftOut(p, m, recipe)
	var kinds []string
	for _, kind := range kindOrder {
		if n := m.Facts.Conversations[kind]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %s", kind, count(n)))
		}
	}
	p.row("conversations", "%s (%s)", count(t.Conversations), strings.Join(kinds, ", "))
	p.row("turns", "%s, with %s", count(t.Turns), counted(t.Messages, "stored message", "stored messages"))
	p.row("tokens", "%s in, %s out, largest context %s", count(t.In), count(t.Out), count(t.PeakContext))
	if m.Facts.TotalBlocks > 0 {
		p.row("cache", "%.2f %% of recorded blocks are hits in theory (%s of %s)", 100*float64(m.Facts.HitBlocks)/float64(m.Facts.TotalBlocks), count(m.Facts.HitBlocks), count(m.Facts.TotalBlocks))
	}
	p.row("text", "%s, %s, %s", counted(m.Facts.DistinctBlocks, "distinct block", "distinct blocks"), counted(m.Facts.FillBlocks, "fill", "fills"), counted(m.Facts.Tails, "tail", "tails"))
	p.row("tokenizer", "%s (%s, BLAKE3 %.12s)", recipe.Tokenizer.Name, recipe.Tokenizer.Kind, recipe.Tokenizer.Digest)
	if recipe.Tokenizer.Kind == "tiktoken" {
		p.row("", "counts are exact for gpt-oss and other o200k_base models; for another server give its tokenizer.json by --tokenizer")
	}
	p.row("filler", "%s, seed %d: %s tokens, %s, %.2f bytes a token, %s", recipe.PromptCorpus, recipe.RandomSeed,
		count(m.Filler.Tokens), bytesText(int64(m.Filler.Bytes)), float64(m.Filler.Bytes)/float64(max(1, m.Filler.Tokens)), startsText(m.Filler.Starts))
	for _, note := range notes(m) {
		p.row("note", "%s", note)
	}
}

// sourceText names a recording of a hub.
func sourceText(source bundle.Source) string {
	text := source.Repository
	if source.Alias != "" {
		text = source.Alias + " (" + text + ")"
	}
	if source.Subset != "" {
		text += ", subset " + source.Subset
	}
	if source.Revision == "" {
		return text + ", commit not known"
	}
	return text + ", commit " + source.Revision
}

func startsText(starts map[string]int) string {
	var parts []string
	for _, size := range slices.SortedFunc(maps.Keys(starts), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }) {
		parts = append(parts, fmt.Sprintf("%s of %s tokens", counted(starts[size], "legal window", "legal windows"), size))
	}
	return strings.Join(parts, ", ")
}

// writeLeftOut says which traces are not in the bundle.
func writeLeftOut(p *printer, m *bundle.Manifest, recipe *bundle.Recipe) {
	list := func(why string, ids []corpus.TraceID) {
		if len(ids) > 0 {
			p.row("left out", "%s: %s", why, someOf(ids))
		}
	}
	list("no top-level request", m.Selected.NothingToSend)
	list(fmt.Sprintf("peak over max-context-length %d", recipe.Options.MaxContextLength), m.Selected.TooLong)
	list(fmt.Sprintf("input over synthesis-max-isl %d", recipe.Options.MaxISL), m.Selected.OverISL)
	for _, why := range m.Refused {
		p.row("left out", "invalid: %s", why)
	}
}

// someOf names the first few and counts the others.
func someOf[T ~string](ids []T) string {
	const most = 5
	var names []string
	for _, id := range ids[:min(most, len(ids))] {
		names = append(names, string(id))
	}
	text := fmt.Sprintf("%d (%s", len(ids), strings.Join(names, ", "))
	if len(ids) > most {
		text += ", …"
	}
	return text + ")"
}

// notes lists, once each, what the traces had of note; a count of zero is no note. In their texts
// {one|many} is chosen by the count.
func notes(m *bundle.Manifest) []string {
	f := &m.Facts
	var all []string
	add := func(n int, format string, arguments ...any) {
		if n > 0 {
			all = append(all, count(n)+" "+fmt.Sprintf(numbered(n, format), arguments...))
		}
	}
	add(m.Totals.OverLimit, "{turn fits|turns fit} max-context-length, and no longer with the marker of a run (%d tokens) in front; the chat template comes on top", bundle.MarkerTokens)
	add(f.TracesSplit, "{trace holds|traces hold} several agents: %s, %d of them aux, %s, %d in worker groups, %s spliced",
		counted(f.Split.Chains, "extra chain", "extra chains"), f.Split.Aux, counted(f.Split.Reductions, "reduction", "reductions"), f.Split.Group, counted(f.Split.Seams, "seam", "seams"))
	add(f.Branches, "{branch|branches}, %d in the background", f.BranchesBackground)
	add(f.DroppedSubagents, "{subagent|subagents} dropped, with %s: no turn before them could start them", counted(f.DroppedRequests, "request", "requests"))
	add(f.FilteredRequests, "{request lies|requests lie} outside of the schedule window")
	add(f.CyclicEdges, "predecessor {edge|edges} dropped: a cycle would be closed")
	add(len(f.OutOfOrder), "{trace was|traces were} out of time order, and sorted: %s", someOf(f.OutOfOrder))
	add(len(f.NestedGuessed), "{subagent says|subagents say} nothing about the basis of recorded times, taken as absolute; the first is %s of trace %s", firstGuess(f.NestedGuessed).Agent, firstGuess(f.NestedGuessed).Trace)
	add(f.DelaysCapped, "{delay|delays} capped by inter-turn-delay-cap-seconds; the longest was %.0f s", f.DelayUncapped/1000)
	add(f.DelaysLong, "{delay is|delays are} over 60 s; the longest is %.0f s", f.DelayMaxMs/1000)
	add(f.NegativeThink, "negative think {time|times}, taken as 0")
	add(f.NegativeAPI, "negative server {time|times}, taken as 0")
	add(f.ZeroOut, "recorded {output is|outputs are} 0, sent with a limit of 1")
	add(f.OutputsCapped, "output {limit|limits} capped by synthesis-max-osl")
	add(f.UnchangedTurns, "{prompt is the same as that of|prompts are the same as those of} the turn before")
	add(f.NonUserEnds, "{prompt does|prompts do} not end with a user or tool message")
	add(f.NoSystem, "{conversation has|conversations have} a declared system part that is longer than the block ids: sent as user text")
	add(f.RowsTooFewIDs, "{request has|requests have} fewer block ids than the input length asks for, filled with unique text")
	add(f.RowsSurplusIDs, "{request has|requests have} more block ids than the input length asks for; the surplus was ignored")
	add(f.OddBlockSize, "{trace has|traces have} a block size other than 64")
	for _, name := range slices.Sorted(maps.Keys(m.UnknownFields)) {
		add(m.UnknownFields[name], "{time|times} the unknown field %q, ignored", name)
	}
	return all
}

// numbered chooses among {one|many} in a text.
func numbered(n int, text string) string {
	for {
		before, rest, found := strings.Cut(text, "{")
		choice, after, _ := strings.Cut(rest, "}")
		if !found {
			return text
		}
		one, many, _ := strings.Cut(choice, "|")
		if n == 1 {
			many = one
		}
		text = before + many + after
	}
}

// counted is a number with what it counts.
func counted[T int | int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

func firstGuess(guessed []corpus.NestedNote) corpus.NestedNote {
	if len(guessed) == 0 {
		return corpus.NestedNote{}
	}
	return guessed[0]
}

// count writes a number with a comma every three digits.
func count[T int | int64](n T) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
