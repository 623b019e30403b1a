package pretoken

// The split patterns of published tokenizers, as their files spell them.
const (
	// patternCL1 is Qwen2, Qwen2.5, Qwen3: numbers one by one.
	patternCL1 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	// patternCL3 is Llama-3, GLM-4, cl100k_base: numbers in threes.
	patternCL3 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	// patternO200K is o200k_base and gpt-oss: words end where a capital follows a small letter.
	patternO200K = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	// patternGPT2 is what a ByteLevel pre-tokenizer with use_regex does.
	patternGPT2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	// The three passes of DeepSeek-V3 and its relatives.
	patternNumbers3 = `\p{N}{1,3}`
	patternKanaHan  = `[一-龥぀-ゟ゠-ヿ]+`
	patternDeepSeek = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
)

// O200K is the name under which a bundle stores the pattern of o200k_base.
const O200K = "o200k_base"

// Named returns the stage of a pattern that is known by name.
func Named(name string) (Stage, bool) {
	if name == O200K {
		return whole(nextO200K), true
	}
	return nil, false
}

// GPT2 is the split of a ByteLevel pre-tokenizer with use_regex.
func GPT2() Stage { return whole(nextGPT2) }

// Digits isolates number characters: each alone, or whole runs.
func Digits(individual bool) Stage {
	if individual {
		return gaps(func(s string) int { return numberRun(s, 1) })
	}
	return gaps(func(s string) int { return run(s, number) })
}

// Isolated returns the stage for a Split pre-tokenizer with behaviour Isolated: every match and
// every stretch between two matches is a piece. Known patterns get their hand-written scanner, others
// regexp2; an error says that the pattern does not compile there. covers reports that the pattern
// is known to match all of any text, so that there are no stretches between matches.
func Isolated(pattern string) (stage Stage, covers bool, err error) {
	switch pattern {
	case patternCL1:
		return whole(func(s string) int { return nextCL(s, 1) }), true, nil
	case patternCL3:
		return whole(func(s string) int { return nextCL(s, 3) }), true, nil
	case patternO200K:
		return whole(nextO200K), true, nil
	case patternGPT2:
		return whole(nextGPT2), true, nil
	case patternNumbers3:
		return gaps(func(s string) int { return numberRun(s, 3) }), false, nil
	case patternKanaHan:
		return gaps(kanaHan), false, nil
	case patternDeepSeek:
		return gaps(nextDeepSeek), false, nil
	}
	stage, err = compiled(pattern)
	return stage, false, err
}

// gaps turns a matcher into a Stage: match returns the length of the match that s begins with, 0 for
// none. Characters without a match join into one piece.
func gaps(match func(s string) int) Stage {
	return func(dst []int, s string) []int {
		from := 0
		for at := 0; at < len(s); {
			n := match(s[at:])
			if n == 0 {
				_, size := first(s[at:])
				at += size
				continue
			}
			if at > from {
				dst = append(dst, at)
			}
			at += n
			dst = append(dst, at)
			from = at
		}
		if from < len(s) {
			dst = append(dst, len(s))
		}
		return dst
	}
}
