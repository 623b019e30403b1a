package weka

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Stdin is the path that stands for the standard input.
const Stdin = "-"

// Source is a file that may hold traces.
type Source struct {
	Path string // to open it
	Name string // its identity in the corpus: slash-separated, relative to the given directory
	Size int64  // bytes as stored, 0 for the standard input
}

// suffixes are those of files that are read when a directory is given. A file that is named itself is
// read whatever it is called.
var suffixes = []string{".json", ".jsonl", ".ndjson", ".parquet"}

// packings are suffixes that may follow.
var packings = []string{".gz", ".zst", ".zstd"}

// List finds the files of a corpus: paths are files, directories or Stdin. The order is that of the
// arguments, inside a directory by path components, bytewise. Directories are searched recursively for
// files with the suffixes of the format, without hidden ones; symbolic links are followed.
func List(paths []string) ([]Source, error) {
	var sources []Source
	for _, given := range paths {
		if given == Stdin {
			sources = append(sources, Source{Path: Stdin, Name: "stdin"})
			continue
		}
		info, err := os.Stat(given)
		if err != nil {
			return nil, &Error{File: given, Row: -1, Problem: "cannot be read: " + cause(err), Hint: "give an existing file or directory"}
		}
		if !info.IsDir() {
			sources = append(sources, Source{given, filepath.Base(given), info.Size()})
			continue
		}
		prefix := ""
		if len(paths) > 1 {
			prefix = filepath.Base(filepath.Clean(given))
		}
		found, err := listDirectory(given, prefix, nil)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, &Error{File: given, Row: -1, Problem: "is a directory without traces",
				Hint: "expected files that end in " + strings.Join(suffixes, ", ") + ", also with " + strings.Join(packings, ", ")}
		}
		sources = append(sources, found...)
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("no input: give a file, a directory or %s", Stdin)
	}
	return sources, nil
}

// listDirectory finds the files below a directory. above holds the real paths of the directories on the
// way to it, so that a link back up ends the search.
func listDirectory(directory, name string, above []string) ([]Source, error) {
	entries, err := os.ReadDir(directory) // sorted bytewise
	if err != nil {
		return nil, &Error{File: directory, Row: -1, Problem: "cannot be listed: " + cause(err), Hint: "check its permissions"}
	}
	real, err := filepath.EvalSymlinks(directory)
	if err != nil {
		return nil, &Error{File: directory, Row: -1, Problem: "cannot be listed: " + cause(err)}
	}
	if slices.Contains(above, real) {
		return nil, nil
	}
	above = append(slices.Clip(above), real)
	var sources []Source
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		at, own := filepath.Join(directory, entry.Name()), path.Join(name, entry.Name())
		info, err := os.Stat(at)
		switch {
		case err != nil && hasTraceSuffix(at):
			return nil, &Error{File: at, Row: -1, Problem: "cannot be read: " + cause(err), Hint: "a link may point to nothing"}
		case err != nil:
			continue
		case info.IsDir():
			found, err := listDirectory(at, own, above)
			if err != nil {
				return nil, err
			}
			sources = append(sources, found...)
		case hasTraceSuffix(at):
			sources = append(sources, Source{at, own, info.Size()})
		}
	}
	return sources, nil
}

func hasTraceSuffix(name string) bool {
	return slices.Contains(suffixes, filepath.Ext(withoutPacking(name)))
}

// withoutPacking is the lower-case name without the suffix of a compression.
func withoutPacking(name string) string {
	name = strings.ToLower(name)
	for _, packing := range packings {
		name = strings.TrimSuffix(name, packing)
	}
	return name
}

// isLineName reports whether the name promises a trace on each line.
func isLineName(name string) bool {
	extension := filepath.Ext(withoutPacking(name))
	return extension == ".jsonl" || extension == ".ndjson"
}

// cause is the system's reason without operation and path, which the error names already.
func cause(err error) string {
	if failed, ok := err.(*fs.PathError); ok {
		return failed.Err.Error()
	}
	return err.Error()
}
