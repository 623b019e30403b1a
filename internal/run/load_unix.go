//go:build unix

package run

import (
	"time"

	"golang.org/x/sys/unix"
)

// processCPU is the user and system time of this process so far.
func processCPU() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
