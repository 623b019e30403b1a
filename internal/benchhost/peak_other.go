//go:build !unix

package benchhost

import "os"

// PeakMemory is not known here.
func PeakMemory(*os.ProcessState) int64 { return 0 }
