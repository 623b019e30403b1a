package token

import (
	"errors"
	"fmt"
	"slices"

	"agentx/internal/synth/pretoken"
)

// flatten lists a step and, of a Sequence, its members.
func flatten(step *hfStep, members func(*hfStep) []hfStep) []hfStep {
	if step == nil {
		return nil
	}
	if step.Type != "Sequence" {
		return []hfStep{*step}
	}
	var all []hfStep
	for _, member := range members(step) {
		all = append(all, flatten(&member, members)...)
	}
	return all
}

// preTokenizers reads the pre-tokenizer. Byte-level files end with a ByteLevel step. Others have
// nothing that splits; a Metaspace step then is one more normalizer, and is returned as such.
func (f *hfFile) preTokenizers() (byteLevel bool, stages []pretoken.Stage, more []normalizer, err error) {
	steps := flatten(f.PreTokenizer, func(s *hfStep) []hfStep { return s.PreTokenizers })
	for i := range steps {
		step := &steps[i]
		if byteLevel {
			return false, nil, nil, unsupported("the pre-tokenizer %s after ByteLevel", step.Type)
		}
		switch step.Type {
		case "ByteLevel":
			if step.AddPrefixSpace == nil || *step.AddPrefixSpace {
				return false, nil, nil, unsupported("a blank put before every text (ByteLevel with add_prefix_space)")
			}
			byteLevel = true
			if step.UseRegex == nil || *step.UseRegex {
				stages = append(stages, pretoken.GPT2())
			}
		case "Digits":
			stages = append(stages, pretoken.Digits(step.IndividualDigits))
		case "Split":
			stage, err := f.split(step)
			if err != nil {
				return false, nil, nil, err
			}
			if stage != nil {
				stages = append(stages, stage)
			}
		case "Metaspace":
			step, err := metaspace(step)
			if err != nil {
				return false, nil, nil, err
			}
			more = append(more, step)
		default:
			return false, nil, nil, unsupported("the pre-tokenizer %s", step.Type)
		}
	}
	switch {
	case byteLevel && len(more) > 0:
		return false, nil, nil, unsupported("the pre-tokenizers Metaspace and ByteLevel together")
	case !byteLevel && len(stages) > 0:
		return false, nil, nil, unsupported("a split of the text without ByteLevel")
	}
	return byteLevel, stages, more, nil
}

// split is the stage of a Split step; nil for one that never matches.
func (f *hfFile) split(step *hfStep) (pretoken.Stage, error) {
	if step.Pattern == nil {
		return nil, errors.New("a Split pre-tokenizer has no pattern")
	}
	if literal := step.Pattern.String; literal != "" {
		// Gemma-3 splits at blanks after its normalizer has replaced them all.
		for _, n := range flatten(f.Normalizer, func(s *hfStep) []hfStep { return s.Normalizers }) {
			if n.Type == "Replace" && n.Pattern != nil && n.Pattern.String == literal && n.Content == blankSign {
				return nil, nil
			}
		}
		return nil, unsupported("a Split at the text %q", literal)
	}
	stage, covers, err := pretoken.Isolated(step.Pattern.Regex)
	if err != nil {
		return nil, unsupported("the split pattern %q (%v)", step.Pattern.Regex, err)
	}
	switch {
	case step.Behavior == "Isolated" && !step.Invert:
		return stage, nil
	case step.Behavior == "Removed" && step.Invert && covers:
		// The pieces between matches are what is removed, and there are none.
		return stage, nil
	}
	return nil, unsupported("a Split with behaviour %s, invert %v", step.Behavior, step.Invert)
}

func metaspace(step *hfStep) (normalizer, error) {
	scheme := step.PrependScheme
	if scheme == "" {
		scheme = "always"
		if step.AddPrefixSpace != nil && !*step.AddPrefixSpace {
			scheme = "never"
		}
	}
	switch {
	case step.Split == nil || *step.Split:
		return nil, unsupported("the pre-tokenizer Metaspace with split")
	case step.Replacement != blankSign:
		return nil, unsupported("the pre-tokenizer Metaspace with %q for a blank", step.Replacement)
	case !slices.Contains([]string{"always", "first", "never"}, scheme):
		return nil, unsupported("the pre-tokenizer Metaspace with prepend_scheme %q", scheme)
	}
	return metaspaced(blankSign, scheme), nil
}

// normalizers reads the normalizer; more comes after it.
func (f *hfFile) normalizers(more []normalizer) ([]normalizer, error) {
	var steps []normalizer
	for _, step := range flatten(f.Normalizer, func(s *hfStep) []hfStep { return s.Normalizers }) {
		switch {
		case step.Type == "NFC":
			steps = append(steps, composed)
		case step.Type == "Prepend" && step.Prepend == blankSign:
			steps = append(steps, prepended(step.Prepend))
		case step.Type == "Replace" && step.Pattern != nil && step.Pattern.String == " " && step.Content == blankSign:
			steps = append(steps, replaced(" ", blankSign))
		default:
			return nil, unsupported("the normalizer %s (its settings included)", step.Type)
		}
	}
	return append(steps, more...), nil
}

// decoder reads the decoder.
func (f *hfFile) decoder(byteLevel bool) (decoder, error) {
	steps := flatten(f.Decoder, func(s *hfStep) []hfStep { return s.Decoders })
	var kinds []string
	for _, step := range steps {
		kinds = append(kinds, step.Type)
	}
	if byteLevel {
		if slices.Equal(kinds, []string{"ByteLevel"}) {
			return decodeBytes, nil
		}
		return 0, unsupported("the decoder %v", kinds)
	}
	if len(steps) < 3 || !slices.Equal(kinds[:3], []string{"Replace", "ByteFallback", "Fuse"}) ||
		steps[0].Pattern == nil || steps[0].Pattern.String != blankSign || steps[0].Content != " " {
		return 0, unsupported("the decoder %v", kinds)
	}
	switch {
	case len(steps) == 3:
		return decodeCodePoints, nil
	case len(steps) == 4 && steps[3].Type == "Strip" && steps[3].Content == " " && steps[3].Start == 1 && steps[3].Stop == 0:
		return decodeStripped, nil
	}
	return 0, unsupported("the decoder %v", kinds)
}

// byteLevel builds the model over bytes.
func (f *hfFile) byteLevel() (*byteLevel, error) {
	if f.model.ByteFallback {
		return nil, unsupported("byte fallback in a byte-level model")
	}
	table := byteOfRune()
	words := &byteLevel{wholeFirst: f.model.IgnoreMerges, tokens: make([]string, f.highest+1), ids: make(map[string]ID, len(f.vocabulary))}
	for form, id := range f.vocabulary {
		raw, inside := rawBytes(form, table)
		if words.tokens[id] != "" {
			return nil, fmt.Errorf("the vocabulary gives id %d to two tokens", id)
		}
		words.tokens[id] = raw
		if inside {
			words.ids[raw] = id
		}
	}
	if err := words.needBytes(); err != nil {
		return nil, err
	}
	pairs, err := f.pairs()
	words.ranks = pairs
	return words, err
}

// codePoint builds the model over characters.
func (f *hfFile) codePoint() (*codePoint, error) {
	if !f.model.ByteFallback {
		return nil, unsupported("a model without byte fallback over characters")
	}
	words := &codePoint{whole: f.model.IgnoreMerges, tokens: make([]string, f.highest+1), ids: f.vocabulary}
	for form, id := range f.vocabulary {
		if words.tokens[id] != "" {
			return nil, fmt.Errorf("the vocabulary gives id %d to two tokens", id)
		}
		words.tokens[id] = form
	}
	if err := words.learn(); err != nil {
		return nil, err
	}
	pairs, err := f.pairs()
	words.ranks = pairs
	return words, err
}

// pairs resolves the merges: the rank is the place in the list.
func (f *hfFile) pairs() (*pairTable, error) {
	pairs := newPairTable(len(f.merges))
	for rank, merge := range f.merges {
		left, okLeft := f.vocabulary[merge.left]
		right, okRight := f.vocabulary[merge.right]
		into, okInto := f.vocabulary[merge.left+merge.right]
		if !okLeft || !okRight || !okInto {
			return nil, fmt.Errorf("merge %d, %q with %q: the parts and what they make must be in the vocabulary", rank, merge.left, merge.right)
		}
		pairs.put(left, right, uint32(rank), into)
	}
	return pairs, nil
}
