package token

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// hfFile is a tokenizer.json: the small parts as they are, the long ones read.
type hfFile struct {
	Added         []hfAdded
	Normalizer    *hfStep
	PreTokenizer  *hfStep
	Decoder       *hfStep
	model         hfModel
	vocabulary    map[string]ID
	merges        []hfMerge
	highest       ID
	sawVocabulary bool
}

type hfMerge struct{ left, right string }

type hfAdded struct {
	ID         ID     `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

// hfStep is a normalizer, a pre-tokenizer or a decoder: the fields of all kinds together.
type hfStep struct {
	Type             string     `json:"type"`
	Normalizers      []hfStep   `json:"normalizers"`
	PreTokenizers    []hfStep   `json:"pretokenizers"`
	Decoders         []hfStep   `json:"decoders"`
	Pattern          *hfPattern `json:"pattern"`
	Behavior         string     `json:"behavior"`
	Invert           bool       `json:"invert"`
	Content          string     `json:"content"`
	Start            int        `json:"start"`
	Stop             int        `json:"stop"`
	Prepend          string     `json:"prepend"`
	Replacement      string     `json:"replacement"`
	PrependScheme    string     `json:"prepend_scheme"`
	Split            *bool      `json:"split"`
	AddPrefixSpace   *bool      `json:"add_prefix_space"`
	UseRegex         *bool      `json:"use_regex"`
	IndividualDigits bool       `json:"individual_digits"`
}

type hfPattern struct {
	Regex  string `json:"Regex"`
	String string `json:"String"`
}

// hfModel is the part of "model" beside vocabulary and merges.
type hfModel struct {
	Type         string   `json:"type"`
	Dropout      *float64 `json:"dropout"`
	Prefix       string   `json:"continuing_subword_prefix"`
	Suffix       string   `json:"end_of_word_suffix"`
	ByteFallback bool     `json:"byte_fallback"`
	IgnoreMerges bool     `json:"ignore_merges"`
}

// loadHuggingFace reads a tokenizer.json. Truncation, padding and the post-processor are not looked
// at: serving stacks set the first two anew for every call, and the third adds tokens around a text.
func loadHuggingFace(data []byte) (*Tokenizer, error) {
	file, err := parseHuggingFace(data)
	if err != nil {
		return nil, err
	}
	return file.build()
}

func parseHuggingFace(data []byte) (*hfFile, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the file is not UTF-8 text")
	}
	file := &hfFile{}
	s := &scanner{data: data}
	sawModel := false
	err := s.object(func(key string) error {
		switch key {
		case "added_tokens":
			return s.decode(key, &file.Added)
		case "normalizer":
			return s.decode(key, &file.Normalizer)
		case "pre_tokenizer":
			return s.decode(key, &file.PreTokenizer)
		case "decoder":
			return s.decode(key, &file.Decoder)
		case "model":
			sawModel = true
			return file.readModel(s)
		}
		_, err := s.value()
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.space(); s.at < len(data) {
		return nil, s.fail("the end of the file")
	}
	if !sawModel {
		return nil, errors.New(`there is no "model"; is this a tokenizer.json?`)
	}
	return file, nil
}

func (s *scanner) decode(key string, into any) error {
	value, err := s.value()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("%q: %w", key, err)
	}
	return nil
}

// readModel reads the members of "model". The order of members is free; a vocabulary that is not an
// object of ids (Unigram has a list of scores) is left alone, because its type will be refused.
func (f *hfFile) readModel(s *scanner) error {
	rest := map[string]json.RawMessage{}
	err := s.object(func(key string) error {
		s.space()
		switch {
		case key == "vocab" && s.at < len(s.data) && s.data[s.at] == '{':
			return f.readVocabulary(s)
		case key == "merges":
			return f.readMerges(s)
		}
		value, err := s.value()
		rest[key] = value
		return err
	})
	if err != nil {
		return err
	}
	small, err := json.Marshal(rest)
	if err != nil {
		return fmt.Errorf(`"model": %w`, err)
	}
	if err := json.Unmarshal(small, &f.model); err != nil {
		return fmt.Errorf(`"model": %w`, err)
	}
	return nil
}

func (f *hfFile) readVocabulary(s *scanner) error {
	f.sawVocabulary = true
	// An entry takes about 20 bytes of a file that is half vocabulary.
	f.vocabulary = make(map[string]ID, len(s.data)/48)
	return s.object(func(token string) error {
		id, err := s.number()
		if err != nil {
			return err
		}
		if id >= maxRanks {
			return fmt.Errorf("token %q has id %d; ids up to %d are read", token, id, maxRanks-1)
		}
		f.vocabulary[token] = ID(id)
		f.highest = max(f.highest, ID(id))
		return nil
	})
}

// readMerges reads both forms: "left right", and ["left", "right"].
func (f *hfFile) readMerges(s *scanner) error {
	f.merges = make([]hfMerge, 0, len(s.data)/48)
	return s.list('[', ']', func() error {
		s.space()
		if s.at < len(s.data) && s.data[s.at] == '[' {
			var parts []string
			err := s.list('[', ']', func() error {
				part, err := s.text()
				parts = append(parts, part)
				return err
			})
			if err == nil && len(parts) != 2 {
				err = fmt.Errorf("merge %d has %d parts, expected 2", len(f.merges), len(parts))
			}
			if err == nil {
				f.merges = append(f.merges, hfMerge{parts[0], parts[1]})
			}
			return err
		}
		text, err := s.text()
		if err != nil {
			return err
		}
		left, right, ok := strings.Cut(text, " ")
		if !ok {
			return fmt.Errorf("merge %d, %q, has no blank between its parts", len(f.merges), text)
		}
		f.merges = append(f.merges, hfMerge{left, right})
		return nil
	})
}

// build turns the file into a tokenizer, or says what in it cannot be read exactly.
func (f *hfFile) build() (*Tokenizer, error) {
	switch {
	case f.model.Type != "BPE" && !(f.model.Type == "" && f.sawVocabulary && f.merges != nil):
		return nil, unsupported("the model type %q", f.model.Type)
	case !f.sawVocabulary:
		return nil, errors.New(`"model" has no "vocab"`)
	case f.model.Dropout != nil && *f.model.Dropout > 0:
		return nil, unsupported("merge dropout")
	case f.model.Prefix != "" || f.model.Suffix != "":
		return nil, unsupported("marks inside or at the end of words (continuing_subword_prefix, end_of_word_suffix)")
	}
	t := &Tokenizer{}
	for _, a := range f.Added {
		if a.ID >= maxRanks {
			return nil, fmt.Errorf("added token %q has id %d; ids up to %d are read", a.Content, a.ID, maxRanks-1)
		}
		t.added = append(t.added, Added{
			Content: a.Content, ID: a.ID, Special: a.Special, Normalized: a.Normalized,
			SingleWord: a.SingleWord, StripBefore: a.LStrip, StripAfter: a.RStrip,
		})
	}
	byteLevelFile, stages, steps, err := f.preTokenizers()
	if err != nil {
		return nil, err
	}
	if t.normalize, err = f.normalizers(steps); err != nil {
		return nil, err
	}
	t.stages, t.preTokened = stages, byteLevelFile
	if byteLevelFile {
		t.words, err = f.byteLevel()
	} else {
		t.words, err = f.codePoint()
	}
	if err != nil {
		return nil, err
	}
	if t.decode, err = f.decoder(byteLevelFile); err != nil {
		return nil, err
	}
	t.finish(int(f.highest) + 1)
	return t, nil
}
