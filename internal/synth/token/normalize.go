package token

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// blankSign stands for a blank in vocabularies of the SentencePiece family.
const blankSign = "▁"

// normalizer changes a stretch of text before it is cut. atStart: the stretch begins the text.
type normalizer func(s string, atStart bool) string

func composed(s string, _ bool) string { return norm.NFC.String(s) }

func prepended(prefix string) normalizer {
	return func(s string, _ bool) string {
		if s == "" {
			return s
		}
		return prefix + s
	}
}

func replaced(from, to string) normalizer {
	return func(s string, _ bool) string { return strings.ReplaceAll(s, from, to) }
}

// metaspaced is the Metaspace pre-tokenizer that does not split: blanks become signs, and one sign
// goes before the text ("first": only at the start of the whole text) unless there is one.
func metaspaced(sign, scheme string) normalizer {
	return func(s string, atStart bool) string {
		s = strings.ReplaceAll(s, " ", sign)
		if scheme == "always" || scheme == "first" && atStart {
			if !strings.HasPrefix(s, sign) {
				s = sign + s
			}
		}
		return s
	}
}
