// Package hub brings data sets and tokenizers from a HuggingFace-compatible hub into a folder, and
// proves later, without a network, that the folder still holds what the hub has.
//
// It promises:
//   - The token goes to the hub's own origin and nowhere else, whatever a redirect says.
//   - A file appears under its name only when it is whole: it has the size and the digest that the hub
//     states. An interrupted download goes on where it stopped.
//   - The record of a fetch (repository, commit, digest of each file as the hub states it) is written
//     last, so a folder with a record was complete once; Record.Verify tells whether it still is.
//   - The cache folder of the HuggingFace libraries is read, never written.
//
// The protocol is described in docs/design.md.
package hub
