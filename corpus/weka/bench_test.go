package weka_test

import (
	"testing"

	"agentx/corpus"
	"agentx/corpus/weka"
)

// BenchmarkRealCorpus surveys, reads again and builds the 640 real traces (408 MB of JSON).
func BenchmarkRealCorpus(b *testing.B) {
	traces := realTraces(b)
	options := corpus.DefaultOptions()
	for b.Loop() {
		joined, err := surveyAll(b, weka.Settings{Options: options}, traces)
		if err != nil {
			b.Fatal(err)
		}
		var bytes int64
		for _, unit := range joined.Units {
			bytes += unit.Size
		}
		b.SetBytes(bytes)
		inParallel(len(joined.Units), func(i int) { buildUnit(b, joined.Units[i], options) })
	}
}
