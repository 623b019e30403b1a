package mockserver

import "golang.org/x/sys/unix"

func machineNs() int64 {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &at); err != nil {
		return 0
	}
	return at.Nano()
}
