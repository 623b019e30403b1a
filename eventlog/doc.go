// Package eventlog is the record of a run: an append-only SQLite file that holds every decision of
// the replay machine and every fact from the wire, in order.
//
// It promises that an acknowledged event survives a kill, that a log is always a dense prefix of
// what happened, and that damage is found: docs/event-log.md. The package imports no other agentx
// package; events carry plain ids, numbers and bytes, so old logs stay readable.
package eventlog
