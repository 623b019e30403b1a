//go:build unix

package run

import "golang.org/x/sys/unix"

// machineNs is the machine's monotonic clock, 0 where it cannot be read.
func machineNs() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0
	}
	return now.Nano()
}
