package run

import "fmt"

// spareFiles are the open files of a run beside its connections.
const spareFiles = 64

// checkFileLimit says whether so many open files are enough for the lanes and for everything that they
// may send at once: each lane needs a connection, each of its subagents another (spec decision 35).
func checkFileLimit(limit uint64, lanes, fanOut int) (warning string, err error) {
	least, most := uint64(lanes)+spareFiles, uint64(lanes*fanOut)+spareFiles
	switch {
	case limit < least:
		return "", fmt.Errorf("the limit of open files is %d, but %d lanes need %d: raise it (ulimit -n %d) or lower --concurrency", limit, lanes, least, most)
	case limit < most:
		return fmt.Sprintf("the limit of open files is %d; %d lanes with up to %d requests each may need %d: requests would fail for want of sockets (ulimit -n %d)", limit, lanes, fanOut, most, most), nil
	}
	return "", nil
}
