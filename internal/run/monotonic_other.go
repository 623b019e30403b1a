//go:build !unix

package run

// machineNs is not read on this system.
func machineNs() int64 { return 0 }
