package report

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed schemas/*.schema.json
var schemaFiles embed.FS

// Schema is the published JSON Schema of an exported file, by the name that it has without
// --profile-export-prefix; false for a file that has none.
func Schema(name string) ([]byte, bool) {
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".jsonl"), ".json")
	text, err := fs.ReadFile(schemaFiles, "schemas/"+strings.TrimPrefix(base, ".")+".schema.json")
	return text, err == nil
}

// InvalidError says where a file breaks its schema.
type InvalidError struct {
	Path     string
	Line     int // of a .jsonl file, from 1; 0 for others
	Problems []string
}

func (e *InvalidError) Error() string {
	at := e.Path
	if e.Line > 0 {
		at = fmt.Sprintf("%s line %d", e.Path, e.Line)
	}
	return fmt.Sprintf("%s does not fit its schema: %s", at, strings.Join(e.Problems, "; "))
}

// seriesFiles are those of several runs together.
func seriesFiles() []string {
	return []string{"profile_export_aiperf_aggregate.json", "profile_export_aiperf_aggregate.csv", "profile_export_aiperf_collated.json"}
}

// validNames are the names of files that Validate knows: all exports but the text for people.
func validNames() []string {
	names := slices.DeleteFunc(append(FileNames(), seriesFiles()...), func(name string) bool { return strings.HasSuffix(name, "_console.txt") })
	return append(names, Marker)
}

// Validate checks an exported file against its schema: an *InvalidError names the first line that
// breaks it and what is wrong there. A file that --profile-export-prefix renamed is known by its ending
// and by what is in it. Of a file with one record a line it gives their number, of others -1: a run that
// sent nothing has files without any, and only their reader can tell whether that was so.
func Validate(path string) (records int, err error) {
	name, known := exportName(path)
	if !known {
		return -1, fmt.Errorf("%s: no schema for a file of this name: expected one of %s", path, strings.Join(validNames(), ", "))
	}
	file, err := os.Open(path)
	if err != nil {
		return -1, fmt.Errorf("validating: %w", err)
	}
	defer file.Close() // opened for reading only
	switch filepath.Ext(name) {
	case ".csv":
		return -1, validateCSV(path, name, file)
	case ".parquet":
		return -1, validateParquet(path, file)
	case ".txt":
		return -1, validateMetrics(path, file)
	}
	text, _ := Schema(name)
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		return -1, fmt.Errorf("the schema of %s: %w", name, err)
	}
	if filepath.Ext(name) == ".jsonl" {
		return validateLines(path, file, schema)
	}
	whole, err := io.ReadAll(file)
	if err != nil {
		return -1, fmt.Errorf("validating: %w", err)
	}
	value, err := decodeOne(whole)
	if err != nil {
		return -1, &InvalidError{Path: path, Problems: []string{err.Error()}}
	}
	if problems := check(value, schema, "$"); len(problems) > 0 {
		return -1, &InvalidError{Path: path, Problems: problems}
	}
	return -1, nil
}

// Exported lists the exported files in a run folder and in those below it, so that a series is found
// whole. Text for people, logs and pages are not among them.
func Exported(dir string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Type().IsRegular() {
			if _, known := exportName(path); known {
				paths = append(paths, path)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("validating: %w", err)
	}
	return paths, nil
}

// exportName is the name that an exported file has without --profile-export-prefix; false for a file
// that is none of them.
func exportName(path string) (string, bool) {
	base := filepath.Base(path)
	if slices.Contains(validNames(), base) {
		return base, true
	}
	endings := renamedSuffixes()
	own := false // whether a longer ending than .json, .csv, .jsonl is known
	for _, suffix := range endings {
		own = own || strings.HasPrefix(suffix, "_") && strings.HasSuffix(base, suffix)
	}
	for name, suffix := range endings {
		// An ending such as _raw.jsonl has .jsonl for an ending too.
		if strings.HasSuffix(base, suffix) && own == strings.HasPrefix(suffix, "_") && looksLike(path, name) {
			return name, true
		}
	}
	return "", false
}

// looksLike reports whether the beginning of a renamed file is that of an export.
func looksLike(path, name string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close() // opened for reading only
	start := make([]byte, 4096)
	n, _ := io.ReadFull(file, start)
	start = start[:n]
	switch filepath.Ext(name) {
	case ".txt":
		return false // text for people
	case ".jsonl":
		if name == networkName {
			return bytes.HasPrefix(start, []byte(`{"timestamp_ns":`))
		}
		return bytes.HasPrefix(start, []byte(`{"metadata":{"session_num":`))
	case ".json":
		return bytes.Contains(start, []byte(`"compat": "`+compatLevel+`"`))
	default:
		header, _ := csvHeader(name)
		return bytes.HasPrefix(start, []byte(strings.Join(header, ",")+"\n"))
	}
}

// validateLines checks a file line by line and counts them; a raw file may be larger than memory.
func validateLines(path string, file io.Reader, schema map[string]any) (int, error) {
	lines := bufio.NewReaderSize(file, 1<<16)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return number, fmt.Errorf("validating: %w", err)
		}
		if len(line) == 0 {
			return number - 1, nil
		}
		if err != nil {
			return number, &InvalidError{path, number, []string{"the line does not end: the file was cut"}}
		}
		value, err := decodeOne(line)
		if err != nil {
			return number, &InvalidError{path, number, []string{err.Error()}}
		}
		if problems := check(value, schema, "$"); len(problems) > 0 {
			return number, &InvalidError{path, number, problems}
		}
	}
}
