//go:build !linux

package benchhost

import "errors"

// RunningCPUSeconds is not known here.
func RunningCPUSeconds(int) (float64, error) {
	return 0, errors.New("the processor time of a running process is only read on Linux")
}
