// Package measure turns the events of a run into numbers: one record per exchange, statistics over
// records, time-weighted curves, roll-ups of sessions and trees, and the verdict on the run.
//
// It promises that everything comes from the event log alone, that the same log gives the same
// numbers on any machine, that every exchange is in exactly one population, and that every metric
// has one definition: the table behind Definitions, from which docs/metrics.md is generated.
//
// Times inside are integer nanoseconds since run start; they become display units (ms, seconds)
// only after the statistics were taken.
package measure
