// Package wire makes one HTTP exchange with an OpenAI-compatible chat server and says exactly what
// happened on the socket.
//
// It promises:
//   - One goroutine, the caller's, writes, stamps, reads and scans an exchange; nothing is queued between
//     the socket and the stamp. Stamps are taken below TLS, around each write and after each read; on
//     Linux a read's stamp is the kernel's receive time, moved to the caller's clock.
//   - One Do gives one Result, whatever the server does: every end is an outcome, never a Go error, and
//     what had arrived before a failure or a cancellation is in it.
//   - Prompts are never marshalled and never copied whole: the caller hands in pieces of already escaped
//     JSON text, and the body's length and BLAKE3 come from them.
//   - Nothing is resent, except once, where a reused idle connection was dead and the server cannot have
//     begun to answer; that is counted and timed from the resend.
//   - Memory is bounded whatever the server sends: lines, bodies, heads and kept text have limits.
//   - The API key and the values of secret headers are in no error text, also when a server echoes them.
//
// The package imports no other package of the project and can be used on its own. HTTP/1.1 is its own
// client over net.Conn, because net/http cannot measure: its body reader withholds an event until its
// HTTP chunk is complete, and its stamps are taken on other goroutines. docs/wire.md lists what is
// measured where.
package wire
