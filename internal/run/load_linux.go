package run

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// machineTimes are the processor times of the whole machine, in ticks.
type machineTimes struct{ busy, total uint64 }

// readMachineTimes reads the first line of /proc/stat; zeros where it cannot be read.
func readMachineTimes() machineTimes {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return machineTimes{}
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var times machineTimes
	for i, field := range strings.Fields(string(line))[1:] {
		ticks, err := strconv.ParseUint(field, 10, 64)
		if err != nil || i > 7 { // guest times are part of user times
			break
		}
		times.total += ticks
		if i != 3 && i != 4 { // idle, iowait
			times.busy += ticks
		}
	}
	return times
}

// shareSince is the busy share of all cores between two readings, 0 to 1.
func (t machineTimes) shareSince(before machineTimes) float64 {
	if t.total <= before.total || before.total == 0 {
		return 0
	}
	return float64(t.busy-before.busy) / float64(t.total-before.total)
}

// residentBytes is the memory of this process that lies in RAM; 0 where it cannot be read.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
