package invariants_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets property tests try more cases than usual unless a number was asked for.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		_ = flag.Set("rapid.checks", "2000")
	}
	os.Exit(m.Run())
}
