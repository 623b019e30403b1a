// Package samplegen makes the sample corpus in testdata/corpus: a handful of small recordings, in the
// Weka format, that show what real ones do: growing prompts, compaction, an edited history, subagents in
// parallel, in sequence and in the background, and workers that were recorded flat. They are small
// enough to read and take a minute or two each, for demos and tests.
//
// The corpus depends on nothing but this code: the same files come out on every machine.
package samplegen

//go:generate go run ./cmd ../../testdata/corpus
