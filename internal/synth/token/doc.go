// Package token reads tokenizers and counts tokens exactly as the tokenizers' own libraries do.
//
// Two file kinds are read: HuggingFace tokenizer.json with byte-level BPE (Qwen2.5, Llama-3,
// DeepSeek-V3 and relatives) or BPE over code points with byte fallback (Gemma-3, Llama-2), and rank
// lists in tiktoken's text form. Whatever in a file would make the count inexact is refused with an
// Unsupported error that names it; nothing is approximated. Characters newer than Unicode 15, the
// version of Go's tables, are the one known place where a count can differ.
//
// Text is UTF-8; bytes that are not are read as U+FFFD. Post-processors (a BOS token in front) are not
// applied: the count of a text is that of the text alone.
package token
