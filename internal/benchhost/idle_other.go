//go:build !linux

package benchhost

import (
	"errors"
	"os/exec"
)

// StartIdle starts a command that gets a core only while nobody else wants it: on Linux only.
func StartIdle(*exec.Cmd) error { return errors.ErrUnsupported }
