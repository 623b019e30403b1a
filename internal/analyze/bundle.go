package analyze

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentx/corpus/bundle"
	"agentx/eventlog"
	"agentx/internal/exit"
)

// errNoBundle says that no bundle of the run was found; what needs texts then goes without them.
var errNoBundle = errors.New("the bundle of the run was not found: give it by --bundle FILE")

// findBundle opens the bundle that a run replayed: the given one, else the first of the places that has
// its content, else what the log itself keeps of it. A given bundle of other content is refused, elsewhere it is passed over.
func (l *Log) findBundle(given string, config eventlog.RunConfig) (*bundle.Bundle, error) {
	if given != "" {
		opened, err := bundle.Open(given)
		if err != nil {
			return nil, exit.With(bundleExit(err), fmt.Errorf("opening the bundle: %w", err))
		}
		if err := sameContent(opened, config); err != nil {
			return nil, exit.With(exit.Input, errors.Join(err, opened.Close()))
		}
		return opened, nil
	}
	missing := errNoBundle
	for _, place := range l.bundlePlaces(config) {
		opened, err := bundle.Open(place)
		if damaged := (*bundle.Damaged)(nil); errors.As(err, &damaged) {
			missing = fmt.Errorf("%w (%v)", missing, err)
		}
		if err != nil {
			continue
		}
		if sameContent(opened, config) == nil {
			return opened, nil
		}
		_ = opened.Close()
	}
	if kept, err := l.keptBundle(); kept != nil || err != nil {
		return kept, err
	}
	return nil, missing
}

// bundleExit tells a damaged bundle from what is none.
func bundleExit(err error) int {
	if damaged := (*bundle.Damaged)(nil); errors.As(err, &damaged) {
		return exit.Damage
	}
	return exit.Input
}

// bundlePlaces are the files that may be the run's bundle: where it was, by its name in the run folder and
// beside it, any bundle in the run folder, and the cache by the bundle's key.
func (l *Log) bundlePlaces(config eventlog.RunConfig) []string {
	name := filepath.Base(config.Bundle.Path)
	places := []string{config.Bundle.Path, filepath.Join(l.Dir, name), filepath.Join(l.Dir, "..", name)}
	if entries, err := os.ReadDir(l.Dir); err == nil {
		for _, entry := range entries {
			if ending := filepath.Ext(entry.Name()); ending == bundle.Suffix || ending == bundle.NamedSuffix {
				places = append(places, filepath.Join(l.Dir, entry.Name()))
			}
		}
	}
	if cache, err := os.UserCacheDir(); err == nil && config.Bundle.Key != "" {
		places = append(places, filepath.Join(cache, "agentx", config.Bundle.Key+bundle.Suffix))
	}
	return places
}

func sameContent(b *bundle.Bundle, config eventlog.RunConfig) error {
	if got := b.ContentDigest().String(); got != config.Bundle.ContentDigest {
		return fmt.Errorf("%s is not the bundle of this run: its content digest is %s, the run replayed %s", b.Path(), got, config.Bundle.ContentDigest)
	}
	return nil
}
