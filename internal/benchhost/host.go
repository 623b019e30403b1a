// Package benchhost says what the machine's accounting tells of a measured program and of the machine
// itself, for the programs that print figures.
package benchhost

import (
	"os"
	"strings"
)

// CPUSeconds is the processor time of an ended process, its own and the system's for it.
func CPUSeconds(state *os.ProcessState) float64 {
	return (state.UserTime() + state.SystemTime()).Seconds()
}

// Load is the load average of the last minute, "unknown" where the system does not tell it.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
