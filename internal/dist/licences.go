package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceName matches the files in which licences and the notices that go with them stand.
func licenceName() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents|authors|contributors|unlicense)([._-].*)?$`)
}

// linked is a package that is part of a program, with its module.
type linked struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// licences adds, below licences/<module>@<version>/, the licence files of every module in the programs:
// those at its root and in the folders of the packages that are linked. What the programs themselves say
// they are made of is the measure: each of their modules must have some.
func (t tree) licences(from string) error {
	modules, err := modulesOf(from)
	if err != nil {
		return err
	}
	for _, platform := range platforms() {
		goos, goarch, _ := strings.Cut(platform, "-")
		packages, err := linkedPackages(goos, goarch)
		if err != nil {
			return err
		}
		for i := range packages {
			if err := t.licencesOf(&packages[i]); err != nil {
				return err
			}
		}
	}
	root, err := goroot()
	if err != nil {
		return err
	}
	if err := t.add("licences/go/LICENSE", filepath.Join(root, "LICENSE"), 0o644); err != nil {
		return fmt.Errorf("the licence of Go itself: %w", err)
	}
	return t.covered(modules)
}

// covered refuses modules without a licence, and lists them all.
func (t tree) covered(modules []string) error {
	var list strings.Builder
	list.WriteString("Modules that are linked into the programs; their licences are in the folders of these names.\n\n")
	for _, module := range modules {
		found := slices.ContainsFunc(t.names(), func(name string) bool { return strings.HasPrefix(name, "licences/"+module+"/") })
		if !found {
			return fmt.Errorf("%s is linked, but no licence file was found in it: look into its folder in the module cache, and widen licenceName", module)
		}
		list.WriteString(module + "\n")
	}
	list.WriteString("\nand Go's own library (folder go).\n")
	t["licences/README"] = file{0o644, []byte(list.String())}
	return nil
}

// modulesOf reads path@version of the modules out of the programs.
func modulesOf(from string) ([]string, error) {
	var modules []string
	for _, platform := range platforms() {
		for _, program := range programs() {
			info, err := buildinfo.ReadFile(filepath.Join(from, platform, program))
			if err != nil {
				return nil, err
			}
			for _, module := range info.Deps {
				if module.Replace != nil {
					module = module.Replace
				}
				modules = append(modules, module.Path+"@"+module.Version)
			}
		}
	}
	slices.Sort(modules)
	return slices.Compact(modules), nil
}

func linkedPackages(goos, goarch string) ([]linked, error) {
	command := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module", "agentx/cmd/...")
	command.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []linked
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var one linked
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, one)
	}
}

// licencesOf looks into a package's folder and those above it, up to its module's.
func (t tree) licencesOf(one *linked) error {
	if one.Standard || one.Module == nil || one.Module.Main {
		return nil
	}
	names := licenceName()
	for dir := one.Dir; ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(one.Module.Dir, dir)
		if err != nil || strings.HasPrefix(relative, "..") {
			return fmt.Errorf("package folder %s is not inside its module's, %s", dir, one.Module.Dir)
		}
		for _, entry := range entries {
			if entry.Type().IsRegular() && names.MatchString(entry.Name()) && !strings.HasSuffix(entry.Name(), ".go") {
				name := path.Join("licences", one.Module.Path+"@"+one.Module.Version, filepath.ToSlash(relative), entry.Name())
				if err := t.add(name, filepath.Join(dir, entry.Name()), 0o644); err != nil {
					return err
				}
			}
		}
		if relative == "." {
			return nil
		}
	}
}

// goroot is where the Go that builds keeps its licence.
func goroot() (string, error) {
	output, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(output)), nil
}
