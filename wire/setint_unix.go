//go:build unix && !linux

package wire

import "syscall"

func setInt(fd uintptr, level, name, value int) error {
	return syscall.SetsockoptInt(int(fd), level, name, value)
}
