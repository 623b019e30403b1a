package messages

import (
	"bytes"
	"embed"
	"io"

	"agentx/internal/view/page"
)

//go:embed web
var web embed.FS

// part is one file of the page's own code.
func part(name string) []byte {
	content, err := web.ReadFile("web/" + name)
	if err != nil {
		panic("messages: page part " + name + " is not embedded: " + err.Error())
	}
	return content
}

// HTML writes the page.
func HTML(w io.Writer, input *Input, limits Limits) error {
	var script bytes.Buffer
	script.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range []string{"data.js", "search.js", "turn.js", "tree.js", "main.js"} {
		script.Write(part(name))
	}
	script.WriteString("})();\n")
	frame := page.Page{
		Title: "turn-messages: " + input.Title, Styles: []string{string(part("style.css"))}, Body: string(part("body.html")),
		Data: []page.Data{{ID: "data", Value: build(input, limits)}}, Scripts: [][]byte{script.Bytes()},
	}
	return frame.Write(w)
}
