package sched_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ruleNumber is how scripts cite a rule. A time in a comment is written so that it is none: 2 s, not 2.0.
var ruleNumber = regexp.MustCompile(`^(?:[1-9]|1[0-4])\.\d{1,2}(?:\.\d)?$`)

// TestEveryRuleHasAScript holds the scripts against the table of rules: a rule that changes a time or
// an event is cited by a script, and what a script cites is in the table.
func TestEveryRuleHasAScript(t *testing.T) {
	cited := citations(t)
	table, err := os.ReadFile("testdata/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	for line := range strings.Lines(string(table)) {
		cells := strings.Split(strings.Trim(line, "|\n "), "|")
		rule := strings.TrimSpace(cells[0])
		if !strings.HasPrefix(line, "| ") || rule == "rule" {
			continue
		}
		rules++
		why := ""
		if len(cells) == 3 {
			why = strings.TrimSpace(cells[2])
		}
		switch scripts := cited[rule]; {
		case len(scripts) == 0 && why == "":
			t.Errorf("no script cites rule %s", rule)
		case len(scripts) > 0 && why != "":
			t.Errorf("rule %s is said to have no script, but %v cite it", rule, scripts)
		}
		delete(cited, rule)
	}
	for rule, scripts := range cited {
		t.Errorf("%v cite rule %s, which testdata/rules.md does not have", scripts, rule)
	}
	if rules == 0 {
		t.Fatal("no rules read")
	}
}

// citations finds the scripts of each rule that their comments cite.
func citations(t *testing.T) map[string][]string {
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal("no scripts", err)
	}
	cited := map[string][]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") {
				continue
			}
			for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" #,:;()\n", r) }) {
				if word = strings.TrimSuffix(word, "."); ruleNumber.MatchString(word) {
					cited[word] = append(cited[word], filepath.Base(name))
				}
			}
		}
	}
	return cited
}
