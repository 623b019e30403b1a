package run

import "testing"

// TestTrialSeeds has the check values of spec scheduling 10.2.
func TestTrialSeeds(t *testing.T) {
	for trial, want := range []int64{6858774025263032934, 4337237111802998792, 5285968998097472628} {
		if got := trialSeed(42, trial); got != want {
			t.Errorf("seed of trial %d is %d, want %d", trial, got, want)
		}
	}
}

func TestIDsOfASeriesDiffer(t *testing.T) {
	const fixed = "00112233445566778899aabbccddeeff"
	seen := map[string]bool{}
	for run := range 3 {
		id := idOfRun(fixed, run)
		if seen[id] || len(id) != 32 {
			t.Errorf("id of run %d is %q", run, id)
		}
		seen[id] = true
	}
	if idOfRun(fixed, 0) != fixed || idOfRun("", 2) != "" {
		t.Error("the first run keeps a fixed id, and no id stays none")
	}
}
