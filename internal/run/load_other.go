//go:build !linux

package run

// machineTimes are not read on this system.
type machineTimes struct{}

func readMachineTimes() machineTimes { return machineTimes{} }

func (machineTimes) shareSince(machineTimes) float64 { return 0 }

func residentBytes() int64 { return 0 }
