package token

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"agentx/internal/synth/tokentest"
)

func mustLoad(t testing.TB, file tokentest.File) *Tokenizer {
	t.Helper()
	tokenizer, err := Load(Source{Kind: KindHuggingFace, Data: file.JSON()})
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

// pieces shows the text of each token.
func pieces(t *Tokenizer, text string) []string {
	var all []string
	for _, id := range t.Encode(nil, text) {
		all = append(all, t.Decode([]ID{id}, false))
	}
	return all
}

func TestByteLevelMerges(t *testing.T) {
	tokenizer := mustLoad(t, tokentest.ByteLevel([]string{" the", "the", " cat"}))
	for _, c := range []struct {
		text string
		want []string
	}{
		{"the cat", []string{"the", " cat"}},
		{"the them", []string{"the", " the", "m"}},
		{"12345", []string{"1", "2", "3", "4", "5"}},
		{"the<|end|>the", []string{"the", "<|end|>", "the"}},
		{"a<tool><|end|>", []string{"a", "<tool>", "<|end|>"}},
		{"", nil},
	} {
		if got := pieces(tokenizer, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
		if got := tokenizer.Count(c.text); got != len(c.want) {
			t.Errorf("%q: count %d, want %d", c.text, got, len(c.want))
		}
	}
}

// The rank decides, not the place: "ab" has a lower rank than "bc" only in the second file.
func TestLowestRankMergesFirst(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  []string
	}{
		{[]string{"bc", "ab"}, []string{"a", "bc"}},
		{[]string{"ab", "bc"}, []string{"ab", "c"}},
	} {
		if got := pieces(mustLoad(t, tokentest.ByteLevel(c.words)), "abc"); !slices.Equal(got, c.want) {
			t.Errorf("words %q: %q, want %q", c.words, got, c.want)
		}
	}
}

func TestIgnoreMergesTakesWholeWords(t *testing.T) {
	file := tokentest.ByteLevel([]string{"bc", "ab"})
	file.Model()["vocab"].(map[string]int)["abc"] = 300
	file.Model()["ignore_merges"] = true
	if got := mustLoad(t, file).Encode(nil, "abc"); !slices.Equal(got, []ID{300}) {
		t.Errorf("tokens %v", got)
	}
}

func TestCodePointsAndByteFallback(t *testing.T) {
	tokenizer := mustLoad(t, tokentest.CodePoint([]string{" the", " cat"}, true))
	for _, c := range []struct {
		text string
		want []ID
		back string
	}{
		{"the cat", []ID{353, 356}, "the cat"},
		{"é", []ID{256, 0xC3, 0xA9}, "é"},
		{"\n", []ID{256, 0x0A}, "\n"},
		{"<s>a", []ID{357, 256, 321}, "<s> a"},
	} {
		got := tokenizer.Encode(nil, c.text)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
		if back := tokenizer.Decode(got, false); back != c.back {
			t.Errorf("%q comes back as %q, want %q", c.text, back, c.back)
		}
	}
	// Without Prepend the first word is not the one with a blank.
	if got := mustLoad(t, tokentest.CodePoint([]string{" the"}, false)).Count("the the"); got != 4 {
		t.Errorf("without prepend: %d tokens, want 4", got)
	}
}

func TestAddedTokenOptions(t *testing.T) {
	file := tokentest.ByteLevel(nil)
	option := func(id int, content, name string) map[string]any {
		a := map[string]any{"id": id, "content": content, "special": false, "normalized": false, "single_word": false, "lstrip": false, "rstrip": false}
		if name != "" {
			a[name] = true
		}
		return a
	}
	file["added_tokens"] = []any{
		option(300, "<a>", ""), option(301, "<a>b", ""), option(302, "word", "single_word"), option(303, "<l>", "lstrip"), option(304, "<r>", "rstrip"), option(305, "<n>", "normalized"),
	}
	tokenizer := mustLoad(t, file)
	for _, c := range []struct {
		text string
		want []ID
	}{
		{"<a>b<a>", []ID{301, 300}}, // leftmost, then longest
		{"word words", append([]ID{302}, tokenizer.Encode(nil, " words")...)},
		{"x  <l>", []ID{'x', 303}},
		{"<r> \n x", []ID{304, 'x'}},
		{"<n><a>", []ID{305, 300}},
	} {
		if got := tokenizer.Encode(nil, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestLossyDecodeReplacesMaximalSubparts(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"\xe4\xb8", "\ufffd"},
		{"\xe4\xb8x", "\ufffdx"},
		{"\xf0\x9f\x98", "\ufffd"},
		{"\xff\xfe", "\ufffd\ufffd"},
		{"\xe0\x80\x80", "\ufffd\ufffd\ufffd"},
		{"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		{"\xf4\x90", "\ufffd\ufffd"},
		{"é\xc3", "é\ufffd"},
	} {
		if got := lossy([]byte(c.raw)); got != c.want {
			t.Errorf("%x: %q, want %q", c.raw, got, c.want)
		}
	}
}

func TestMarkPlacesTokens(t *testing.T) {
	text := "the cat\n  the \"cat\"\tthe"
	for name, file := range map[string]tokentest.File{
		"byte-level":          tokentest.ByteLevel([]string{" the", "the", " cat"}),
		"characters":          tokentest.CodePoint([]string{" the", " cat"}, false),
		"characters, prepend": tokentest.CodePoint([]string{" the", " cat"}, true),
	} {
		tokenizer := mustLoad(t, file)
		marked, err := tokenizer.Mark(t.Context(), text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(marked.IDs, tokenizer.Encode(nil, text)) {
			t.Errorf("%s: other tokens than Encode", name)
		}
		if last := marked.Ends[len(marked.Ends)-1]; int(last) != len(text) {
			t.Errorf("%s: ends at %d of %d", name, last, len(text))
		}
		cat := slices.Index(marked.Ends, uint32(len("the cat")))
		if cat < 1 || marked.Ends[cat-1] != 3 || !marked.Starts[cat] {
			t.Errorf("%s: the token \" cat\" is not marked: ends %v, starts %v", name, marked.Ends, marked.Starts)
		}
	}
	if _, err := mustLoad(t, tokentest.ByteLevel(nil)).Mark(t.Context(), "é"); err == nil {
		t.Error("text that is not ASCII was marked")
	}
}

// Words longer than shortWord go another way; the obvious slow one must agree.
func TestLongWordsMergeAsShortOnes(t *testing.T) {
	tokenizer := mustLoad(t, tokentest.ByteLevel([]string{"abab", "ba", "aaa", "bab"}))
	words := tokenizer.words.(*byteLevel)
	for seed := range 200 {
		var word strings.Builder
		state := uint32(seed*2654435761 + 1)
		for range 65 + seed {
			state = state*1664525 + 1013904223
			word.WriteByte("ab"[state>>31])
		}
		got := words.appendWord(nil, word.String(), &scratch{})
		if want := slowMerge(words, word.String()); !slices.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", word.String(), got, want)
		}
	}
}

func slowMerge(words *byteLevel, word string) []ID {
	var ids []ID
	for i := range len(word) {
		ids = append(ids, words.bytes[word[i]])
	}
	for {
		best, lowest, into := -1, uint32(noRank), ID(0)
		for i := 0; i+1 < len(ids); i++ {
			if rank, merged := words.ranks.rank(ids[i], ids[i+1], ""); rank < lowest {
				best, lowest, into = i, rank, merged
			}
		}
		if best < 0 {
			return ids
		}
		ids = slices.Replace(ids, best, best+2, into)
	}
}

func TestInexactTokenizersAreRefusedByName(t *testing.T) {
	for name, change := range map[string]func(f tokentest.File){
		"Unigram": func(f tokentest.File) {
			f["model"] = map[string]any{"type": "Unigram", "vocab": []any{[]any{"a", -1.0}}}
		},
		"WordPiece":          func(f tokentest.File) { f.Model()["type"] = "WordPiece" },
		"dropout":            func(f tokentest.File) { f.Model()["dropout"] = 0.1 },
		"end_of_word_suffix": func(f tokentest.File) { f.Model()["end_of_word_suffix"] = "</w>" },
		"NFKC":               func(f tokentest.File) { f["normalizer"] = map[string]any{"type": "NFKC"} },
		"Whitespace":         func(f tokentest.File) { f["pre_tokenizer"] = map[string]any{"type": "Whitespace"} },
		"add_prefix_space": func(f tokentest.File) {
			f["pre_tokenizer"] = map[string]any{"type": "ByteLevel", "add_prefix_space": true}
		},
		"decoder [WordPiece]": func(f tokentest.File) { f["decoder"] = map[string]any{"type": "WordPiece"} },
		"(?<=":                func(f tokentest.File) { setPattern(f, "(?<=") },
	} {
		file := tokentest.ByteLevel([]string{"ab"})
		change(file)
		_, err := Load(Source{Kind: KindHuggingFace, Data: file.JSON()})
		var refused *Unsupported
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func setPattern(f tokentest.File, pattern string) {
	steps := f["pre_tokenizer"].(map[string]any)["pretokenizers"].([]any)
	steps[0].(map[string]any)["pattern"] = map[string]any{"Regex": pattern}
}

func TestBrokenFilesAreNamedWithTheirPlace(t *testing.T) {
	good := string(tokentest.ByteLevel([]string{"ab"}).JSON())
	for _, c := range []struct{ data, want string }{
		{"", "byte 0: expected '{', found the end"},
		{"<html>", "byte 0: expected '{'"},
		{`{"version":"1.0"}`, `no "model"`},
		{good[:len(good)/2], "found the end of the file"},
		{good + "x", "expected the end of the file"},
		{strings.Replace(good, `"merges":["a b"]`, `"merges":["ab"]`, 1), "has no blank"},
		{strings.Replace(good, `"merges":["a b"]`, `"merges":["a zz"]`, 1), "must be in the vocabulary"},
		{strings.Replace(good, `"ab":256`, `"ab":-1`, 1), "expected a token id"},
		{strings.Replace(good, `"ab":256`, `"ab":97`, 1), "gives id 97 to two tokens"},
		{strings.Replace(good, `"ab":256`, `"ab":4294967294`, 1), "ids up to"},
		{"{\"a\":\"\xff\"}", "not UTF-8"},
	} {
		if _, err := Load(Source{Kind: KindHuggingFace, Data: []byte(c.data)}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: error %v, want one with %q", c.data, err, c.want)
		}
	}
}

func TestBrokenRankListsAreNamedWithTheirLine(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"!! 0\n", "line 1: expected a base64 token"},
		{"YQ== 0\nYQ==\n", "line 2: expected a base64 token, a blank and a rank"},
		{"YQ== 0\nYQ== 1\n", "line 2: the token stands on an earlier line"},
		{"YQ== 99999999\n", "expected a rank below"},
		{"YQ== 0\n", "byte 0x00 has no token"},
	} {
		if _, err := Load(Source{Kind: KindRanks, Pattern: "o200k_base", Data: []byte(c.data)}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.data, err, c.want)
		}
	}
	if _, err := Load(Source{Kind: KindRanks, Pattern: "other"}); err == nil {
		t.Error("an unknown pattern was accepted")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(tokentest.ByteLevel([]string{"ab"}).JSON())
	f.Add(tokentest.CodePoint([]string{" ab"}, true).JSON())
	f.Add([]byte(`{"model":{"type":"BPE","vocab":{"a":0},"merges":[["a","a"]]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tokenizer, err := Load(Source{Kind: KindHuggingFace, Data: data})
		if err != nil {
			return
		}
		tokenizer.Decode(tokenizer.Encode(nil, "a b\n'tis 12 é<s>"), true)
	})
}
