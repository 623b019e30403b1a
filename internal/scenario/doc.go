// Package scenario holds the benchmark scenarios: which settings a named scenario locks, which it
// fills in, and what breaks it.
//
// It is data in, data out: settings, the names of those that the user gave, and what the bundle says of
// its content go in; injections and every violation at once come out. It decides nothing by itself and
// reads no flag, file or clock, so that a run judges its command line and an analysis judges a log by
// the same rules.
package scenario
