package benchhost

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ticks is how many of the system's accounting ticks make a second: Linux tells programs of 100, whatever
// it uses itself.
const ticks = 100

// RunningCPUSeconds is the processor time that a running process has used so far, to 10 ms.
func RunningCPUSeconds(pid int) (float64, error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	// The second field is the program's name in brackets and may hold anything; utime and stime are the
	// 14th and 15th.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("%s has %d fields after the name, expected at least 13", path, len(fields))
	}
	total := 0.0
	for _, field := range fields[11:13] {
		used, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		total += used / ticks
	}
	return total, nil
}
