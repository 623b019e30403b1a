package flags

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"
)

// WriteTemplate writes a configuration file with every visible flag as a comment: its meaning and its
// default.
func WriteTemplate(out io.Writer, definitions []cli.Flag) error {
	category := ""
	for _, definition := range definitions {
		documented, ok := definition.(cli.DocGenerationFlag)
		if visible, is := definition.(cli.VisibleFlag); !ok || is && !visible.IsVisible() {
			continue
		}
		if grouped, is := definition.(cli.CategorizableFlag); is && grouped.GetCategory() != category {
			category = grouped.GetCategory()
			if _, err := fmt.Fprintf(out, "\n# == %s\n", category); err != nil {
				return err
			}
		}
		value := documented.GetDefaultText()
		if value == "" {
			value = strings.Trim(documented.GetValue(), `"`)
		}
		if _, err := fmt.Fprintf(out, "\n# %s\n# %s: %s\n", documented.GetUsage(), definition.Names()[0], value); err != nil {
			return err
		}
	}
	return nil
}
