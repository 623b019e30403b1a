package probe

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteText writes the report for people. What the server sent is quoted: it may hold anything.
func (r *Report) WriteText(out io.Writer) error {
	var text strings.Builder
	for i := range r.Servers {
		if i > 0 {
			text.WriteByte('\n')
		}
		r.Servers[i].write(&text)
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func (s *Server) write(text *strings.Builder) {
	fmt.Fprintf(text, "%s\n", s.URL)
	s.Identity.write(text)
	for i := range s.Requests {
		s.Requests[i].write(text)
	}
	for i := range s.Findings {
		f := &s.Findings[i]
		fmt.Fprintf(text, "  %-14s %-8s %s\n", f.Property, f.Verdict, printable(f.Evidence))
		if f.Advice != "" {
			fmt.Fprintf(text, "  %-14s %-8s -> %s\n", "", "", f.Advice)
		}
	}
}

func (i *Identity) write(text *strings.Builder) {
	parts := []string{}
	if i.Server != "" {
		parts = append(parts, i.Server)
	}
	if i.Version != "" {
		parts = append(parts, "version "+i.Version)
	}
	if len(i.Models) > 0 {
		parts = append(parts, "models "+strings.Join(i.Models, ", "))
	}
	if i.WindowTokens > 0 {
		parts = append(parts, fmt.Sprintf("window %d tokens", i.WindowTokens))
	}
	if i.Error != "" {
		parts = append(parts, "says nothing of itself: "+i.Error)
	}
	if len(parts) > 0 {
		fmt.Fprintf(text, "  %-14s %s\n", "server", printable(strings.Join(parts, "; ")))
	}
}

func (r *Request) write(text *strings.Builder) {
	fmt.Fprintf(text, "  %-14s %s", r.Prompt, r.Outcome)
	if r.Class != "" {
		fmt.Fprintf(text, "/%s", r.Class)
	}
	if r.Status != 0 {
		fmt.Fprintf(text, ", %s %d", r.Protocol, r.Status)
	}
	milliseconds(text, ", connect", r.ConnectMs)
	milliseconds(text, ", TTFT", r.TTFTMs)
	milliseconds(text, ", total", r.TotalMs)
	if r.TokensPerS != nil {
		fmt.Fprintf(text, ", %.1f %s/s", *r.TokensPerS, r.RateOf)
	}
	if r.Resends > 0 {
		fmt.Fprintf(text, ", sent again on a new connection")
	}
	text.WriteByte('\n')
	if r.Error != "" {
		fmt.Fprintf(text, "  %-14s %s\n", "", printable(r.Error))
	}
	if usage := r.usage(); usage != "" {
		fmt.Fprintf(text, "  %-14s usage: %s; finish reason %s; %d chunks, [DONE] %s\n", "", usage, strconv.Quote(r.FinishReason), r.Chunks, yesNo(r.Done))
	}
	if r.Reasoning != "" {
		fmt.Fprintf(text, "  %-14s reasoning %s\n", "", quoted(r.Reasoning, r.Prompt == "quick"))
	}
	if r.Text != "" {
		fmt.Fprintf(text, "  %-14s output %s\n", "", quoted(r.Text, r.Prompt == "quick"))
	}
}

func (r *Request) usage() string {
	var parts []string
	for _, count := range []struct {
		name  string
		value *int64
	}{{"prompt", r.PromptTokens}, {"completion", r.CompletionTokens}, {"reasoning", r.ReasoningTokens}, {"cached", r.CachedTokens}} {
		if count.value != nil {
			parts = append(parts, fmt.Sprintf("%s %d", count.name, *count.value))
		}
	}
	if len(parts) == 0 && r.Outcome == "ok" {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func milliseconds(text *strings.Builder, name string, value *float64) {
	if value != nil {
		fmt.Fprintf(text, "%s %.1f ms", name, *value)
	}
}

func yesNo(value bool) string {
	if value {
		return "came"
	}
	return "missing"
}

// quoted is a text on one line; the beginning of it unless it was asked for.
func quoted(text string, whole bool) string {
	const some = 60
	if runes := []rune(text); !whole && len(runes) > some {
		text = string(runes[:some]) + "…"
	}
	return strconv.Quote(text)
}

// printable is a server's text without what would move a terminal's cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\u2026' && !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}
