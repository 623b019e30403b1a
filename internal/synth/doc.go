// Package synth is the room of everything that makes or counts text:
//
//   - token reads tokenizers (HuggingFace tokenizer.json, tiktoken rank lists) and encodes exactly
//     as their own libraries do; what it cannot read exactly it refuses by name;
//   - pretoken holds the hand-written scanners of the pre-token patterns in use;
//   - o200k carries the embedded default vocabulary;
//   - filler generates the one text all prompts are cut from, finds its legal windows and deals
//     them to the ranks of a trace;
//   - chat renders chat templates and measures their overhead;
//   - draw makes random generators named by purpose.
//
// Nothing here reads a clock, and nothing depends on the order of goroutines.
package synth
