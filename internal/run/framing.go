package run

import (
	"errors"
	"fmt"

	"agentx/corpus"
	"agentx/corpus/bundle"
	"agentx/internal/exit"
	"agentx/internal/prompt"
	"agentx/internal/synth/chat"
)

// framing counts what the bundle's chat template adds around the messages of a request (spec decision
// 29): the template is rendered once for each role sequence, with sample contents. The finisher's
// goroutine uses it, off the request path.
type framing struct {
	meter *chat.Meter
	known map[string]frame
}

// frame is what a template adds around a role sequence, or why it does not take the sequence.
type frame struct {
	tokens int64
	err    error
}

// maxFrames bounds what framing remembers; further sequences are rendered each time.
const maxFrames = 1 << 16

// bundleFraming makes the template that a bundle carries ready; nil where it has none.
func bundleFraming(b *bundle.Bundle, counter tokenCounter) (*framing, error) {
	data, err := b.TemplateData()
	if err != nil || data == nil {
		return nil, err
	}
	settings, err := chat.Parse(data)
	if err != nil {
		return nil, err
	}
	template, err := chat.Compile(settings)
	if err != nil {
		return nil, err
	}
	return newFraming(template, counter), nil
}

func newFraming(template *chat.Template, counter tokenCounter) *framing {
	return &framing{meter: template.NewMeter(counter), known: map[string]frame{}}
}

// errNoTemplate is why a nil framing knows nothing.
var errNoTemplate = errors.New("the bundle has no chat template")

// around is what the template adds to a prompt with these roles, as appendRoles wrote them.
func (f *framing) around(roles []byte) (tokens int64, err error) {
	if f == nil {
		return 0, errNoTemplate
	}
	if frame, known := f.known[string(roles)]; known {
		return frame.tokens, frame.err
	}
	count, err := f.meter.Overhead(shapesOf(roles))
	frame := frame{int64(count), err}
	if len(f.known) < maxFrames {
		f.known[string(roles)] = frame
	}
	return frame.tokens, frame.err
}

// toolShaped marks a message of a tool-shaped pair.
const toolShaped = 0x80

// appendRoles writes the roles of messages, a byte each.
func appendRoles(roles []byte, messages []prompt.Ref) []byte {
	for i := range messages {
		message := &messages[i].Message
		role := message.Role[0]
		if message.ToolCall > 0 {
			role |= toolShaped
		}
		roles = append(roles, role)
	}
	return roles
}

func shapesOf(roles []byte) []chat.Shape {
	shapes := make([]chat.Shape, len(roles))
	for i, role := range roles {
		shapes[i].Call = role&toolShaped != 0
		for _, known := range []corpus.Role{corpus.RoleSystem, corpus.RoleUser, corpus.RoleAssistant, corpus.RoleTool} {
			if known[0] == role&^toolShaped {
				shapes[i].Role = known
			}
		}
	}
	return shapes
}

// demandFraming holds a bundle against --apply-chat-template: it must have a template, and the template
// must take the first request of every conversation.
func (r *recording) demandFraming() error {
	name := r.bundle.Recipe().Tokenizer.Name
	err := r.loadTokens()
	if err == nil {
		r.framing, err = bundleFraming(r.bundle, r.tokens)
	}
	switch {
	case err == nil && r.framing == nil:
		err = errors.New("the bundle has no chat template: build it with --tokenizer FOLDER, a folder that has tokenizer.json and tokenizer_config.json")
	case err == nil:
		err = r.tryFraming()
	}
	if err != nil {
		return exit.With(exit.Usage, fmt.Errorf("--apply-chat-template: tokenizer %s: %w", name, err))
	}
	return nil
}

// tryFraming renders the first request of every conversation.
func (r *recording) tryFraming() error {
	var roles []byte
	for _, plan := range r.plans {
		for c := range plan.Conversations {
			conversation := &plan.Conversations[c]
			var history prompt.History
			history.Advance(conversation, 0)
			roles = appendRoles(roles[:0], history.Messages)
			if _, err := r.framing.around(roles); err != nil {
				return fmt.Errorf("turn 0 of %s: %w (agentx-prep check --template lists what else it does not take)", conversation.ID, err)
			}
		}
	}
	return nil
}
