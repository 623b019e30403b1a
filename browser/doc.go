// Package browser tests the HTML pages in a real browser: they open from a file with the network off,
// log no error, ask for nothing, and filters, zoom, search, links and keys do what they say. It is a
// module of its own, so that the programs need no browser library; `make browser` runs it. Where no
// Chromium is installed the tests are skipped, saying so.
//
// Screenshots of what the tests see are left in .build/browser of the project, to be looked at.
package browser
