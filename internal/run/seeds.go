package run

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// freshSeed draws a schedule seed of 63 bits, as the scenario does when the user gives none.
func freshSeed() (uint64, error) {
	var bytes [8]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		return 0, fmt.Errorf("drawing a seed: %w", err)
	}
	return binary.BigEndian.Uint64(bytes[:]) >> 1, nil
}

// freshID draws 32 hex digits: a benchmark id or a run id. It is random on purpose, so that the
// cache-bust markers of two runs differ.
func freshID() (string, error) {
	var bytes [16]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		return "", fmt.Errorf("drawing an id: %w", err)
	}
	return hex.EncodeToString(bytes[:]), nil
}
