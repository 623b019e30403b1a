//go:build race

package eventlog

// raceFactor thins out tests that the race detector makes twenty times slower.
const raceFactor = 20
