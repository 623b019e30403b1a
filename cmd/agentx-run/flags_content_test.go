package main

import (
	"testing"

	"github.com/urfave/cli/v3"
)

// A content flag that is not given leaves what the bundle was made with, switches too: docs/cli.md, help and
// the configuration's template must not say false.
func TestContentFlagsThatAreNotGivenAreTheBundles(t *testing.T) {
	content := contentFlags()
	if len(content) != 30 {
		t.Errorf("%d flags", len(content))
	}
	for _, flag := range content {
		if text := flag.(cli.DocGenerationFlag).GetDefaultText(); text != "as the bundle has it" {
			t.Errorf("--%s: the default is told as %q", flag.Names()[0], text)
		}
	}
}
