package flags

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"
)

// Variable ties environment variables to a flag that stands for something else than their value.
type Variable struct {
	Names []string // the first that is set counts
	Flag  string   // main name
	// Values gives the flag's values for a variable's; none leaves the flag alone.
	Values func(value string) ([]string, error)
}

// Layers are what sets flags where the command line does not: environment variables, then a
// configuration file.
type Layers struct {
	Environment []string // NAME=value, as os.Environ gives it
	Variables   []Variable
	File        *File // nil for none
}

// Complete puts what the layers set in front of a normalized command line, as flags, so that one parser
// reads them all. The flags of the command line win over the environment, and that over the file. A
// variable of ours and one of the peer's for the same flag that differ are an error (decision 23).
func (l *Layers) Complete(definitions []cli.Flag, normal []string) ([]string, error) {
	kinds := kindsByName(definitions)
	set := onLine(kinds, normal)
	environment := byName(l.Environment)
	var added []string
	add := func(name string, values []string) {
		set[name] = true
		for _, value := range values {
			added = append(added, "--"+name+"="+value)
		}
	}
	for _, variable := range append(ownVariables(definitions), l.Variables...) {
		name, value, err := variable.lookUp(environment)
		if err != nil {
			return nil, err
		}
		if name == "" || set[variable.Flag] {
			continue
		}
		values, err := variable.values(value, kinds[variable.Flag].kind)
		if err != nil {
			return nil, fmt.Errorf("environment variable %s: %w", name, err)
		}
		if len(values) > 0 {
			add(variable.Flag, values)
		}
	}
	if l.File != nil {
		for _, entry := range l.File.entries {
			if !set[entry.flag] {
				add(entry.flag, entry.values)
			}
		}
	}
	return append(added, normal...), nil
}

// Spelled is a normalized command line with the flags that only the file sets, by the names that they have there: what
// AsTyped goes by.
func (l *Layers) Spelled(definitions []cli.Flag, normal []string) []string {
	if l.File == nil {
		return normal
	}
	set := onLine(kindsByName(definitions), normal)
	var words []string
	for _, entry := range l.File.entries {
		if !set[entry.flag] {
			words = append(words, "--"+entry.written)
		}
	}
	return append(words, normal...)
}

// Names lists the variables that Complete looks at.
func (l *Layers) Names(definitions []cli.Flag) []string {
	var names []string
	for _, variable := range append(ownVariables(definitions), l.Variables...) {
		names = append(names, variable.Names...)
	}
	return names
}

// ownVariables are those that the flags themselves name as sources.
func ownVariables(definitions []cli.Flag) []Variable {
	var variables []Variable
	for _, definition := range definitions {
		documented, ok := definition.(cli.DocGenerationFlag)
		if !ok || len(documented.GetEnvVars()) == 0 {
			continue
		}
		variables = append(variables, Variable{Names: documented.GetEnvVars(), Flag: definition.Names()[0]})
	}
	return variables
}

// lookUp finds the variable that is set. Empty counts as unset.
func (v *Variable) lookUp(environment map[string]string) (name, value string, err error) {
	for _, candidate := range v.Names {
		found := environment[candidate]
		switch {
		case found == "":
		case name == "":
			name, value = candidate, found
		case found != value && ofProject(candidate) && ofProject(name):
			return "", "", fmt.Errorf("environment variables %s and %s differ: unset one of them", name, candidate)
		}
	}
	return name, value, nil
}

// ofProject tells variables of this project and of the peer from those that others read too.
func ofProject(name string) bool {
	return strings.HasPrefix(name, "AGENTX_") || strings.HasPrefix(name, "AIPERF_")
}

func (v *Variable) values(value string, kind kind) ([]string, error) {
	if v.Values != nil {
		return v.Values(value)
	}
	canonical, err := kind.canonical(value)
	return []string{canonical}, err
}

func byName(environment []string) map[string]string {
	values := make(map[string]string, len(environment))
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		values[name] = value
	}
	return values
}

// Switch reads the words for yes and no that environment variables take.
func Switch(value string) (bool, error) {
	word, err := toggled(value)
	if err != nil {
		return false, fmt.Errorf("%q: expected true or false", value)
	}
	return word == "true", nil
}
