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

// findBundle opens the bundle that a run replayed: the given one, else the one at the recorded path, else
// one in the run folder. A bundle of other content is refused when it was given, passed over otherwise.
func (l *Log) findBundle(given string, config eventlog.RunConfig) (*bundle.Bundle, error) {
	if given != "" {
		opened, err := bundle.Open(given)
		if err != nil {
			return nil, exit.With(exit.Input, fmt.Errorf("opening the bundle: %w", err))
		}
		if err := sameContent(opened, config); err != nil {
			return nil, exit.With(exit.Input, errors.Join(err, opened.Close()))
		}
		return opened, nil
	}
	candidates, err := filepath.Glob(filepath.Join(l.Dir, "*.bundle"))
	if err != nil {
		return nil, fmt.Errorf("looking for the bundle: %w", err)
	}
	for _, candidate := range append([]string{config.Bundle.Path}, candidates...) {
		if _, err := os.Stat(candidate); err != nil {
			continue
		}
		opened, err := bundle.Open(candidate)
		if err != nil {
			continue // not the bundle of this run, or damaged: say that none was found
		}
		if sameContent(opened, config) == nil {
			return opened, nil
		}
		_ = opened.Close()
	}
	return nil, errNoBundle
}

func sameContent(b *bundle.Bundle, config eventlog.RunConfig) error {
	if got := b.ContentDigest().String(); got != config.Bundle.ContentDigest {
		return fmt.Errorf("%s is not the bundle of this run: its content digest is %s, the run replayed %s", b.Path(), got, config.Bundle.ContentDigest)
	}
	return nil
}
