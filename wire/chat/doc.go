// Package chat reads the JSON of chat completion answers: streamed chunks, whole answers, errors and
// usage, of every shape that servers send.
//
// It promises: one pass, without allocation once its buffers have grown; what is not understood is passed
// over, at any depth, and never an error by itself; null and a missing key are the same, save where a
// usage rule says otherwise; a value that is not reported is never 0. It reads control characters inside
// strings, which strict readers refuse, because servers send them.
package chat
