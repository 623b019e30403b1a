// Package heap says when a program collects its garbage. Go collects when the heap has grown by a share of
// what is in use: where little is in use it collects again and again what grows all the time, and where
// much is in use it takes twice of it.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Room is how far the heap grows over what is in use before it is collected.
type Room struct {
	Percent int    // of what is in use, or
	Bytes   uint64 // these, where they are more
}

// smallest is what Go takes percents of where less is in use.
const smallest = 4 << 20

// Set lets the heap of this process grow so far, for as long as it lives. GOGC of the environment wins.
func (r Room) Set() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(r.percentFor(smallest))
		r.afterCollection()
	}
}

// afterCollection sets the percents anew after each collection, by what is in use then.
func (r Room) afterCollection() {
	collected := &[1]*int{} // nothing refers to it, so the next collection finds it
	runtime.AddCleanup(collected, func(struct{}) {
		debug.SetGCPercent(r.percentFor(inUse()))
		r.afterCollection()
	}, struct{}{})
}

func (r Room) percentFor(used uint64) int {
	return int(max(uint64(r.Percent), 100*r.Bytes/max(used, smallest)))
}

// inUse is what the last collection found in use, in bytes.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
