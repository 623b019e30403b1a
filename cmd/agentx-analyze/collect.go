package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// How far the heap grows over what is in use before it is collected. Most of what is in use is the records
// and chunks of the whole run, so Go's 100 percent would double them: a run of 20 million chunks then takes
// 650 MB where 45 keeps it below 500. While little is in use, percents would collect again and again what
// grows all the time; there a fixed room takes their place.
const (
	growPercent = 45
	growBytes   = 128 << 20
)

// smallestHeap is what Go takes percents of where less is in use.
const smallestHeap = 4 << 20

// setCollection lets the heap grow by growPercent or by growBytes, whichever is more. GOGC of the
// environment wins.
func setCollection() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percentFor(smallestHeap))
		afterCollection()
	}
}

// afterCollection sets the percents anew after each collection, by what is in use then.
func afterCollection() {
	collected := &[1]*int{} // nothing refers to it, so the next collection finds it
	runtime.AddCleanup(collected, func(struct{}) {
		debug.SetGCPercent(percentFor(heapInUse()))
		afterCollection()
	}, struct{}{})
}

func percentFor(inUse uint64) int { return int(max(growPercent, 100*growBytes/max(inUse, smallestHeap))) }

// heapInUse is what the last collection found in use, in bytes.
func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
