package pretoken

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// alphabet has characters on which the patterns differ: cases, letters without case, marks, long s,
// numbers of several kinds, blanks of several kinds, line breaks, signs, controls, kana and han.
var alphabet = []string{
	"a", "b", "s", "t", "re", "ll", "d", "A", "B", "S", "T", "'", "'", "ſ", "é", "ß", "Ж", "ж", "ǅ", "ʰ", "中", "文", "あ", "ー", "龥", "龦", "ª",
	"\u0301", "\u0903", "1", "2", "3", "²", "Ⅷ", "٣", " ", " ", " ", "\t", "\n", "\n", "\r", "\r\n", "\u00a0", "\u2003", "\u2028", "\u0085", "\v",
	".", ",", "/", "_", "-", "$", "+", "<", "|", "€", "😀", "\u200b", "\x00", "\x01", "\ufffd", "\U000e0001",
}

func randomText(r *rand.Rand) string {
	var text strings.Builder
	for range r.IntN(40) {
		text.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return text.String()
}

// The regular-expression engine is the obvious slow version of every scanner.
func TestScannersEqualTheirPatterns(t *testing.T) {
	for name, pattern := range map[string]string{
		"cl100k 1 digit": patternCL1, "cl100k 3 digits": patternCL3, "o200k": patternO200K, "gpt2": patternGPT2,
		"numbers": patternNumbers3, "kana and han": patternKanaHan, "deepseek": patternDeepSeek,
	} {
		t.Run(name, func(t *testing.T) {
			fast, _, err := Isolated(pattern)
			if err != nil {
				t.Fatal(err)
			}
			slow, err := compiled(pattern)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			for range 30_000 {
				text := randomText(r)
				got, want := fast(nil, text), slow(nil, text)
				if !slices.Equal(got, want) {
					t.Fatalf("%q: pieces end at %v, by the pattern at %v", text, got, want)
				}
			}
		})
	}
}

func TestNamedPatternIsO200K(t *testing.T) {
	named, ok := Named(O200K)
	if !ok {
		t.Fatal("o200k_base is not known by name")
	}
	byPattern, covers, err := Isolated(patternO200K)
	if err != nil || !covers {
		t.Fatalf("covers %v, error %v", covers, err)
	}
	text := "HTTPServer's fooBar 12345 it'S\r\n\r\n  x//\n"
	if got, want := named(nil, text), byPattern(nil, text); !slices.Equal(got, want) {
		t.Errorf("by name %v, by pattern %v", got, want)
	}
}

func TestDigits(t *testing.T) {
	text := "ab12c345"
	if got := Digits(true)(nil, text); !slices.Equal(got, []int{2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("individual: %v", got)
	}
	if got := Digits(false)(nil, text); !slices.Equal(got, []int{2, 4, 5, 8}) {
		t.Errorf("runs: %v", got)
	}
}

func TestOtherPatternsRunOnTheEngine(t *testing.T) {
	stage, covers, err := Isolated(`[a-z]+(?!\d)|\d`)
	if err != nil || covers {
		t.Fatalf("covers %v, error %v", covers, err)
	}
	if got := stage(nil, "éab1--c"); !slices.Equal(got, []int{2, 3, 4, 5, 7, 8}) {
		t.Errorf("pieces end at %v", got)
	}
	if _, _, err := Isolated(`(`); err == nil {
		t.Error("a broken pattern compiled")
	}
}
