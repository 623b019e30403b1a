// Package corpus holds what agentx knows about recorded agent sessions once they are read: the
// recorded Trace and the Plan made of it (conversations, turns, branches, predecessors, message
// shapes), as pure data and rules.
//
// The package does no I/O, reads no clock and starts no goroutine. Reading the Weka format is
// corpus/weka, storing plans with their text is corpus/bundle.
package corpus
