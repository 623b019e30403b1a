package run

import (
	"strings"
	"testing"

	"agentx/corpus"
	"agentx/eventlog"
	"agentx/internal/prompt"
	"agentx/internal/synth/chat"
)

type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) }

// begins, then two words around each message, then the start of the answer; two users in a row are refused.
const wordy = `begin {% for m in messages %}{% if m.role == 'user' and loop.index0 > 0 and messages[loop.index0 - 1].role == 'user' %}` +
	`{{ raise_exception('two users') }}{% endif %}{{ m.role }} {{ m.content }} end {% endfor %}assistant`

func wordyFraming(t *testing.T) *framing {
	t.Helper()
	template, err := chat.Compile(&chat.Settings{Template: wordy})
	if err != nil {
		t.Fatal(err)
	}
	return newFraming(template, words{})
}

func rolesOf(roles ...corpus.Role) []byte {
	var refs []prompt.Ref
	for _, role := range roles {
		refs = append(refs, prompt.Ref{Message: corpus.Message{Role: role}})
	}
	return appendRoles(nil, refs)
}

func TestFramingAddsTheTemplatesTokensAndRefusesOthers(t *testing.T) {
	var told []string
	f := &finisher{framing: wordyFraming(t), framed: true, unframed: func(messages int, err error) { told = append(told, err.Error()) }}
	for range 2 {
		taken := finished{roles: rolesOf(corpus.RoleSystem, corpus.RoleUser, corpus.RoleAssistant, corpus.RoleUser), end: eventlog.ExchangeEnd{PromptTokens: 100}}
		f.frame(&taken)
		if taken.end.PromptTokens != 100+1+4*2+1 {
			t.Errorf("prompt of %d tokens", taken.end.PromptTokens)
		}
		refused := finished{roles: rolesOf(corpus.RoleUser, corpus.RoleUser), end: eventlog.ExchangeEnd{PromptTokens: 100}}
		f.frame(&refused)
		if refused.end.PromptTokens != 0 {
			t.Errorf("a prompt that the template refuses has %d tokens", refused.end.PromptTokens)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "two users") {
		t.Errorf("told %q", told)
	}
	plain := finished{roles: rolesOf(corpus.RoleUser), end: eventlog.ExchangeEnd{PromptTokens: 100}}
	(&finisher{framing: wordyFraming(t)}).frame(&plain)
	if plain.end.PromptTokens != 100 {
		t.Errorf("without --apply-chat-template: %d tokens", plain.end.PromptTokens)
	}
}

func TestRolesOfToolShapedPairs(t *testing.T) {
	refs := []prompt.Ref{{Message: corpus.Message{Role: corpus.RoleAssistant, ToolCall: 3}}, {Message: corpus.Message{Role: corpus.RoleTool, ToolCall: 3}}, {Message: corpus.Message{Role: corpus.RoleUser}}}
	want := []chat.Shape{{Role: corpus.RoleAssistant, Call: true}, {Role: corpus.RoleTool, Call: true}, {Role: corpus.RoleUser}}
	for i, shape := range shapesOf(appendRoles(nil, refs)) {
		if shape != want[i] {
			t.Errorf("message %d: %+v, want %+v", i, shape, want[i])
		}
	}
}

// A server counts the messages alone, or as its template makes them; anything else is apart.
func TestAgreementWithTheTemplatesPrediction(t *testing.T) {
	roles := rolesOf(corpus.RoleUser)
	for counted, apart := range map[int64]int{1000: 0, 1004: 0, 1003: 0, 1020: 1, 990: 1} {
		a := agreement{report: func(r agreementReport) {
			if r.Apart != apart || r.Predicted != 1 {
				t.Errorf("%d tokens counted: %+v, want %d apart", counted, r, apart)
			}
		}}
		a.add(answerWith(1000, counted), roles, wordyFraming(t))
		a.close()
	}
}
