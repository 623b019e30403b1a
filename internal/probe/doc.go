// Package probe asks a server one or two chat requests on the same wire path that a replay uses, and says
// what a replay would meet there: how fast it answers, what it counts, whether a repeated prompt is found
// in its cache, and whether it honours the output limit, ignore_eos and include_usage.
//
// It promises: at most two requests, each bounded in time and in output, whatever the server does with the
// limits; no verdict without the figures that led to it; no secret in what it reports.
package probe
