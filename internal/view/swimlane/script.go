package swimlane

import (
	"bytes"
	"embed"
)

//go:embed web/*.js
var scriptParts embed.FS

// scriptOrder is the order of the script's parts; each uses only what stands before it.
func scriptOrder() []string {
	return []string{"data", "view", "stats", "facts", "colour", "bands", "lanes", "signs", "curves", "filter", "controls", "main"}
}

// pageScript joins the parts into one script with a scope of its own.
func pageScript() []byte {
	var script bytes.Buffer
	script.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range scriptOrder() {
		part, err := scriptParts.ReadFile("web/" + name + ".js")
		if err != nil {
			panic("swimlane: script part " + name + " is not embedded: " + err.Error())
		}
		script.Write(part)
	}
	script.WriteString("})();\n")
	return script.Bytes()
}
