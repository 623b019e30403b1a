package wire

import "syscall"

func setInt(fd uintptr, level, name, value int) error {
	return syscall.SetsockoptInt(syscall.Handle(fd), level, name, value)
}
