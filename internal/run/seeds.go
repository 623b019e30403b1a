package run

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/zeebo/blake3"
)

// seriesSeed is the seed of several runs where the user gives none, as the peer has it
// (spec scheduling 10.2).
const seriesSeed = 42

// freshSeed draws a schedule seed of 63 bits, as the scenario does when the user gives none.
func freshSeed() (uint64, error) {
	var bytes [8]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		return 0, fmt.Errorf("drawing a seed: %w", err)
	}
	return binary.BigEndian.Uint64(bytes[:]) >> 1, nil
}

// trialSeed is the seed of one of several repetitions (from 0) under --vary-seed-per-trial, bit for bit
// the peer's: the first 8 bytes of a SHA-256, without the top bit (spec scheduling 10.2).
func trialSeed(seed int64, trial int) int64 {
	digest := sha256.Sum256(fmt.Appendf(nil, "%d:variation:base:trial:%d", seed, trial))
	return int64(binary.BigEndian.Uint64(digest[:8]) &^ (1 << 63))
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

// idOfRun is the id of one run (from 0) of a series for which the user has fixed an id: the first keeps
// it, the others get their own, so that their markers differ. None stays none.
func idOfRun(id string, run int) string {
	if id == "" || run == 0 {
		return id
	}
	digest := blake3.Sum256(fmt.Appendf(nil, "%s:%d", id, run))
	return hex.EncodeToString(digest[:16])
}
