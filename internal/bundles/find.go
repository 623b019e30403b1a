package bundles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentx/corpus/bundle"
	"agentx/internal/prep"
)

// ErrNone says that no bundle is what the wish means.
var ErrNone = errors.New("no bundle")

// Find looks into the cache of agentx-prep for the bundle that the wish means: that recording, prepared
// as asked, and by default where nothing is asked. Of several the newest is taken. An empty folder is the
// default one. The error is an ErrNone that says how to make the bundle, or that of a flag.
func Find(ctx context.Context, w Wish, folder string) (string, error) {
	if !w.NamesDataset() {
		return "", fmt.Errorf("%w: give --bundle FILE, made by %s", ErrNone, w.PrepCommand(nil))
	}
	if folder == "" {
		var err error
		if folder, err = prep.DefaultCacheDir(); err != nil {
			return "", err
		}
	}
	paths, err := newestFirst(folder)
	if err != nil {
		return "", err
	}
	for _, path := range paths {
		fits, err := fits(ctx, path, w)
		if err != nil {
			return "", err
		}
		if fits {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w of this recording is in %s: make one with\n  %s\nand give it by --bundle, or leave out -o to keep it in the cache", ErrNone, folder, w.PrepCommand(nil))
}

// newestFirst lists the bundles of a folder.
func newestFirst(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for bundles: %w", err)
	}
	type found struct {
		path string
		at   int64
	}
	var list []found
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(entry.Name(), bundle.Suffix) {
			list = append(list, found{filepath.Join(folder, entry.Name()), info.ModTime().UnixNano()})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return int(max(-1, min(1, b.at-a.at))) })
	paths := make([]string, len(list))
	for i := range list {
		paths[i] = list[i].path
	}
	return paths, nil
}

// fits reports whether a bundle is what the wish means. One that cannot be opened does not.
func fits(ctx context.Context, path string, w Wish) (fits bool, err error) {
	opened, err := bundle.Open(path)
	if err != nil {
		return false, nil
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	candidate, err := Of(opened)
	if err != nil || !candidate.usual(w) {
		return false, err
	}
	mismatches, err := candidate.Compare(ctx, w)
	return err == nil && len(mismatches) == 0, err
}

// Against refuses a bundle that does not agree with the wish, with the command that makes one that does.
func Against(ctx context.Context, w Wish, b *bundle.Bundle) error {
	candidate, err := Of(b)
	if err != nil {
		return err
	}
	mismatches, err := candidate.Compare(ctx, w)
	if err != nil || len(mismatches) == 0 {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "bundle %s is not what these flags ask for:", b.Path())
	for _, mismatch := range mismatches {
		fmt.Fprintf(&text, "\n  - %s", mismatch)
	}
	fmt.Fprintf(&text, "\nleave the flags out, or make the bundle that they mean with\n  %s", w.PrepCommand(candidate))
	return errors.New(text.String())
}
