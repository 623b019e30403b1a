package benchhost

import (
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// StartIdle starts a command whose threads get a core only while nobody else wants it (SCHED_IDLE): a server
// that shares the machine with the client under measurement then takes as little from it as one elsewhere.
func StartIdle(command *exec.Cmd) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread, which the command inherits from, ends with the goroutine
		attributes := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}
		if err := unix.SchedSetAttr(0, attributes, 0); err != nil {
			started <- fmt.Errorf("setting SCHED_IDLE: %w", err)
			return
		}
		started <- command.Start()
	}()
	return <-started
}
