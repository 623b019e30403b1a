package run

import (
	"encoding/hex"

	"agentx/corpus/bundle"
	"agentx/eventlog"

	"github.com/zeebo/blake3"
)

// keepsTexts says whether the log holds the parts of the bundle that its traces need, so that whatever shows
// texts needs only the log (spec decision 29).
func (o *Options) keepsTexts() bool { return o.ExportLevel == "raw" }

// keptPart is a part of the bundle as the log has it: its bytes in the table plans, and where they belong.
type keptPart struct {
	digest eventlog.Digest
	bytes  []byte
	event  eventlog.BundlePart
}

// sharedParts are what any text of the bundle needs; none where texts are not kept.
func (s *session) sharedParts() ([]keptPart, error) {
	if !s.options.keepsTexts() {
		return nil, nil
	}
	parts, err := s.recording.bundle.SharedParts()
	return s.recording.kept(parts), err
}

// traceParts are what the texts of a trace need beside them.
func (l *ledger) traceParts(trace int) ([]keptPart, error) {
	if !l.keepsTexts {
		return nil, nil
	}
	parts, err := l.recording.bundle.TraceParts(trace)
	return l.recording.kept(parts), err
}

func (r *recording) kept(parts []bundle.Part) []keptPart {
	kept := make([]keptPart, len(parts))
	for i, part := range parts {
		digest := blake3.Sum256(part.Bytes)
		kept[i] = keptPart{digest, part.Bytes, eventlog.BundlePart{
			Offset: part.Offset, Bytes: int64(len(part.Bytes)), Of: r.bundle.Size(), Digest: hex.EncodeToString(digest[:]),
		}}
	}
	return kept
}

// keepParts logs parts of the bundle.
func (j *journal) keepParts(parts []keptPart, err error) {
	for i := 0; i < len(parts) && err == nil; i++ {
		if err = j.writer.AddPlan(parts[i].digest, parts[i].bytes); err == nil {
			j.Log(eventlog.KindBundlePart, parts[i].event)
		}
	}
	if err != nil {
		j.refuse(err)
	}
}

// keepParts logs parts of the bundle; a full queue is waited for.
func (s *simulation) keepParts(parts []keptPart, err error) error {
	for i := 0; i < len(parts) && err == nil; i++ {
		if err = addPlanWaiting(s.writer, bundle.Digest(parts[i].digest), parts[i].bytes); err == nil {
			err = s.log(eventlog.KindBundlePart, parts[i].event)
		}
	}
	return err
}
