package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"agentx/corpus"
	"agentx/corpus/bundle"
	"agentx/internal/exit"
	"agentx/internal/synth/token"
)

// recording is an open bundle with what a run needs of it in memory: all plans and texts (a corpus of
// 640 traces takes some 100 MB), and its tokenizer.
type recording struct {
	bundle  *bundle.Bundle
	plans   []*corpus.Plan
	frames  []planFrame // by plan; here, because reading 64 of them takes 10 ms, and a first request waits for that
	texts   []*bundle.Text
	tokens  *token.Tokenizer
	framing *framing // nil: the bundle has no chat template that can be used
}

// openRecording opens a bundle and reads its plans, which is all that judging the settings takes; see
// load. Its errors carry the exit code: a file that is no bundle is refused input, a damaged one is
// damage.
func openRecording(path string) (*recording, error) {
	opened, err := bundle.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the bundle: %w", exit.With(bundleExit(err), err))
	}
	r := &recording{bundle: opened}
	if r.plans, err = opened.Plans(); err != nil {
		r.close()
		return nil, fmt.Errorf("reading the bundle: %w", exit.With(bundleExit(err), err))
	}
	return r, nil
}

func bundleExit(err error) int {
	damaged := (*bundle.Damaged)(nil)
	if errors.As(err, &damaged) {
		return exit.Damage
	}
	if bundle.Refused(err) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return exit.Input
	}
	return exit.Failure
}

// planFrame is a plan as the log takes it.
type planFrame struct {
	text   []byte
	digest bundle.Digest
}

// load reads what sending and logging take: texts, plans as they stand in the bundle, and tokenizer.
func (r *recording) load() (err error) {
	r.texts = make([]*bundle.Text, len(r.plans))
	r.frames = make([]planFrame, len(r.plans))
	for i := range r.plans {
		if r.texts[i], err = r.bundle.Text(i); err != nil {
			break
		}
		if r.frames[i].text, r.frames[i].digest, err = r.bundle.PlanJSON(i); err != nil {
			break
		}
	}
	if err == nil {
		err = r.loadTokens()
	}
	if err != nil {
		return fmt.Errorf("reading the bundle: %w", exit.With(bundleExit(err), err))
	}
	if r.framing == nil {
		// Only the check of the server's counts uses it then, and that says by which rule it went.
		r.framing, _ = bundleFraming(r.bundle, r.tokens)
	}
	return nil
}

// loadTokens makes the tokenizer ready, once.
func (r *recording) loadTokens() (err error) {
	if r.tokens == nil {
		r.tokens, err = bundleTokenizer(r.bundle)
	}
	return err
}

// bundleTokenizer makes the tokenizer that the bundle carries ready.
func bundleTokenizer(b *bundle.Bundle) (*token.Tokenizer, error) {
	data, err := b.TokenizerData()
	if err != nil {
		return nil, err
	}
	recipe := b.Recipe().Tokenizer
	special := make(map[string]token.ID, len(recipe.Special))
	for text, id := range recipe.Special {
		special[text] = token.ID(id)
	}
	tokens, err := token.Load(token.Source{Kind: token.Kind(recipe.Kind), Pattern: recipe.Pattern, Special: special, Data: data})
	if err != nil {
		return nil, fmt.Errorf("tokenizer %s of the bundle: %w", recipe.Name, err)
	}
	return tokens, nil
}

func (r *recording) close() { _ = r.bundle.Close() } // opened for reading only

// traces are the ids in bundle order.
func (r *recording) traces() []string {
	ids := make([]string, len(r.plans))
	for i, plan := range r.plans {
		ids[i] = string(plan.Trace)
	}
	return ids
}

// manifest is the bundle's manifest for the log: without the table of traces and of files, which the
// plans and the digests stand for.
func (r *recording) manifest() (map[string]any, error) {
	text, err := json.Marshal(r.bundle.Manifest())
	if err != nil {
		return nil, fmt.Errorf("writing the manifest into the log: %w", err)
	}
	var manifest map[string]any
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, fmt.Errorf("writing the manifest into the log: %w", err)
	}
	delete(manifest, "traces")
	delete(manifest, "files")
	return manifest, nil
}
