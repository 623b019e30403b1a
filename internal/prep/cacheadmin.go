package prep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"agentx/corpus/bundle"
)

// leftoverAge is how old an unfinished file must be before it counts as left behind.
const leftoverAge = time.Hour

// cacheFolder is the folder meant by a flag; empty is the default.
func cacheFolder(folder string) (string, error) {
	if folder != "" {
		return folder, nil
	}
	folder, err := DefaultCacheDir()
	return folder, classed(Usage, err)
}

// entries lists the files of the cache; a folder that does not exist has none.
func entries(folder string) ([]os.DirEntry, error) {
	list, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, classed(Input, fmt.Errorf("the cache: %w", err))
	}
	return list, nil
}

// CacheList prints the bundles in the cache.
func CacheList(out io.Writer, folder string) error {
	folder, err := cacheFolder(folder)
	if err != nil {
		return err
	}
	list, err := entries(folder)
	if err != nil {
		return err
	}
	p := &printer{out: out}
	p.f("%s\n%-12s %10s %-16s %7s %9s %16s  %s\n", folder, "key", "size", "made", "traces", "turns", "tokens in", "from")
	for _, entry := range list {
		if !strings.HasSuffix(entry.Name(), bundle.Suffix) {
			continue
		}
		listEntry(p, filepath.Join(folder, entry.Name()), entry)
	}
	return p.err
}

func listEntry(p *printer, path string, entry os.DirEntry) {
	b, err := bundle.Open(path)
	if err != nil {
		p.f("%-12.12s %v\n", entry.Name(), err)
		return
	}
	made := ""
	if info, err := entry.Info(); err == nil {
		made = info.ModTime().Format("2006-01-02 15:04")
	}
	m, recipe := b.Manifest(), b.Recipe()
	from := fmt.Sprintf("%d files, %s, seed %d", recipe.Source.Files, recipe.Tokenizer.Name, recipe.RandomSeed)
	if recipe.Source.Alias != "" {
		from = recipe.Source.Alias + ", " + from
	}
	p.f("%-12.12s %10s %-16s %7s %9s %16s  %s\n", m.Key, bytesText(b.Size()), made, count(m.Totals.Traces), count(m.Totals.Turns), count(m.Totals.In), from)
	if err := b.Close(); p.err == nil {
		p.err = err
	}
}

// CacheRemove removes the bundles whose keys begin so; every beginning must mean exactly one.
func CacheRemove(out io.Writer, folder string, keys []string) error {
	folder, err := cacheFolder(folder)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return classed(Usage, errors.New("which bundle? give the beginning of a key (agentx-prep cache ls shows them)"))
	}
	list, err := entries(folder)
	if err != nil {
		return err
	}
	var names []string
	for _, key := range keys {
		var meant []string
		for _, entry := range list {
			if strings.HasSuffix(entry.Name(), bundle.Suffix) && strings.HasPrefix(entry.Name(), key) {
				meant = append(meant, entry.Name())
			}
		}
		if len(meant) != 1 {
			return classed(Usage, fmt.Errorf("%d bundles in %s have a key that begins with %q; it must be exactly one", len(meant), folder, key))
		}
		names = append(names, meant[0])
	}
	p := &printer{out: out}
	for _, name := range names {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			return classed(Damage, fmt.Errorf("removing from the cache: %w", err))
		}
		p.f("removed %s\n", name)
	}
	return p.err
}

// CacheCollect removes what no build will use again: files of builders that are gone, bundles that
// cannot be opened, locks that nobody holds, and, with an age, bundles older than that.
func CacheCollect(out io.Writer, folder string, age time.Duration) error {
	folder, err := cacheFolder(folder)
	if err != nil {
		return err
	}
	list, err := entries(folder)
	if err != nil {
		return err
	}
	p := &printer{out: out}
	removed, freed := 0, int64(0)
	for _, entry := range list {
		path := filepath.Join(folder, entry.Name())
		info, err := entry.Info()
		if err != nil {
			continue // gone meanwhile
		}
		why := uselessness(path, info, age)
		if why == "" {
			continue
		}
		if err := os.Remove(path); err != nil {
			return classed(Damage, fmt.Errorf("removing from the cache: %w", err))
		}
		removed++
		freed += info.Size()
		p.f("removed %s: %s\n", entry.Name(), why)
	}
	p.f("%d files removed, %s freed\n", removed, bytesText(freed))
	return p.err
}

// uselessness says why a file of the cache can go; empty when it stays.
func uselessness(path string, info os.FileInfo, age time.Duration) string {
	name, old := info.Name(), time.Since(info.ModTime())
	switch {
	case !info.Mode().IsRegular():
		return ""
	case strings.HasPrefix(name, bundle.TempPrefix):
		if old > leftoverAge {
			return "left behind by a build that did not finish"
		}
	case strings.HasSuffix(name, ".lock"):
		lock := flock.New(path)
		free, err := lock.TryLock()
		if closed := lock.Close(); err == nil && closed == nil && free {
			return "a lock that nobody holds"
		}
	case strings.HasSuffix(name, bundle.Suffix):
		b, err := bundle.Open(path)
		if err != nil {
			return err.Error()
		}
		if err := b.Close(); err == nil && age > 0 && old > age {
			return fmt.Sprintf("made %d days ago", int(old.Hours()/24))
		}
	}
	return ""
}
