// Package reportpage writes the page that a team lead reads first: whether the numbers of a run may be
// used, what they are, and how they came about; of several runs a table and their Pareto front. It
// promises that every row of the checklist carries its evidence, that no number stands without its
// population or window, and that the page prints.
package reportpage

import (
	"fmt"
	"io"
	"strings"

	"agentx/internal/compare"
	"agentx/internal/measure"
	"agentx/internal/view/paper"
)

// Run is one run to report on.
type Run struct {
	Label string // of its folder
	Path  string // of its log
	*measure.Analysis
}

// HTML writes the page of one or several runs.
func HTML(w io.Writer, runs []Run) error { return document(runs).HTML(w) }

func document(runs []Run) *paper.Document {
	if len(runs) == 1 {
		d := &paper.Document{Title: "agentx report: " + titleOf(&runs[0])}
		d.Add(whole(&runs[0])...)
		return d
	}
	d := &paper.Document{Title: fmt.Sprintf("agentx report: %d runs", len(runs))}
	d.Add(together(runs)...)
	for i := range runs {
		d.Add(paper.Heading{Text: "Run " + titleOf(&runs[i])})
		d.Add(opening(&runs[i])...)
		d.Add(headline(&runs[i])...)
	}
	return d
}

// titleOf names a run: folder, model, concurrency.
func titleOf(r *Run) string {
	parts := []string{r.Label}
	if len(r.Config.Models) > 0 {
		parts = append(parts, strings.Join(r.Config.Models, ", "))
	}
	if lanes, set := r.Settings.Float("concurrency"); set {
		parts = append(parts, "concurrency "+paper.Number(lanes))
	}
	return strings.Join(parts, " · ")
}

// whole is everything about one run.
func whole(r *Run) []paper.Block {
	blocks := opening(r)
	blocks = append(blocks, headline(r)...)
	blocks = append(blocks, distributions(r)...)
	blocks = append(blocks, timeline(r)...)
	blocks = append(blocks, cache(r)...)
	blocks = append(blocks, failures(r)...)
	blocks = append(blocks, sessions(r)...)
	blocks = append(blocks, serverMetrics(r)...)
	blocks = append(blocks, circumstances(r)...)
	return append(blocks, sources(r))
}

// opening is what stands at the top: what ran, the verdict, the checklist.
func opening(r *Run) []paper.Block {
	blocks := []paper.Block{paper.Paragraph{Text: identity(r), Tone: paper.Dim}}
	blocks = append(blocks, verdict(r)...)
	return append(blocks, paper.Heading{Text: "Checklist"}, checklist(r))
}

func sources(r *Run) paper.Block {
	return paper.Paragraph{Tone: paper.Dim, Text: fmt.Sprintf("Source: %s, %d rows of the log. Unless another is named, the population is the %d valid of %d sent profiling requests, and the window %s s from profiling start to the end of the duration.",
		r.Path, r.Events, r.Own.Totals.Valid, r.Population.Sent, paper.Number(compare.WindowSeconds(r.Analysis)))}
}
