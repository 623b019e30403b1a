// Package clidoc writes the reference of a program's commands and flags as Markdown, from the flag
// definitions themselves, so that docs/cli.md cannot say anything the programs do not do.
package clidoc

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/urfave/cli/v3"
)

// Write writes one section for the program and one for each of its visible commands.
func Write(out io.Writer, program *cli.Command) error {
	document := &writer{out: out}
	document.command(program, program.Name, 1)
	return document.err
}

type writer struct {
	out io.Writer
	err error
}

func (w *writer) printf(format string, arguments ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.out, format, arguments...)
	}
}

func (w *writer) command(command *cli.Command, path string, level int) {
	w.printf("%s %s\n\n", strings.Repeat("#", level), path)
	if command.Usage != "" {
		w.printf("%s.\n\n", capitalized(strings.TrimSuffix(command.Usage, ".")))
	}
	if command.ArgsUsage != "" {
		w.printf("    %s %s\n\n", path, command.ArgsUsage)
	}
	if command.Description != "" {
		w.printf("%s\n\n", command.Description)
	}
	w.flags(command.Flags)
	for _, child := range command.Commands {
		if !child.Hidden && child.Name != "help" {
			w.command(child, path+" "+child.Name, level+1)
		}
	}
}

func (w *writer) flags(flags []cli.Flag) {
	byCategory := map[string][]cli.Flag{}
	var categories []string
	for _, flag := range flags {
		if visible, ok := flag.(cli.VisibleFlag); ok && !visible.IsVisible() {
			continue
		}
		category := ""
		if categorized, ok := flag.(cli.CategorizableFlag); ok {
			category = categorized.GetCategory()
		}
		if _, known := byCategory[category]; !known {
			categories = append(categories, category)
		}
		byCategory[category] = append(byCategory[category], flag)
	}
	sort.Strings(categories)
	for _, category := range categories {
		if category != "" {
			w.printf("**%s**\n\n", category)
		}
		w.printf("| flag | default | meaning |\n|---|---|---|\n")
		for _, flag := range byCategory[category] {
			w.flag(flag)
		}
		w.printf("\n")
	}
}

func (w *writer) flag(flag cli.Flag) {
	documented, ok := flag.(cli.DocGenerationFlag)
	if !ok {
		return
	}
	var names []string
	for _, name := range flag.Names() {
		dashes := "--"
		if len(name) == 1 {
			dashes = "-"
		}
		names = append(names, "`"+dashes+name+"`")
	}
	usage := documented.GetUsage()
	if variables := documented.GetEnvVars(); len(variables) > 0 {
		usage += " (`" + strings.Join(variables, "`, `") + "`)"
	}
	w.printf("| %s | %s | %s |\n", strings.Join(names, ", "), cell(defaultText(documented)), cell(usage))
}

func defaultText(flag cli.DocGenerationFlag) string {
	text := flag.GetDefaultText()
	if text == "" {
		text = flag.GetValue()
	}
	if text == "" || text == `""` || text == "[]" {
		return ""
	}
	return "`" + strings.Trim(text, `"`) + "`"
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

func capitalized(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
