// Package serverinfo is everything a run asks of a server besides the measured requests: who it is,
// whether it is ready, to empty its cache, to start and stop its profiler, its metrics pages, and how
// long a connection takes.
//
// It promises to keep out of the way: it has its own connections, never those of the replay; it follows
// no redirects; its errors say which URL, what was expected and what to do, and hold no secret, also
// where a server echoes one; the API key goes to the servers of the run only.
package serverinfo
