package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"agentx/corpus/bundle"
	"agentx/internal/exit"
	"agentx/internal/scenario"
)

// dry is what --dry-run prints.
type dry struct {
	Settings map[string]any
	Explicit []string
	Notes    []struct{ Level, Code, Text string }
	Runs     []struct {
		Dir         string
		Concurrency int
		Differs     map[string]any
	}
}

// dryRun runs the program with --dry-run and gives its exit code, what it resolved, and its errors.
func dryRun(t *testing.T, arguments ...string) (int, dry, string) {
	t.Helper()
	program := exec.Command("agentx-run", append(arguments, "--dry-run")...)
	program.Dir = t.TempDir()
	program.Env = append(program.Environ(), "XDG_CACHE_HOME="+program.Dir, "HOME="+program.Dir)
	var out, errs bytes.Buffer
	program.Stdout, program.Stderr = &out, &errs
	code, err := codeOf(program.Run())
	if err != nil {
		t.Fatal(err)
	}
	var result dry
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &result); err != nil {
			t.Fatalf("%v in\n%s", err, out.String())
		}
	}
	return code, result, errs.String()
}

func alias(name string) func(*bundle.Recipe) {
	return func(r *bundle.Recipe) {
		repository, known := scenario.Repository(name)
		if !known {
			repository = "semianalysisai/cc-traces-weka-no-subagents-051826"
		}
		r.Source.Alias, r.Source.Repository, r.Source.Revision, r.Source.Evidence = name, repository, strings.Repeat("0a", 20), "hub"
	}
}

func repository(name string) func(*bundle.Recipe) {
	return func(r *bundle.Recipe) { r.Source.Repository, r.Source.Evidence = name, "hub" }
}

// vectors are the flag vectors of spec scenario 10 with their numbers. want are the beginnings of the
// violations, in order; none of them means that the run may begin.
func vectors() []vector {
	const short, long = "--benchmark-duration=60", "--benchmark-duration=900"
	return []vector{
		{"1", pinned, []string{long}, nil},
		{"2", pinned, nil, nil},
		{"3", none, nil, []string{"--input-file (loader): got synthetic"}},
		{"4", none, []string{"--unsafe-override"}, []string{"--input-file (loader): got synthetic"}},
		{"5", pinned, []string{short}, []string{"--benchmark-duration: got 60, required >=900"}},
		{"6", pinned, []string{short, "--unsafe-override"}, nil},
		{"7", pinned, []string{"--benchmark-duration=899.5"}, []string{"--benchmark-duration: got 899.5"}},
		{"8", pinned, []string{"--unsafe-override"}, nil},
		{"9a", pinned, []string{"--extra-inputs", "ignore_eos:false"}, []string{"--extra-inputs ignore_eos: got false"}},
		{"9b", pinned, []string{"--extra-inputs", "ignore_eos:0"}, []string{"--extra-inputs ignore_eos: got 0"}},
		{"9c", pinned, []string{"--extra-inputs", "ignore_eos:null"}, nil},
		{"9d", pinned, []string{"--extra-inputs", "ignore_eos:maybe"}, []string{"--extra-inputs ignore_eos: got maybe"}},
		{"9e", pinned, []string{"--extra-inputs", "temperature:0,ignore_eos:false"}, []string{"--extra-inputs ignore_eos: got false"}},
		{"10a", pinned, []string{"--streaming=false"}, []string{"--streaming: got false"}},
		{"10b", pinned, []string{"--no-streaming"}, []string{"--streaming: got false"}},
		{"11", pinned, []string{"--ignore-trace-delays"}, []string{"--ignore-trace-delays: got true"}},
		{"12a", pinned, []string{"--trace-idle-gap-cap-seconds=5"}, nil},
		{"12b", pinned, []string{"--inter-turn-delay-cap-seconds=5"}, []string{"--inter-turn-delay-cap-seconds: got 5"}},
		{"12c", pinned, []string{"--system-idle-gap-cap-seconds=5"}, []string{"--system-idle-gap-cap-seconds: got 5"}},
		{"12d", pinned, []string{"--system-idle-gap-cap-seconds=10"}, nil},
		{"13a", pinned, []string{"--cache-bust=none"}, []string{"--cache-bust: got none"}},
		{"13b", pinned, []string{"--cache-bust=system-prefix"}, []string{"--cache-bust: got system_prefix"}},
		{"13c", pinned, []string{"--cache-bust=first_turn_prefix"}, nil},
		{"14a", pinned, []string{"--request-rate=5"}, []string{"--request-rate / --user-centric-rate / --fixed-schedule: got poisson"}},
		{"14b", pinned, []string{"--fixed-schedule"}, []string{"--request-rate / --user-centric-rate / --fixed-schedule: got fixed_schedule"}},
		{"14c", pinned, []string{"--arrival-pattern=constant"}, []string{"--request-rate / --user-centric-rate / --fixed-schedule: got constant"}},
		{"14d", pinned, []string{"--adaptive-scale"}, []string{"--adaptive-scale: got adaptive_scale"}},
		{"15a", pinned, []string{"--synthesis-max-isl=100"}, []string{"--synthesis-max-isl: got 100"}},
		{"15b", pinned, []string{"--synthesis-max-osl=100000"}, nil},
		{"17", other, nil, []string{"agentx-prep build --public-dataset (loader): got semianalysis_cc_traces_weka,"}},
		{"17 with override", other, []string{"--unsafe-override"}, nil},
		{"18a", hub, nil, nil},
		{"18b", hub256, nil, []string{"agentx-prep build --hf-weka-dataset: got semianalysisai/cc-traces-weka-062126-256k"}},
		{"19a", local, nil, []string{"agentx-prep build --custom-dataset-type / --input-file: got weka_trace (local, unpinned)"}},
		{"19b", local, []string{"--custom-dataset-type=weka_trace", "--unsafe-override"}, nil},
		{"20", local, []string{"--synthesis-max-isl=50"}, []string{"--synthesis-max-isl: got 50", "agentx-prep build --custom-dataset-type / --input-file: got weka_trace"}},
		{"21", pinned, []string{short, "--cache-bust=none", "--ignore-trace-delays", "--extra-inputs", "ignore_eos:false", "--system-idle-gap-cap-seconds=3", "--request-rate=2"},
			[]string{"--request-rate / ", "--extra-inputs ignore_eos", "--ignore-trace-delays", "--cache-bust", "--benchmark-duration", "--system-idle-gap-cap-seconds"}},
		{"22", pinned, []string{"--num-profile-runs=3"}, nil},
		{"23a", thinking, []string{"--use-think-time-only", "--trajectory-start-min-ratio=0.25", "--trajectory-start-max-ratio=0.5", "--request-count=50"}, nil},
	}
}

// The recordings of the vectors.
const (
	none     = ""
	pinned   = "pinned"
	other    = "other"
	hub      = "hub"
	hub256   = "hub256"
	local    = "local"
	thinking = "thinking"
)

type vector struct {
	name, recording string
	flags           []string
	want            []string
}

// recordings makes the bundles of the vectors. The first flag of each is what the vector's user gives.
func recordings(t *testing.T) map[string][]string {
	const day = "semianalysis_cc_traces_weka_062126"
	repo := scenario.PinnedRepository
	with := func(name string, change func(*bundle.Recipe), flags ...string) []string {
		return append([]string{"--bundle", relabelled(t, name, change)}, flags...)
	}
	return map[string][]string{
		none:   nil,
		pinned: with("pinned", alias(day), "--public-dataset", strings.ReplaceAll(day, "_", "-")),
		other:  with("other", alias("semianalysis_cc_traces_weka"), "--public-dataset", "semianalysis_cc_traces_weka"),
		hub:    with("hub", repository(repo), "--hf-weka-dataset", repo),
		hub256: with("hub256", repository(repo+"-256k"), "--hf-weka-dataset", repo+"-256k"),
		local:  {"--bundle", sample(t)},
		thinking: with("thinking", func(r *bundle.Recipe) {
			alias(day)(r)
			r.Options.ThinkTimeOnly = true
		}, "--public-dataset", day),
	}
}

const mvp = "--scenario=inferencex-agentx-mvp"

func TestFlagVectors(t *testing.T) {
	bundles := recordings(t)
	for _, v := range vectors() {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			base := []string{mvp, "--url", "localhost:8000", "--model", "m", "--concurrency", "4"}
			code, _, errs := dryRun(t, slices.Concat(base, bundles[v.recording], v.flags)...)
			var got []string
			for line := range strings.Lines(errs) {
				if violation, ok := strings.CutPrefix(line, "  - "); ok && strings.Contains(violation, ": got ") {
					got = append(got, violation)
				}
			}
			agree := len(got) == len(v.want)
			for i := range min(len(got), len(v.want)) {
				agree = agree && strings.HasPrefix(got[i], v.want[i])
			}
			if !agree || (code == exit.Done) != (len(v.want) == 0) || code != exit.Done && code != exit.Usage {
				t.Errorf("exit code %d, violations\n%s\nwant %q; all of it:\n%s", code, strings.Join(got, ""), v.want, errs)
			}
		})
	}
}

// TestVectorsThatResolve looks at what vectors 1, 2, 6, 8, 16, 22 make of the settings.
func TestVectorsThatResolve(t *testing.T) {
	pinned := recordings(t)[pinned]
	base := slices.Concat([]string{mvp, "--url", "localhost:8000", "--model", "m"}, pinned)
	resolve := func(t *testing.T, flags ...string) dry {
		t.Helper()
		code, result, errs := dryRun(t, slices.Concat(base, flags)...)
		if code != exit.Done {
			t.Fatalf("exit code %d:\n%s", code, errs)
		}
		return result
	}
	t.Run("1 and 2", func(t *testing.T) {
		result := resolve(t, "--concurrency", "4")
		for name, want := range map[string]any{
			"streaming": true, "cache-bust": "first_turn_prefix", "system-idle-gap-cap-seconds": 10.0, "trajectory-start-min-ratio": 0.0,
			"trajectory-start-max-ratio": 1.0, "benchmark-duration": 1800.0, "benchmark-grace-period": 30.0, "request-count": -1.0,
		} {
			if got := result.Settings[name]; got != want {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		if extra := fmt.Sprint(result.Settings["extra-inputs"]); extra != "[ignore_eos:true]" {
			t.Errorf("extra inputs %s", extra)
		}
		if len(result.Runs) != 1 || result.Runs[0].Differs["random-seed"] != nil {
			t.Errorf("runs %+v: want one, whose seed is drawn when it begins", result.Runs)
		}
		if !strings.Contains(result.Notes[0].Text, "locks timing_mode, streaming, ignore_eos, forbid_ignore_trace_delays, forbid_input_truncation, require_loader, cache_bust, default_benchmark_duration, min_benchmark_duration, trajectory_start_ratios, system_idle_gap_cap, random_seed;") {
			t.Errorf("note %q", result.Notes[0].Text)
		}
	})
	t.Run("6 warns of each violation, 8 has none", func(t *testing.T) {
		warnings := func(d dry) (n int) {
			for _, note := range d.Notes {
				if note.Code == "unsafe_override" && strings.Contains(note.Text, "override active: ") {
					n++
				}
			}
			return n
		}
		if n := warnings(resolve(t, "--benchmark-duration=60", "--cache-bust=none", "--unsafe-override")); n != 2 {
			t.Errorf("%d warnings, want 2", n)
		}
		if n := warnings(resolve(t, "--unsafe-override")); n != 0 {
			t.Errorf("%d warnings without a violation", n)
		}
	})
	t.Run("16", func(t *testing.T) {
		if code, _, errs := dryRun(t, slices.Concat(base, []string{"--concurrency", "4,8"})...); code != exit.Usage || !strings.Contains(errs, "--unsafe-override") {
			t.Errorf("exit code %d, %s", code, errs)
		}
		result := resolve(t, "--concurrency", "4,8", "--unsafe-override")
		for i, want := range []struct{ concurrency, seed int }{{4, 42}, {8, 43}} {
			if run := result.Runs[i]; run.Concurrency != want.concurrency || run.Differs["sweep"] != true || seedOf(result, i) != float64(want.seed) {
				t.Errorf("run %d: %+v", i, run)
			}
		}
	})
	t.Run("22", func(t *testing.T) {
		result := resolve(t, "--num-profile-runs", "3")
		if len(result.Runs) != 3 || seedOf(result, 0) != 42 || seedOf(result, 2) != 42 {
			t.Errorf("%+v", result.Runs)
		}
	})
}

// seedOf is the seed of a run: its own where it differs.
func seedOf(result dry, run int) float64 {
	if own, differs := result.Runs[run].Differs["random-seed"].(float64); differs {
		return own
	}
	seed, _ := result.Settings["random-seed"].(float64)
	return seed
}

// TestVectorsThatAreErrors has vectors 13, 18, 23, 24 and 25: settings that are refused or accepted before
// a scenario judges.
func TestVectorsThatAreErrors(t *testing.T) {
	bundle := []string{"--bundle", sample(t), "--model", "m"}
	for _, c := range []struct {
		name  string
		flags []string
		code  int
		text  string
	}{
		{"13 warmup isolation", []string{mvp, "--unsafe-override", "--cache-bust", "warmup_isolation_first_turn"}, exit.Usage, `--cache-bust is "warmup_isolation_first_turn"`},
		{"18 two recordings", []string{mvp, "--hf-weka-dataset", scenario.PinnedRepository, "--public-dataset", scenario.ExampleAlias}, exit.Usage, "--public-dataset and --hf-weka-dataset name different recordings"},
		{"23 embeddings", []string{"--endpoint-type", "embeddings"}, exit.Usage, "agentx speaks chat completions only"},
		{"23 chat", []string{"--endpoint-type", "chat"}, exit.Done, ""},
		{"24 unknown scenario", []string{"--scenario", "nope"}, exit.Usage, `unknown scenario "nope": expected one of agentx, inferencex-agentx-mvp`},
		{"25 no scenario", nil, exit.Done, ""},
		{"25 no scenario, override", []string{"--unsafe-override"}, exit.Done, ""},
	} {
		code, result, errs := dryRun(t, slices.Concat(bundle, c.flags)...)
		if code != c.code || !strings.Contains(errs, c.text) {
			t.Errorf("%s: exit code %d, %s", c.name, code, errs)
		}
		if code == exit.Done && result.Settings["cache-bust"] != "none" {
			t.Errorf("%s: a scenario was applied: %v", c.name, result.Settings["cache-bust"])
		}
	}
}

// TestNightlyCommandLine is the whole command line of those who run this every night (spec users 1).
func TestNightlyCommandLine(t *testing.T) {
	const rolling = "semianalysis_cc_traces_weka_with_subagents"
	bundle := relabelled(t, "rolling", alias(rolling))
	line := "--scenario inferencex-agentx-mvp --url http://h:1 --endpoint /v1/chat/completions --endpoint-type chat --streaming --model org/name --tokenizer o200k_base" +
		" --concurrency 4 --benchmark-duration 3600 --stats-interval 30 --random-seed 42 --failed-request-threshold 0.10 --trajectory-start-min-ratio 0.25" +
		" --trajectory-start-max-ratio 0.75 --warmup-requests-per-lane 10 --trace-idle-gap-cap-seconds 300 --warmup-grace-period 1800 --use-server-token-count" +
		" --extra-inputs temperature:0 top_p:1 --no-gpu-telemetry --tokenizer-trust-remote-code --max-context-length 1000000 --num-dataset-entries 393" +
		" --slice-duration 1.0 --server-metrics http://h:1/metrics http://h:2/metrics --output-artifact-dir out --public-dataset " + rolling
	code, result, errs := dryRun(t, append(strings.Fields(line), "--bundle", bundle)...)
	if code != exit.Done {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for name, want := range map[string]string{
		"extra-inputs": "[temperature:0 top_p:1 ignore_eos:true]", "server-metrics": "[http://h:1/metrics http://h:2/metrics]", "agentic-warmup-grace-period": "1800",
		"artifact-dir": "out", "slice-duration": "1", "failed-request-threshold": "0.1", "trajectory-start-min-ratio": "0.25", "cache-bust": "first_turn_prefix",
	} {
		if got := fmt.Sprint(result.Settings[name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	var answered []string
	for _, note := range result.Notes {
		if note.Code == "flag_without_effect" {
			answered = append(answered, strings.Fields(note.Text)[0])
		}
	}
	if !slices.Equal(answered, []string{"--tokenizer-trust-remote-code", "--no-gpu-telemetry"}) {
		t.Errorf("answered %v", answered)
	}
}

// TestIdleCapOnABundleWithoutPauses is the first of case 47: the bundle makes a flag of the run idle.
func TestIdleCapOnABundleWithoutPauses(t *testing.T) {
	bundle := relabelled(t, "hasty", func(r *bundle.Recipe) { r.Options.IgnoreTraceDelays = true })
	code, result, errs := dryRun(t, "--bundle", bundle, "--model", "m", "--trace-idle-gap-cap-seconds", "5")
	if code != exit.Done || len(result.Notes) == 0 {
		t.Fatalf("exit code %d, notes %v, %s", code, result.Notes, errs)
	}
	found := slices.ContainsFunc(result.Notes, func(n struct{ Level, Code, Text string }) bool {
		return strings.Contains(n.Text, "--trace-idle-gap-cap-seconds has no effect with a bundle that was built with --ignore-trace-delays")
	})
	if !found {
		t.Errorf("notes %v", result.Notes)
	}
}

// TestScenarioAgentX resolves the second preset, whose defaults yield to flags (decision 17).
func TestScenarioAgentX(t *testing.T) {
	pinned := recordings(t)[pinned]
	code, result, errs := dryRun(t, append(slices.Clone(pinned), "--scenario", "agentx", "--model", "m", "--slice-duration", "2")...)
	if code != exit.Done {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for name, want := range map[string]any{
		"benchmark-duration": 3600.0, "trajectory-start-min-ratio": 0.25, "trajectory-start-max-ratio": 0.75, "random-seed": 42.0, "failed-request-threshold": 0.1,
		"warmup-requests-per-lane": 10.0, "agentic-warmup-grace-period": 1800.0, "trace-idle-gap-cap-seconds": 300.0, "use-server-token-count": true,
		"slice-duration": 2.0, "stats-interval": 30.0,
	} {
		if got := result.Settings[name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}
