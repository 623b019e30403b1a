// Package page writes the frame of a self-contained HTML page: one file that needs no network, opens
// from a USB stick and may be shared. It promises that whatever text goes into the data (trace ids,
// model output, error messages) can neither end its block nor run: data is JSON with < > & U+2028 and
// U+2029 escaped, the content policy allows exactly the scripts and styles that were handed in (by
// digest) and nothing from anywhere else.
package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
)

// Page is one HTML file. Body, Styles and Scripts are markup and code of this project (or the pinned
// chart script); everything that comes from recordings, servers or users goes into Title and Data.
type Page struct {
	Title   string
	Styles  []string
	Body    string
	Data    []Data
	Scripts [][]byte // run in this order, after the body and the data
}

// Data is a value that scripts read: JSON.parse(document.getElementById(ID).textContent).
type Data struct {
	ID    string
	Value any
}

// Write renders p. The error names the data block that could not be encoded or the script that holds
// text that would end its block.
func (p Page) Write(w io.Writer) error {
	for i, script := range p.Scripts {
		if ending := unsafeInline(script); ending != "" {
			return fmt.Errorf("page %q: script %d holds %q, which would end its block", p.Title, i, ending)
		}
	}
	var head bytes.Buffer
	head.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	fmt.Fprintf(&head, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", p.policy())
	head.WriteString("<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	fmt.Fprintf(&head, "<title>%s</title>\n", html.EscapeString(Visible(p.Title)))
	for _, style := range p.Styles {
		fmt.Fprintf(&head, "<style>%s</style>\n", style)
	}
	head.WriteString("</head>\n<body>\n")
	head.WriteString(p.Body)
	if _, err := w.Write(head.Bytes()); err != nil {
		return err
	}
	for _, block := range p.Data {
		if err := block.write(w); err != nil {
			return fmt.Errorf("page %q: data %s: %w", p.Title, block.ID, err)
		}
	}
	for _, script := range p.Scripts {
		if _, err := fmt.Fprintf(w, "\n<script>%s</script>", script); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n</body>\n</html>\n")
	return err
}

func (d Data) write(w io.Writer) error {
	encoded, err := json.Marshal(d.Value) // escapes < > & U+2028 U+2029
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n<script type=\"application/json\" id=\"%s\">%s</script>", html.EscapeString(d.ID), encoded)
	return err
}

// policy is the page's content security policy: nothing loads, nothing runs, except what is here.
func (p Page) policy() string {
	scripts := make([]string, 0, len(p.Scripts))
	for _, script := range p.Scripts {
		scripts = append(scripts, digest(script))
	}
	styles := make([]string, 0, len(p.Styles))
	for _, style := range p.Styles {
		styles = append(styles, digest([]byte(style)))
	}
	return "default-src 'none'; script-src " + sources(scripts) + "; style-src " + sources(styles) +
		"; img-src data: blob:; base-uri 'none'; form-action 'none'"
}

func sources(digests []string) string {
	if len(digests) == 0 {
		return "'none'"
	}
	return strings.Join(digests, " ")
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// unsafeInline is the first text in script that an HTML parser would act upon, or "".
func unsafeInline(script []byte) string {
	lower := bytes.ToLower(script)
	for _, ending := range []string{"</script", "<!--", "<script"} {
		if bytes.Contains(lower, []byte(ending)) {
			return ending
		}
	}
	return ""
}
