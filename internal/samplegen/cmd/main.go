// Command cmd writes the sample corpus into the folder it is given.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"agentx/internal/samplegen"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/samplegen/cmd FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(folder string) error {
	files, err := samplegen.Corpus()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(folder, file.Name), file.Content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
