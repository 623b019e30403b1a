package main

import (
	"os/exec"
	"time"

	"agentx/internal/benchhost"
)

// follow runs a client that works for so many seconds, and gives its processor time over time in the
// steady part of that, in cores; 0 where it is not known. What a client takes to begin (reading a bundle)
// and to end (closing a log, the report) is no cost of a request.
func follow(command *exec.Cmd, seconds int) (cores float64, err error) {
	if err := command.Start(); err != nil {
		return 0, err
	}
	stop, read := make(chan struct{}), make(chan float64, 1)
	go func() { read <- steadyCores(command.Process.Pid, time.Duration(seconds)*time.Second, stop) }()
	err = command.Wait()
	close(stop)
	return <-read, err
}

// steadyCores reads the processor time used after three and after nine tenths of the length.
func steadyCores(pid int, length time.Duration, stop <-chan struct{}) float64 {
	var at [2]time.Time
	var used [2]float64
	for i, pause := range []time.Duration{length * 3 / 10, length * 6 / 10} {
		select {
		case <-time.After(pause):
		case <-stop:
			return 0
		}
		seconds, err := benchhost.RunningCPUSeconds(pid)
		if err != nil {
			return 0
		}
		at[i], used[i] = time.Now(), seconds
	}
	return (used[1] - used[0]) / at[1].Sub(at[0]).Seconds()
}
