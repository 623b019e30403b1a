package analyze

import (
	"encoding/hex"
	"errors"
	"fmt"

	"agentx/corpus/bundle"
	"agentx/eventlog"
	"agentx/internal/exit"
)

// keptBundle opens the bundle that a run at --export-level raw keeps in its log: that of the traces it
// used. It is nil where the log keeps none.
func (l *Log) keptBundle() (*bundle.Bundle, error) {
	parts := &keptParts{log: l}
	size := int64(0)
	for event, err := range l.Events(eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindBundlePart}}) {
		if err != nil {
			return nil, err
		}
		part, err := eventlog.Decode[eventlog.BundlePart](event)
		if err != nil {
			return nil, err
		}
		size = part.Of
		parts.list = append(parts.list, part)
	}
	if len(parts.list) == 0 {
		return nil, nil
	}
	opened, err := bundle.OpenParts("the bundle in "+l.Path, size, parts)
	if err != nil {
		return nil, exit.With(exit.Damage, fmt.Errorf("opening the bundle that the log keeps: %w", err))
	}
	return opened, nil
}

// keptParts reads parts of a bundle out of a log.
type keptParts struct {
	log  *Log
	list []eventlog.BundlePart
}

// errNotKept says that a run did not use a part of its bundle.
var errNotKept = errors.New("the log does not keep this part of the bundle: the run did not use it; give the bundle by --bundle FILE")

// ReadAt implements io.ReaderAt.
func (p *keptParts) ReadAt(into []byte, offset int64) (int, error) {
	for _, part := range p.list {
		from := offset - part.Offset
		if from < 0 || from > part.Bytes || int64(len(into)) > part.Bytes-from {
			continue
		}
		var digest eventlog.Digest
		if n, err := hex.Decode(digest[:], []byte(part.Digest)); err != nil || n != len(digest) {
			return 0, fmt.Errorf("a part of the bundle has the digest %q, expected 64 hex digits", part.Digest)
		}
		bytes, found, err := p.log.Plan(digest)
		switch {
		case err != nil:
			return 0, err
		case !found || int64(len(bytes)) != part.Bytes:
			return 0, fmt.Errorf("the part of the bundle at byte %d is not in the log", part.Offset)
		}
		return copy(into, bytes[from:]), nil
	}
	return 0, errNotKept
}
