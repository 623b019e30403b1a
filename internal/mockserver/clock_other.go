//go:build !linux

package mockserver

func machineNs() int64 { return 0 }
