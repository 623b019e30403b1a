// Package watch shows a run from its log while it goes on, or afterwards: on a terminal a view that is
// drawn anew, elsewhere plain lines. It promises to read the log and nothing else, in transactions so
// short that the run is never held up; that it may be closed and opened at any time; that it needs a
// bounded amount of memory, whatever the length of the run; and that text from recordings and servers
// cannot act on the terminal.
package watch
