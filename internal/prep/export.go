package prep

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"agentx/corpus/bundle"
)

// Export prints every turn of a trace as a JSON line: conversation, turn, the whole message array as it
// is sent (without a marker), and the recorded input tokens.
func Export(out io.Writer, path, trace string) error {
	b, err := bundle.Open(path)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(out, 1<<16)
	err = export(buffered, b, trace)
	if err == nil {
		err = buffered.Flush()
	}
	return errors.Join(err, b.Close())
}

func export(out *bufio.Writer, b *bundle.Bundle, id string) error {
	trace, err := findTrace(b, id)
	if err != nil {
		return err
	}
	plan, err := b.Plan(trace)
	if err != nil {
		return err
	}
	text, err := b.Text(trace)
	if err != nil {
		return err
	}
	var refs []bundle.MessageRef
	var pieces [][]byte
	for c := range plan.Conversations {
		conversation := &plan.Conversations[c]
		for turn := range conversation.Turns {
			fmt.Fprintf(out, `{"conversation":%s,"turn":%d,"messages":[`, jsonText(conversation.ID), turn)
			refs = bundle.AppendRefs(refs[:0], conversation, turn)
			for i, ref := range refs {
				if i > 0 {
					out.WriteByte(',')
				}
				message := &conversation.Turns[ref.Turn].New[ref.Message]
				fmt.Fprintf(out, `{"role":%s,"content":"`, jsonText(message.Role))
				pieces = text.AppendEscaped(pieces[:0], c, ref.Turn, ref.Message)
				for _, piece := range pieces {
					out.Write(piece)
				}
				fmt.Fprintf(out, `","tokens":%d}`, message.Tokens)
			}
			// The writer keeps its first error, and gives it here.
			if _, err := fmt.Fprintf(out, `],"in":%d}`+"\n", conversation.Turns[turn].In); err != nil {
				return err
			}
		}
	}
	return nil
}
