package pretoken

// nextCL scans one pre-token of the cl100k family with up to digits number characters in a piece.
func nextCL(s string, digits int) int {
	if n := contraction(s, true); n > 0 {
		return n
	}
	if n := prefixedLetters(s, letter, number); n > 0 {
		return n
	}
	if n := numberRun(s, digits); n > 0 {
		return n
	}
	if n := signs(s); n > 0 {
		return n + newlines(s[n:], false)
	}
	return blanks(s)
}

// prefixedLetters matches `[^\r\n\p{L}…]?\p{L}+`: letters, with one character before them that is
// neither a line break nor a letter nor of the class avoid.
func prefixedLetters(s string, letters, avoid class) int {
	if n := run(s, letters); n > 0 {
		return n
	}
	r, size := first(s)
	if r == '\n' || r == '\r' || classOf(r)&(letter|avoid) != 0 {
		return 0
	}
	if n := run(s[size:], letters); n > 0 {
		return size + n
	}
	return 0
}

// signs matches ` ?[^\s\p{L}\p{N}]+`.
func signs(s string) int {
	from := 0
	if s[0] == ' ' {
		from = 1
	}
	if n := runNot(s[from:], space|letter|number); n > 0 {
		return from + n
	}
	return 0
}

// nextGPT2 scans one pre-token of GPT-2's pattern.
func nextGPT2(s string) int {
	if n := contraction(s, false); n > 0 {
		return n
	}
	from := 0
	if s[0] == ' ' {
		from = 1
	}
	if n := run(s[from:], letter); n > 0 {
		return from + n
	}
	if n := run(s[from:], number); n > 0 {
		return from + n
	}
	if n := signs(s); n > 0 {
		return n
	}
	return plainBlanks(s)
}

// nextO200K scans one pre-token of o200k_base.
func nextO200K(s string) int {
	if n := caseWord(s); n > 0 {
		return n + contraction(s[n:], true)
	}
	if n := numberRun(s, 3); n > 0 {
		return n
	}
	if n := signs(s); n > 0 {
		return n + newlines(s[n:], true)
	}
	return blanks(s)
}

// caseWord matches the two word alternatives of o200k_base without their contraction. The prefix
// character is taken greedily, and given back where the rest fails, as a backtracking engine does.
func caseWord(s string) int {
	r, size := first(s)
	prefix := 0
	if r != '\n' && r != '\r' && classOf(r)&(letter|number) == 0 {
		prefix = size
	}
	if prefix > 0 {
		if n := endsLower(s[prefix:]); n > 0 {
			return prefix + n
		}
	}
	if n := endsLower(s); n > 0 {
		return n
	}
	if prefix > 0 {
		if n := startsUpper(s[prefix:]); n > 0 {
			return prefix + n
		}
	}
	return startsUpper(s)
}

// endsLower matches `[upper]*[lower]+`. The classes overlap (letters without case, marks), so the
// greedy first part gives back its last character of both classes when no lower one follows.
func endsLower(s string) int {
	at, lastBoth := 0, 0
	for at < len(s) {
		r, size := first(s[at:])
		c := classOf(r)
		if c&upper == 0 {
			break
		}
		at += size
		if c&lower != 0 {
			lastBoth = at
		}
	}
	if n := run(s[at:], lower); n > 0 {
		return at + n
	}
	return lastBoth
}

// startsUpper matches `[upper]+[lower]*`.
func startsUpper(s string) int {
	n := run(s, upper)
	if n == 0 {
		return 0
	}
	return n + run(s[n:], lower)
}

// kanaHan matches `[一-龥぀-ゟ゠-ヿ]+`.
func kanaHan(s string) int {
	at := 0
	for at < len(s) {
		r, size := first(s[at:])
		if !(0x4E00 <= r && r <= 0x9FA5 || 0x3040 <= r && r <= 0x30FF) {
			break
		}
		at += size
	}
	return at
}

// nextDeepSeek matches one pre-token of DeepSeek's third pass, 0 where nothing matches (numbers,
// control characters and the like, which stay between the matches).
func nextDeepSeek(s string) int {
	if c := s[0]; c < 0x80 && asciiClass[c]&sign != 0 {
		at := 1
		for at < len(s) && ('a' <= s[at] && s[at] <= 'z' || 'A' <= s[at] && s[at] <= 'Z') {
			at++
		}
		if at > 1 {
			return at
		}
	}
	if n := deepSeekWord(s); n > 0 {
		return n
	}
	from := 0
	if s[0] == ' ' {
		from = 1
	}
	if n := run(s[from:], sign); n > 0 {
		n += from
		return n + newlines(s[n:], false)
	}
	return blanks(s)
}

// deepSeekWord matches `[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+`. A mark may be the prefix or the word.
func deepSeekWord(s string) int {
	r, size := first(s)
	if r != '\n' && r != '\r' && classOf(r)&(letter|sign) == 0 {
		if n := run(s[size:], letter|mark); n > 0 {
			return size + n
		}
	}
	return run(s, letter|mark)
}
