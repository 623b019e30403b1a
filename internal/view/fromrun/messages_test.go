package fromrun

import (
	"fmt"
	"testing"

	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

// A log alone gives every play, stream and turn with its figures.
func TestInputFromALog(t *testing.T) {
	log := logtest.Mixed()
	analysis, err := measure.Analyze(log, measure.Options{NoChunks: true, NoCurves: true})
	if err != nil {
		t.Fatal(err)
	}
	input, err := Messages(analysis.Run, log, "mixed", "run.db")
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, play := range input.Plays {
		for _, stream := range play.Streams {
			got += fmt.Sprintf("play %d %s %s[c%d] parent %d:", play.ID, play.Marker, stream.Name, stream.Conversation, stream.Parent)
			for _, turn := range stream.Turns {
				got += fmt.Sprintf(" %d %s", turn.Index, turn.Outcome)
			}
			got += "\n"
		}
	}
	want := `play 0 [rid:00000000000a] alpha[c0] parent -1: 0 ok 1 ok 2 no_visible_output 3 ok 4 never_sent, duration
play 0 [rid:00000000000a] alpha::sa:a1[c1] parent 0: 0 http_error, http 1 ok
play 1 [rid:00000000000b] beta[c0] parent -1: 0 ok 1 ok 2 overflow, http
play 2 [rid:00000000000c] beta[c0] parent -1: 0 ok 1 ok 2 cancelled_grace, grace
`
	if got != want {
		t.Errorf("got\n%sexpected\n%s", got, want)
	}
	if plan := input.Plans["alpha"]; plan == nil || plan.Conversations[0].Turns[1].New[0].Tokens != 192 {
		t.Errorf("plan %+v: expected the one that the log holds", plan)
	}
}
