package main

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"agentx/corpus"
	"agentx/corpus/bundle"
)

// spec reconstruction 10: every threshold of detection, and the shape of tool messages, has our variable and
// the peer's, and either changes the key.
func TestThresholdsHaveTheirVariablesAndAreInTheKey(t *testing.T) {
	values := map[string]string{
		"SPLIT_FLATTENED_AGENTS": "0", "SEAM_MAX_GAP_SECONDS": "10", "SEAM_MIN_OVERLAP_RATIO": "0.25", "AUX_MAX_REQUESTS": "2", "AUX_ISL_RATIO": "0.2",
		"AUX_ISL_FLOOR": "1000", "AUX_CROSS_MODEL": "no", "AUX_REDUCTION_OSL_MAX": "100", "AUX_REDUCTION_RATIO": "30", "WORKER_GROUP_MIN": "2",
		"TOOL_SHAPED_MESSAGES": "true",
	}
	key := func(options corpus.Options) bundle.Digest {
		recipe := bundle.Recipe{Options: options}
		key, _, err := recipe.Key()
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	parsed := func(line ...string) corpus.Options {
		g := &given{}
		g.options.Corpus = corpus.DefaultOptions()
		command := &cli.Command{Name: "build", Flags: append(contentFlags(g), detectionFlags(&g.options.Corpus)...), Action: func(context.Context, *cli.Command) error { return nil }}
		full, err := fromEnvironment(command, line)
		if err == nil {
			err = command.Run(t.Context(), append([]string{"build"}, full...))
		}
		if err != nil {
			t.Fatal(err)
		}
		return g.options.Corpus
	}
	plain := parsed()
	if !reflect.DeepEqual(plain, corpus.DefaultOptions()) {
		t.Fatalf("without flags the options are %+v", plain)
	}
	for name, value := range values {
		for _, prefix := range []string{"AGENTX_", "AIPERF_"} {
			t.Run(prefix+name, func(t *testing.T) {
				t.Setenv(prefix+"DATASET_WEKA_"+name, value)
				set := parsed()
				if reflect.DeepEqual(set, plain) || key(set) == key(plain) {
					t.Errorf("%s changes nothing", value)
				}
				flag := "--weka-" + strings.ReplaceAll(strings.ToLower(name), "_", "-")
				if name == "TOOL_SHAPED_MESSAGES" {
					flag = "--tool-shaped-messages"
				}
				if back := parsed(flag + "=" + defaultText(name)); !reflect.DeepEqual(back, plain) {
					t.Errorf("the flag does not go before the variable: %+v", back)
				}
			})
		}
	}
	variables := variablesOf(append(contentFlags(&given{}), detectionFlags(&corpus.Options{})...))
	if len(variables) != 2*len(values) {
		t.Errorf("there are the variables %v; the table has %d settings", slices.Sorted(slices.Values(variables)), len(values))
	}
}

// defaultText is the default of a setting, by the spec, as a flag takes it.
func defaultText(name string) string {
	switch name {
	case "SPLIT_FLATTENED_AGENTS", "AUX_CROSS_MODEL":
		return "true"
	case "TOOL_SHAPED_MESSAGES":
		return "false"
	}
	return map[string]string{"SEAM_MAX_GAP_SECONDS": "3600", "SEAM_MIN_OVERLAP_RATIO": "0.5", "AUX_MAX_REQUESTS": "1", "AUX_ISL_RATIO": "0.10",
		"AUX_ISL_FLOOR": "16384", "AUX_REDUCTION_OSL_MAX": "4000", "AUX_REDUCTION_RATIO": "20", "WORKER_GROUP_MIN": "3"}[name]
}
