// Package mockserver is an OpenAI-compatible chat server for demos and tests, on the model of
// internal/servermodel: it queues, batches, caches prefixes and paces tokens as the model says, answers
// with synthetic words, and misbehaves on order.
//
// It promises to say the truth about itself: a Record of every request carries the times at which bytes
// really came and went, on the machine's monotonic clock, so that a client on the same machine can check
// its own measurements; the token counts of its answers and of its metrics page are those of the model;
// and how it counts tokens is in /version and in the header X-Mock-Token-Count.
//
// The ordinary path is net/http. Faults take the connection over and write bytes as ordered (faults.go).
package mockserver
