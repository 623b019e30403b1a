package prep

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/zeebo/blake3"

	"agentx/corpus/bundle"
	"agentx/corpus/weka"
	"agentx/internal/progress"
)

// hashFiles gives the files of a corpus with their digests, before anything in them is read: it is all
// that the key needs of them. It returns nil for input that can be read only once.
func hashFiles(ctx context.Context, sources []weka.Source, workers int, show *progress.Printer) ([]weka.File, error) {
	order := make([]int, len(sources))
	for i := range sources {
		if sources[i].Path == weka.Stdin {
			return nil, nil
		}
		order[i] = i
	}
	files := make([]weka.File, len(sources))
	work := show.Start("hashing files", len(sources))
	defer work.End()
	err := forEach(ctx, workers, order, func(i int) error {
		file, err := hashFile(ctx, sources[i])
		files[i] = file
		work.Step()
		return err
	})
	return files, err
}

func hashFile(ctx context.Context, source weka.Source) (weka.File, error) {
	file, err := os.Open(source.Path)
	if err != nil {
		return weka.File{}, classed(Input, fmt.Errorf("reading the traces: %w", err))
	}
	hasher := blake3.New()
	size, err := io.Copy(hasher, bufio.NewReaderSize(&stoppable{ctx, file}, 1<<20))
	if ctx.Err() != nil {
		return weka.File{}, errors.Join(classed(Interrupted, ctx.Err()), file.Close())
	}
	if err != nil {
		return weka.File{}, classed(Input, fmt.Errorf("reading the traces: %w", err))
	}
	hashed := weka.File{Name: source.Name, Size: size}
	hasher.Sum(hashed.BLAKE3[:0])
	return hashed, file.Close()
}

// stoppable is a reader that ends with its context.
type stoppable struct {
	ctx  context.Context
	file io.Reader
}

func (s *stoppable) Read(into []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.file.Read(into)
}

// sourceDigest is the identity of a corpus (see bundle.Source).
func sourceDigest(files []weka.File) bundle.Digest {
	sorted := slices.SortedFunc(slices.Values(files), func(a, b weka.File) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), bytes.Compare(a.BLAKE3[:], b.BLAKE3[:]))
	})
	var list bytes.Buffer
	for _, file := range sorted {
		fmt.Fprintf(&list, "%s\x00%s\n", file.Name, bundle.Digest(file.BLAKE3))
	}
	return bundle.Sum(list.Bytes())
}

// checkUnchanged refuses files that are not what was hashed: the key would name another corpus.
func checkUnchanged(hashed, read []weka.File) error {
	for i := range hashed {
		if hashed[i].BLAKE3 != read[i].BLAKE3 {
			return classed(Input, fmt.Errorf("%s changed while it was read; leave the files alone and build again", hashed[i].Name))
		}
	}
	return nil
}

// survey reads every file once. The caller closes the corpus.
func survey(ctx context.Context, sources []weka.Source, options *Options, show *progress.Printer) (*weka.Corpus, error) {
	settings := weka.Settings{Options: options.Corpus, Strict: options.Strict, SkipInvalid: options.SkipInvalid, Stdin: os.Stdin}
	order := make([]int, len(sources))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sources[b].Size, sources[a].Size) })
	surveys := make([]*weka.Survey, len(sources))
	work := show.Start("surveying files", len(sources))
	defer work.End()
	err := forEach(ctx, options.Workers, order, func(i int) error {
		var err error
		surveys[i], err = sources[i].Survey(ctx, settings)
		work.Step()
		if ctx.Err() != nil {
			return classed(Interrupted, ctx.Err())
		}
		return classed(Input, err)
	})
	if err == nil {
		corpus, err := weka.Combine(surveys, settings)
		if err == nil {
			return corpus, nil
		}
		return nil, closeAll(surveys, classed(Input, err))
	}
	return nil, closeAll(surveys, err)
}

// closeAll closes surveys after a failure, of which the user must hear first.
func closeAll(surveys []*weka.Survey, failure error) error {
	for _, survey := range surveys {
		if survey != nil {
			_ = survey.Close()
		}
	}
	return failure
}
