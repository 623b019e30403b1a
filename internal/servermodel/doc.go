// Package servermodel is a model of an LLM inference server: a queue, a batch, a prefill and a decode
// rate, a context window and a prefix cache of limited size.
//
// It is driven from outside, by a real clock (internal/mockserver) or by a virtual one
// (internal/simulate): Arrive hands it a request, Next says when something happens by itself, Advance
// lets it happen. Times are int64 nanoseconds on any clock that does not go back.
//
// Promises: no I/O, no clock, no goroutine; the same calls give the same answers, on any machine; random
// draws depend only on the seed and on the names of requests, never on their order. A Model is not safe
// for concurrent use: its driver serialises the calls.
package servermodel
