package pretoken

import (
	"fmt"

	"github.com/dlclark/regexp2/v2"
)

// compiled is the stage of a pattern that has no scanner of its own.
func compiled(pattern string) (Stage, error) {
	// In a group of its own the pattern is not one for which a module in this program has registered
	// generated code: that of tiktoken-go matches "\n \n" by `\s*[\r\n]+` as "\n" only.
	expression, err := regexp2.Compile("(?:"+pattern+")", regexp2.None)
	if err != nil {
		return nil, fmt.Errorf("split pattern %q: %w", pattern, err)
	}
	return func(dst []int, s string) []int {
		if s == "" {
			return dst
		}
		matches, err := expression.FindAllStringIndex(s, -1)
		if err != nil {
			// Only a match timeout fails, and none is set.
			panic(fmt.Sprintf("split pattern %q: %v", pattern, err))
		}
		from := 0
		for _, match := range matches {
			if match[1] == match[0] {
				continue
			}
			if match[0] > from {
				dst = append(dst, match[0])
			}
			dst = append(dst, match[1])
			from = match[1]
		}
		if from < len(s) {
			dst = append(dst, len(s))
		}
		return dst
	}, nil
}
