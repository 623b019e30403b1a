// Package buildinfo says which build of agentx this is.
package buildinfo

import "runtime/debug"

// Set by the linker (Makefile); empty in `go build` and `go test`.
var version, commit string

// Version is the version of the build, from the linker or else from the module.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// Commit is the commit of the build, empty when unknown.
func Commit() string {
	if commit != "" {
		return commit
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				return setting.Value
			}
		}
	}
	return ""
}

// String is version and commit for --version.
func String() string {
	if Commit() == "" {
		return Version()
	}
	return Version() + " (" + Commit() + ")"
}
