//go:build unix

package run

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// raiseFileLimit raises the limit of open files as far as this process may and gives the result.
func raiseFileLimit() (uint64, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("reading the limit of open files: %w", err)
	}
	soft := uint64(limit.Cur)
	if limit.Cur < limit.Max {
		limit.Cur = limit.Max
		if unix.Setrlimit(unix.RLIMIT_NOFILE, &limit) == nil { // else it stays as it was
			soft = uint64(limit.Cur)
		}
	}
	return soft, nil
}
