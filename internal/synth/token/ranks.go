package token

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentx/internal/synth/pretoken"
)

// rankMap is the ranker of a rank list: the rank of a merge is the id of what it makes.
type rankMap map[string]ID

func (m rankMap) rank(_, _ ID, text string) (uint32, ID) {
	if id, ok := m[text]; ok {
		return uint32(id), id
	}
	return noRank, 0
}

// maxRanks bounds what is allocated for a rank list, whatever its numbers say.
const maxRanks = 4 << 20

// loadRanks reads a rank list in tiktoken's text form.
func loadRanks(source Source) (*Tokenizer, error) {
	stage, ok := pretoken.Named(source.Pattern)
	if !ok {
		return nil, unsupported("the split pattern %q", source.Pattern)
	}
	words := &byteLevel{wholeFirst: true, ids: make(map[string]ID, bytes.Count(source.Data, []byte("\n"))+1)}
	line := 0
	for data := source.Data; len(data) > 0; {
		row, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		line++
		if len(row) == 0 {
			continue
		}
		raw, id, err := rankLine(string(row))
		if err != nil {
			return nil, fmt.Errorf("rank list, line %d: %w", line, err)
		}
		if _, twice := words.ids[raw]; twice {
			return nil, fmt.Errorf("rank list, line %d: the token stands on an earlier line too", line)
		}
		words.ids[raw] = id
		for len(words.tokens) <= int(id) {
			words.tokens = append(words.tokens, "")
		}
		words.tokens[id] = raw
	}
	if err := words.needBytes(); err != nil {
		return nil, fmt.Errorf("rank list: %w", err)
	}
	words.ranks = rankMap(words.ids)
	t := &Tokenizer{words: words, stages: []pretoken.Stage{stage}, preTokened: true, decode: decodeBytes}
	for content, id := range source.Special {
		t.added = append(t.added, Added{Content: content, ID: id, Special: true})
	}
	slices.SortFunc(t.added, func(a, b Added) int { return int(a.ID) - int(b.ID) })
	t.finish(len(words.tokens))
	return t, nil
}

func rankLine(row string) (raw string, id ID, err error) {
	text, number, ok := strings.Cut(strings.TrimSuffix(row, "\r"), " ")
	if !ok {
		return "", 0, fmt.Errorf("expected a base64 token, a blank and a rank, found %.40q", row)
	}
	token, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(token) == 0 {
		return "", 0, fmt.Errorf("expected a base64 token, found %.40q", text)
	}
	rank, err := strconv.ParseUint(number, 10, 32)
	if err != nil || rank >= maxRanks || rank == math.MaxUint32 {
		return "", 0, fmt.Errorf("expected a rank below %d, found %.40q", maxRanks, number)
	}
	return string(token), ID(rank), nil
}

// WriteRanks is the rank list, in tiktoken's text form, of the tokens given by rank.
func WriteRanks(tokens []string) []byte {
	var list bytes.Buffer
	for rank, token := range tokens {
		if token == "" {
			continue
		}
		fmt.Fprintf(&list, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), rank)
	}
	return list.Bytes()
}

// finish fills the parts that every kind derives from its added tokens and vocabulary.
func (t *Tokenizer) finish(vocabulary int) {
	t.size = vocabulary
	t.surface = make(map[ID]Added, len(t.added))
	for _, added := range t.added {
		t.surface[added.ID] = added
		t.size = max(t.size, int(added.ID)+1)
	}
	var asGiven, normalized []Added
	for _, added := range t.added {
		if !added.Normalized {
			asGiven = append(asGiven, added)
			continue
		}
		for _, step := range t.normalize {
			added.Content = step(added.Content, true)
		}
		normalized = append(normalized, added)
	}
	t.first, t.second = newMatcher(asGiven), newMatcher(normalized)
}
