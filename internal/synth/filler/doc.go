// Package filler makes the one text that all prompts of a bundle are cut from, finds the windows of
// it that may be put together freely, and deals them to the ranks of a trace.
//
// The text looks like what coding agents send: code, diffs, logs, JSON, prose. It is printable ASCII,
// newline and tab, and holds no string that servers or the tokenizer take for a control token. A
// window is legal when any row of windows, joined without a separator, encodes to the sum of its
// parts (rules at Find). Everything is a function of style, seed and tokenizer.
package filler
