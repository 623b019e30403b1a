package bundle

import (
	"encoding/json"
	"errors"
	"fmt"

	"agentx/corpus"
)

// Recipe is everything that decides what is in a bundle. Its JSON text, as encoding/json writes it, is
// the canonical form of which the bundle's key is the BLAKE3.
type Recipe struct {
	Format       int            `json:"format"`        // of the file
	Generator    int            `json:"generator"`     // version of filler text, window rule and permutation
	Rules        int            `json:"rules"`         // version of reading and plan building
	Source       Source         `json:"source"`        //
	Tokenizer    Tokenizer      `json:"tokenizer"`     //
	Options      corpus.Options `json:"options"`       //
	Strict       bool           `json:"strict"`        // unknown fields and wrong id counts were refused
	SkipInvalid  bool           `json:"skip_invalid"`  // traces that could not be read were left out
	PromptCorpus string         `json:"prompt_corpus"` // filler style
	RandomSeed   int64          `json:"random_seed"`   // content seed
}

// Source says where the traces came from.
type Source struct {
	// Digest is the BLAKE3 of the lines "<name>\x00<BLAKE3 in hex>\n" of all files, sorted by name.
	Digest     Digest `json:"digest"`
	Files      int    `json:"files"`
	Alias      string `json:"alias,omitempty"`      // name of a public data set
	Repository string `json:"repository,omitempty"` // on the hub
	Revision   string `json:"revision,omitempty"`   // resolved commit
	Subset     string `json:"subset,omitempty"`
	Evidence   string `json:"evidence"` // "local", or what proves repository and revision
}

// Tokenizer says which tokenizer the counts are exact for.
type Tokenizer struct {
	Name     string            `json:"name"`
	Kind     string            `json:"kind"`              // form of the frame
	Pattern  string            `json:"pattern,omitempty"` // rank lists: name of the split pattern
	Special  map[string]uint32 `json:"special,omitempty"` // rank lists: control tokens
	Digest   Digest            `json:"digest"`            // of the frame's bytes
	Template Digest            `json:"template"`          // of the chat template's frame; zero without one
	Revision string            `json:"revision,omitempty"`
}

// Key is the BLAKE3 of the canonical recipe: it names the bundle before anything is built.
func (r *Recipe) Key() (key Digest, canonical []byte, err error) {
	canonical, err = json.Marshal(r)
	if err != nil {
		return Digest{}, nil, fmt.Errorf("writing the recipe: %w", err)
	}
	return Sum(canonical), canonical, nil
}

// Manifest is the table of contents of a bundle. The BLAKE3 of its JSON text is the content digest.
type Manifest struct {
	Format int             `json:"format"`
	Key    Digest          `json:"key"`
	Recipe json.RawMessage `json:"recipe"` // canonical; see Bundle.Recipe
	Filler FillerInfo      `json:"filler"`
	Frames FrameDigests    `json:"frames"`
	Totals Totals          `json:"totals"`
	Traces []TraceInfo     `json:"traces"` // in corpus order

	Selected      SelectionInfo  `json:"selected"`
	Facts         corpus.Facts   `json:"facts"`
	UnknownFields map[string]int `json:"unknown_fields"`
	Refused       []string       `json:"refused"` // why each unreadable trace was left out
	Files         []FileInfo     `json:"files"`
}

// FillerInfo describes the filler text.
type FillerInfo struct {
	Tokens int            `json:"tokens"`
	Bytes  int            `json:"bytes"`
	Length int            `json:"length"` // the length that was chosen, in tokens; the text ends at a line end before it
	Starts map[string]int `json:"starts"` // legal windows, by block size
}

// FrameDigests are the BLAKE3 of the unpacked bytes of the frames that every trace shares.
type FrameDigests struct {
	Filler    Digest `json:"filler"`
	Lengths   Digest `json:"lengths"`
	Tokenizer Digest `json:"tokenizer"`
	Template  Digest `json:"template"` // zero: there is none
}

// Totals are sums over the traces in the bundle.
type Totals struct {
	Traces        int   `json:"traces"`
	Conversations int   `json:"conversations"`
	Turns         int   `json:"turns"`
	Messages      int   `json:"messages"` // as stored: new messages of all turns
	In            int64 `json:"in_tokens"`
	Out           int64 `json:"out_tokens"`
	IDs           int64 `json:"ids"`     // distinct blocks
	Windows       int64 `json:"windows"` // ids, fills and tails
	PeakContext   int64 `json:"peak_context"`
	// OverLimit counts the turns that pass max-context-length and no longer fit when the run's marker is
	// put in front (in + MarkerTokens + output limit); what a chat template adds comes on top.
	OverLimit int `json:"turns_over_limit_with_marker"`
}

// MarkerTokens is the most that a tree's marker takes with common tokenizers.
const MarkerTokens = 18

// TraceInfo is a row of the table of traces.
type TraceInfo struct {
	ID            corpus.TraceID `json:"id"`
	Source        string         `json:"source"`
	BlockSize     int            `json:"block_size"`
	Conversations int            `json:"conversations"`
	Turns         int            `json:"turns"`
	Messages      int            `json:"messages"`
	In            int64          `json:"in_tokens"`
	Out           int64          `json:"out_tokens"`
	PeakContext   int64          `json:"peak_context"`
	IDs           int            `json:"ids"`
	Unique        int            `json:"unique"` // fills and tails
	Plan          Digest         `json:"plan"`   // of the unpacked frame
	Text          Digest         `json:"text"`   // of the unpacked frame
}

// SelectionInfo says which traces were left out, and why.
type SelectionInfo struct {
	Scanned       int              `json:"scanned"`
	NothingToSend []corpus.TraceID `json:"nothing_to_send"`
	TooLong       []corpus.TraceID `json:"over_max_context_length"`
	OverISL       []corpus.TraceID `json:"over_max_isl"`
	SmallestPeak  int64            `json:"smallest_peak"`
	LargestPeak   int64            `json:"largest_peak"`
}

// FileInfo is a source file.
type FileInfo struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	BLAKE3 Digest `json:"blake3"`
}

// parseManifest reads and checks a manifest against the index.
func parseManifest(data []byte, frames []frame, key Digest) (*Manifest, error) {
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, err
	}
	switch {
	case m.Format != Format:
		return nil, fmt.Errorf("format %d in a file of format %d", m.Format, Format)
	case m.Key != key || Sum(m.Recipe) != key:
		return nil, errors.New("the key is not the digest of the recipe")
	}
	if err := checkOrder(frames, len(m.Traces), m.Frames.Template != Digest{}); err != nil {
		return nil, err
	}
	seen := make(map[corpus.TraceID]bool, len(m.Traces))
	for i := range m.Traces {
		if seen[m.Traces[i].ID] {
			return nil, fmt.Errorf("trace %s stands twice", m.Traces[i].ID)
		}
		seen[m.Traces[i].ID] = true
	}
	return m, nil
}

// sharedKinds are the frames before those of the traces.
func sharedKinds(template bool) []frameKind {
	kinds := []frameKind{kindManifest, kindFiller, kindLengths, kindTokenizer}
	if template {
		kinds = append(kinds, kindTemplate)
	}
	return kinds
}

// checkOrder checks that the frames are those of a bundle with so many traces.
func checkOrder(frames []frame, traces int, template bool) error {
	shared := sharedKinds(template)
	if len(frames) != len(shared)+2*traces {
		return fmt.Errorf("%d frames for %d traces, expected %d", len(frames), traces, len(shared)+2*traces)
	}
	for i := range frames {
		want := kindPlan
		if i < len(shared) {
			want = shared[i]
		} else if (i-len(shared))%2 == 1 {
			want = kindText
		}
		if frames[i].kind != want {
			return fmt.Errorf("frame %d is a %v, expected a %v", i, frames[i].kind, want)
		}
	}
	return nil
}
