package chat

import (
	"testing"

	"agentx/corpus"
)

func TestTemplatesThatMayChangeTheirMessagesAreKnown(t *testing.T) {
	for source, want := range map[string]bool{
		`{% for m in messages %}{{ m.content }}{% endfor %}`:                                                false,
		`{% set ns = namespace(first=true) %}{% for m in messages %}{% set ns.first = false %}{% endfor %}`: false,
		`{% for m in messages %}{% set m.content = "changed" %}{% endfor %}`:                                true,
		`{% for m in messages %}{% set gone = m.tool_calls.pop() %}{% endfor %}`:                            true,
		`{{ (messages | first | attr("tool_calls")) }}`:                                                     true,
	} {
		if got := mayMutate(source); got != want {
			t.Errorf("%s: %t, want %t", source, got, want)
		}
	}
}

// A meter that has measured other sequences measures as a fresh one does, also where the template eats
// its messages.
func TestAMeterForgetsNothingAndKeepsNothing(t *testing.T) {
	user, call := Shape{Role: corpus.RoleUser}, Shape{Role: corpus.RoleAssistant, Call: true}
	answer := Shape{Role: corpus.RoleTool, Call: true}
	eating := `{% for m in messages %}<{{ m.role }}> {{ m.content }} {% if m.tool_calls %}{% set c = m.tool_calls.pop() %}called {{ c.id }} {% endif %}{% endfor %}`
	for _, source := range []string{sample, eating} {
		template := compile(t, source)
		meter := template.NewMeter(wordCount{})
		for _, shapes := range [][]Shape{{user, call, answer, user}, {user}, {user, call, answer}, {call, answer, user, call, answer}, {user, call, answer, user}} {
			got, gotErr := meter.Overhead(shapes)
			want, wantErr := template.Overhead(wordCount{}, shapes)
			if got != want || gotErr != nil || wantErr != nil {
				t.Errorf("%.20s: %v measures %d (%v), a fresh meter %d (%v)", source, shapes, got, gotErr, want, wantErr)
			}
		}
	}
}

// Templates may put messages in another order.
func TestContentsAreFoundInAnyOrder(t *testing.T) {
	backwards := compile(t, `{% for m in messages | reverse %}({{ m.content }}) {% endfor %}`)
	// A bracket is no word of its own: nothing is added.
	if got, err := backwards.Overhead(wordCount{}, make([]Shape, 12)); err != nil || got != 0 {
		t.Errorf("%d, %v", got, err)
	}
}
