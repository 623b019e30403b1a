package prep

import (
	"context"
	"io"
	"runtime"
	"time"

	"agentx/corpus/bundle"
	"agentx/corpus/weka"
	"agentx/internal/progress"
)

// SourceDigest is the identity of the files that inputs name, as bundle.Source has it: a bundle of them
// can be told without building it.
func SourceDigest(ctx context.Context, inputs []string) (bundle.Digest, error) {
	sources, err := weka.List(inputs)
	if err != nil {
		return bundle.Digest{}, classed(Input, err)
	}
	files, err := hashFiles(ctx, sources, runtime.GOMAXPROCS(0), progress.Plain(io.Discard, time.Now))
	if err != nil {
		return bundle.Digest{}, err
	}
	return sourceDigest(files), nil
}
