// Command dist packs what a machine without a network needs into one tar: the three programs for
// linux/amd64 and linux/arm64, the documents, the sample recording, the licences of everything that is
// linked into the programs, and checksums. `make dist` builds the programs and calls it.
//
// It promises: the same programs and documents give the same bytes, wherever and whenever it runs (names
// sorted, owners, modes and times fixed); a linked module without a licence file is an error.
//
// Usage: go run ./internal/dist -version V -programs DIR -out DIR [-without-charts]
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// platforms are the ones that are packed; the folder of programs has one folder for each.
func platforms() []string { return []string{"linux-amd64", "linux-arm64"} }

func programs() []string { return []string{"agentx-prep", "agentx-run", "agentx-analyze"} }

func main() {
	version := flag.String("version", "dev", "version, part of the names")
	from := flag.String("programs", "", "folder with a folder of programs for each platform")
	out := flag.String("out", "dist", "folder to write to")
	bare := flag.Bool("without-charts", false, "also where the chart script is not embedded")
	flag.Parse()
	written, err := distribute(*version, *from, *out, *bare)
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
	for _, file := range written {
		fmt.Println("wrote", file)
	}
}

// distribute gathers the files and writes the tar and its checksum.
func distribute(version, from, out string, bare bool) ([]string, error) {
	t := tree{}
	if err := t.programs(from); err != nil {
		return nil, err
	}
	for _, text := range []string{"README.md", "CHANGELOG.md", "docs", "testdata/corpus"} {
		if err := t.add(text, text, 0o644); err != nil {
			return nil, err
		}
	}
	if err := t.licences(from); err != nil {
		return nil, err
	}
	if err := t.charts(bare); err != nil {
		return nil, err
	}
	t["SHA256SUMS"] = file{0o644, t.sums()}
	name := "agentx-" + strings.NewReplacer("/", "-", " ", "-").Replace(version)
	packed, err := t.pack(name)
	if err != nil {
		return nil, err
	}
	archive := filepath.Join(out, name+"-linux.tar.gz")
	digest := sha256.Sum256(packed)
	line := hex.EncodeToString(digest[:]) + "  " + filepath.Base(archive) + "\n"
	return []string{archive, archive + ".sha256"}, errors.Join(
		os.MkdirAll(out, 0o755), os.WriteFile(archive, packed, 0o644), os.WriteFile(archive+".sha256", []byte(line), 0o644))
}

// tree is what is packed: contents by slash-separated name.
type tree map[string]file

type file struct {
	mode    fs.FileMode
	content []byte
}

func (t tree) programs(from string) error {
	for _, platform := range platforms() {
		for _, program := range programs() {
			if err := t.add(path.Join(platform, program), filepath.Join(from, platform, program), 0o755); err != nil {
				return err
			}
		}
	}
	return nil
}

// add takes a file, or a folder with all that it holds.
func (t tree) add(name, source string, mode fs.FileMode) error {
	return filepath.WalkDir(source, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(source, at)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(at)
		t[path.Join(name, filepath.ToSlash(relative))] = file{mode, content}
		return err
	})
}

// names are sorted.
func (t tree) names() []string {
	names := make([]string, 0, len(t))
	for name := range t {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// sums are the digests of all files, as sha256sum -c reads them.
func (t tree) sums() []byte {
	var text strings.Builder
	for _, name := range t.names() {
		digest := sha256.Sum256(t[name].content)
		fmt.Fprintf(&text, "%s  %s\n", hex.EncodeToString(digest[:]), name)
	}
	return []byte(text.String())
}
