// Package simulate replays plans under a virtual clock, without a server: the real replay machine,
// driven against recorded latencies, a file of latencies, or the model of a server (internal/servermodel).
// The log that comes of it is an ordinary one, which the analysis reads like any other.
//
// It promises that the same options give the same events, and that half an hour of 64 lanes takes a few
// seconds. It opens no files and reads no clock.
package simulate
