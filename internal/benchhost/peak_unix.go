//go:build unix

package benchhost

import (
	"os"
	"runtime"
	"syscall"
)

// PeakMemory is the greatest resident size that a process had, in bytes.
func PeakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) * 1024
}
