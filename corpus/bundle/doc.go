// Package bundle writes, opens and checks bundles: the one file that carries a prepared corpus from
// the build host to where it is replayed. docs/bundle-format.md describes the bytes.
//
// A bundle is a plain concatenation of zstd frames (manifest, filler text, tokenizer, and for every
// trace a plan and a text), closed by an index in a skippable frame. It is written under a temporary
// name, synced and renamed, so a file with its final name is whole. Opening verifies footer, index and
// manifest; every other frame is verified when it is first read, before anything uses it. A bundle is
// untrusted input: lengths are checked before memory is taken, and every number before it is used.
//
// For replay, Text gives the JSON-escaped text of any message as slices of the filler, which is escaped
// once at open: no prompt is generated, copied or marshalled at run time.
package bundle
