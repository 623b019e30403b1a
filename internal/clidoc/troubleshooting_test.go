package clidoc

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentx/internal/exit"
	"agentx/internal/measure"

	"github.com/zeebo/blake3"
)

// entry is a heading of docs/troubleshooting.md with what makes the programs say it.
type entry struct {
	heading string
	codes   []string    // of the warnings that it is about
	provoke func(*room) // what the programs print then has every part of the heading
	proofs  []proof     // of the parts that a test of another package provokes
}

// proof is a text that a test of another package expects a program to print.
type proof struct{ part, file, text string }

// lines provokes by command lines alone; @ names a file of the shop.
func lines(commands ...string) func(*room) {
	return func(r *room) {
		for _, command := range commands {
			r.run(command)
		}
	}
}

// dry are command lines of agentx-run that stop before a server is needed.
func dry(flags ...string) func(*room) {
	return func(r *room) {
		for _, line := range flags {
			r.run("agentx-run --bundle @sample.agentx --model m --dry-run " + line)
		}
	}
}

// live runs the sample against a mock server.
func live(server []string, flags string) func(*room) {
	return func(r *room) {
		r.run("agentx-run --bundle @sample.agentx --model m --url " + r.serve(server...) + " --trace-idle-gap-cap-seconds 0.05 --artifact-dir out " + flags)
	}
}

// faults writes the rules of a mock server and is the flag that names them.
func faults(r *room, rules string) string {
	r.file("faults.json", `{"rules": [`+rules+`]}`)
	return "--faults=faults.json"
}

const (
	simulated = "agentx-run --bundle @sample.agentx --simulate --artifact-dir out "
	fromStart = "--trajectory-start-min-ratio 0 --trajectory-start-max-ratio 0 "
	mvp       = "--scenario inferencex-agentx-mvp "
)

// entries are those about the command line and the scenario.
func entries() []entry {
	return []entry{
		{"no bundle: give --bundle FILE · no bundle of this recording is in", nil, lines("agentx-run --model m --dry-run", "agentx-run --model m --dry-run --public-dataset semianalysis_cc_traces_weka_062126"), nil},
		{"is not what these flags ask for", nil, dry("--num-dataset-entries 1"), nil},
		{"unknown scenario", nil, dry("--scenario nope"), nil},
		{"conflicts", nil, dry(mvp+"--cache-bust none", mvp), nil},
		{"override active", []string{"unsafe_override"}, dry(mvp + "--unsafe-override --cache-bust none"), nil},
		{"has no effect with · has no effect:", []string{"flag_without_effect"}, dry("--url-scope tree --no-gpu-telemetry"), nil},
		{"is not of agentx-run", nil, dry("--request-rate 5"), nil},
		{"there is no flag · is given twice with different values · expected", nil, dry("--concurency 5", "--concurrency 3 --concurrency 4", "--concurrency 0"), nil},
		{"environment variables … differ · environment variable … is not known", []string{"unknown_variable"}, func(r *room) {
			r.env = append(r.env, "AGENTX_HTTP_IP_VERSION=4", "AIPERF_HTTP_IP_VERSION=6")
			dry("")(r)
			r.env = append(r.env[:len(r.env)-2], "AGENTX_CONCURENCY=4")
			dry("")(r)
		}, nil},
		{"environment variables without effect here", nil, func(r *room) {
			r.env = append(r.env, "AIPERF_DATASET_CONFIGURATION_TIMEOUT=1800")
			dry("")(r)
		}, nil},
		{"overwrites that field of every request · it would take the place of every conversation", []string{"extra_inputs"}, dry("--extra-inputs max_tokens:5", "--extra-inputs messages:1"), nil},
		{"the runs after the first find their prompts in the server's cache", []string{"warm_cache"}, dry("--num-profile-runs 2"), nil},
		{"may end the run before 95 % of its duration", []string{"early_stop"}, dry("--scenario agentx --unsafe-override --request-count 4"), nil},
		{"--apply-chat-template: tokenizer … has no chat template", []string{"chat_template"}, dry("--apply-chat-template"), nil},
		{"concurrency … exceeds the … distinct loaded traces", nil, lines(simulated + "--concurrency 50 --benchmark-duration 5"), nil},
		{"will send nothing after the warmup", []string{"lanes_without_session"}, dry("--concurrency 50 --num-sessions 2"), nil},
		{"lanes that play one trace send the same bytes", []string{"equal_texts"}, dry("--concurrency 50 --allow-dataset-wrap --benchmark-duration 5"), nil},
		{"with nothing to send for more than a tenth of the duration", []string{"late_lanes"}, lines(simulated + "--random-seed 1 --concurrency 4 --warmup-requests-per-lane 2 --benchmark-duration 20"), nil},
		{"no scenario, nothing judged", nil, lines(simulated + "--request-count 2"), nil},
		{"random seed:", nil, lines(simulated + "--request-count 2"), nil},
		{"intervals wider than … of their mean · not converged:", nil, lines(simulated + "--concurrency 2 --cache-bust first_turn_prefix --trajectory-start-min-ratio 0 --trajectory-start-max-ratio 1 " +
			"--dataset-sampling-strategy random --request-count 5 --num-profile-runs 3 --vary-seed-per-trial --convergence-metric request_latency --convergence-mode cv --convergence-threshold 0.0001"), nil},
		{"comparability note", nil, lines(simulated + "--request-count 2"), nil},
		{"trace … is skipped · empty trace pool", []string{"trace_skipped"}, func(r *room) {
			r.file("one.json", oneTurn)
			r.file("two.json", twoTurns)
			r.run("agentx-prep build --input-file one.json --ignore-trace-delays --no-cache -o one.agentx")
			r.run("agentx-prep build --input-file one.json --input-file two.json --ignore-trace-delays --no-cache -o two.agentx")
			r.run("agentx-run --bundle one.agentx --simulate --artifact-dir one --request-count 1")
			r.run("agentx-run --bundle two.agentx --simulate --artifact-dir two --request-count 1")
		}, nil},
	}
}

// oneTurn is a trace that without times has no middle to start in.
const (
	oneTurn  = `{"id":"one","block_size":64,"requests":[{"type":"n","t":0,"model":"m","in":64,"out":3,"hash_ids":[1]}]}`
	oddTrace = `{"id":"odd","block_size":64,"color":"red","requests":[{"type":"n","t":0,"model":"m","in":200,"out":0,"hash_ids":[1],"api_time":1},{"type":"n","t":4000,"model":"m","in":128,"out":3,"hash_ids":[1,2,3,4],"api_time":1}]}`
	twoTurns = `{"id":"slow","block_size":64,"requests":[{"type":"n","t":0,"model":"m","in":64,"out":3,"hash_ids":[1],"api_time":1},{"type":"n","t":4000,"model":"m","in":128,"out":3,"hash_ids":[1,2],"api_time":1}]}`
)

// fileEntries are those about bundles, recordings, logs and results.
func fileEntries() []entry {
	return []entry{
		{"holds a run already · a run is writing into", nil, func(r *room) {
			r.run(simulated + "--request-count 2")
			r.run(simulated + "--request-count 2")
		}, []proof{{"a run is writing into", "internal/run/artifacts_test.go", `"a run is writing into"`}}},
		{"is not a bundle · is damaged · this program reads formats up to", nil, func(r *room) {
			r.file("no.agentx", "nothing")
			r.copy("@sample.agentx", "cut.agentx", func(b []byte) []byte { return b[:len(b)/2] })
			r.run("agentx-prep check no.agentx")
			r.run("agentx-prep check cut.agentx")
			r.copy("@sample.agentx", "new.agentx", newerFormat)
			r.run("agentx-prep check new.agentx")
		}, nil},
		{"no trace is left", nil, func(r *room) {
			r.file("one.json", oneTurn)
			r.run("agentx-prep build --input-file one.json --max-context-length 1 --no-cache -o x.agentx")
		}, nil},
		{"is a directory without traces · cannot be read: no such file or directory", nil, func(r *room) {
			if err := os.Mkdir(filepath.Join(r.dir, "empty"), 0o755); err != nil {
				r.t.Fatal(err)
			}
			lines("agentx-prep build --input-file empty --no-cache -o x.agentx", "agentx-prep build --input-file missing --no-cache -o x.agentx")(r)
		}, nil},
		{"is cut off: the text ends · expected an integer from", nil, func(r *room) {
			r.file("cut.json", oneTurn[:60])
			r.file("odd.json", strings.Replace(oneTurn, `"in":64`, `"in":-64`, 1))
			lines("agentx-prep build --input-file cut.json --no-cache -o x.agentx", "agentx-prep build --input-file odd.json --no-cache -o x.agentx")(r)
		}, nil},
		{"is over 60 s · is 0, sent with a limit of 1 · fewer block ids than · more block ids than · the unknown field", nil, func(r *room) {
			r.file("odd.json", oddTrace)
			r.run("agentx-prep build --input-file odd.json --no-cache -o x.agentx")
		}, nil},
		{"(evidence: local)", nil, func(r *room) {
			if err := os.Mkdir(filepath.Join(r.dir, "mirror"), 0o755); err != nil {
				r.t.Fatal(err)
			}
			r.file("mirror/train.json", oddTrace)
			r.run("agentx-prep build --public-dataset semianalysis_cc_traces_weka_062126 --mirror mirror --no-cache -o x.agentx")
		}, nil},
		{"is in this folder already", nil, func(r *room) {
			r.run(simulated + "--request-count 2")
			r.file("report.html", "another page")
			r.run("agentx-analyze report out out")
		}, nil},
		{"the run is going on", nil, nil, []proof{{"the run is going on", "cmd/agentx-analyze/testdata/script/log.txtar", "the run is going on"}}},
		{"there is no public data set · HF_HUB_OFFLINE is set", nil, lines("agentx-prep build --public-dataset nope", "agentx-prep build --public-dataset semianalysis_cc_traces_weka_062126"), nil},
		{"the tokenizer", nil, func(r *room) {
			r.file("one.json", oneTurn)
			r.run("agentx-prep build --input-file one.json --tokenizer nobody/nothing --no-cache -o x.agentx")
		}, nil},
		{"its log has no closing event", nil, nil, []proof{{"its log has no closing event", "cmd/agentx-analyze/testdata/script/verify.txtar", "its log has no closing event"}}},
		{"file does not exist; expected a run folder or a run.db", nil, lines("agentx-analyze summary missing"), nil},
		{"the path is too long", nil, lines("agentx-run --bundle @sample.agentx --simulate --request-count 2 --artifact-dir " + strings.Repeat("x/", 260)), nil},
		{"is in the selection", nil, lines(simulated+"--request-count 2", "agentx-analyze summary out --from 9999"), nil},
		{"it stands on both sides", nil, lines(simulated+"--request-count 2", "agentx-analyze diff out out"), nil},
		{"is cut at byte · damages", nil, func(r *room) {
			r.run(simulated + "--request-count 20")
			r.copy("out/run.db", "cut.db", func(b []byte) []byte { return b[:len(b)*3/5] })
			r.copy("out/run.db", "flipped.db", func(b []byte) []byte {
				for i := len(b) / 2; i < len(b)/2+400; i++ {
					b[i] ^= 0x55
				}
				return b
			})
			lines("agentx-analyze verify cut.db", "agentx-analyze verify flipped.db")(r)
		}, nil},
		{"left out:", nil, lines(simulated+"--request-count 2", "agentx-analyze export out -o raw --export-level raw"), nil},
		{"does not fit its schema", nil, func(r *room) {
			r.file("validity.json", "{}")
			r.run("agentx-analyze validate validity.json")
		}, nil},
		{"Pages have no interactive chart", nil, nil, []proof{{"Pages have no interactive chart", "internal/view/swimlane/html_test.go", "func TestPageWithoutChartScriptCarriesTheDrawing("}}},
		{"are safe on disk", nil, nil, []proof{{"are safe on disk", "cmd/agentx-run/disk_test.go", `"are safe on disk"`}}},
		{"disagreement", nil, nil, []proof{{"disagreement", "cmd/agentx-analyze/testdata/script/verify.txtar", "disagreement: machine: event"}}},
		{"this client uses … of all cores · requests go out late", []string{"client_busy", "client_late"}, nil, []proof{
			{"this client uses", "internal/run/honesty_test.go", `"client_busy"`}, {"of all cores", "internal/run/honesty_test.go", `"client_busy"`}, {"requests go out late", "internal/run/honesty_test.go", `"client_late"`}}},
		{"the limit of open files is", []string{"open_files"}, nil, []proof{{"the limit of open files is", "cmd/agentx-run/testdata/script/effects.txtar", "the limit of open files is 70, but 10 lanes need 74"}}},
	}
}

// newerFormat makes a bundle one of format 7 (docs/bundle-format.md, footer).
func newerFormat(b []byte) []byte {
	footer := b[len(b)-64:]
	binary.LittleEndian.PutUint32(footer[48:], 7)
	frame := b[binary.LittleEndian.Uint64(footer[32:]) : len(b)-64]
	digest := blake3.Sum256(slices.Concat(frame, footer[32:]))
	copy(footer, digest[:])
	return b
}

// serverEntries are those about servers.
func serverEntries() []entry {
	return []entry{
		{"no server can be reached", nil, lines("agentx-run --bundle @sample.agentx --model m --url http://127.0.0.1:9 --request-count 1 --artifact-dir out"), nil},
		{"is not ready: gave up after …", nil, lines("agentx-run --bundle @sample.agentx --model m --url http://127.0.0.1:9 --wait-for-model-timeout 0.1 --wait-for-model-interval 0.05 --artifact-dir out"), nil},
		{"--reset-kv-cache: emptying the cache of …", nil, live(nil, "--reset-kv-cache-path /nothing --reset-kv-cache-timeout-seconds 0.2"), nil},
		{"starting the profiler of …", []string{"server_profiler"}, live(nil, "--request-count 1 --burst-phase-starts --server-profiler-start-path /nothing --server-profiler-timeout-seconds 0.2"), nil},
		{"expected a page in Prometheus' text form", []string{"server_metrics"}, func(r *room) {
			url := r.serve()
			r.run("agentx-run --bundle @sample.agentx --model m --url " + url + " --server-metrics " + url + "/nothing --trace-idle-gap-cap-seconds 0.05 --burst-phase-starts --request-count 2 --artifact-dir out")
		}, nil},
		{"does not list the model", []string{"model_not_listed"}, live([]string{"--model", "other"}, "--burst-phase-starts --request-count 1"), nil},
		{"has a context window of … tokens, but … requests … need more", []string{"window_too_small"}, live([]string{"--window-tokens", "2000"}, "--burst-phase-starts --request-count 1"), nil},
		{"the server counts … times the prompt tokens", []string{"token_count_agreement"}, live(nil, "--burst-phase-starts --request-count 3"), nil}, // by bytes, not by tokens
		{"tokens where … was …: the server does not keep to it", []string{"limit_not_honoured"}, func(r *room) {
			live([]string{faults(r, `{"fault": "chunk_extensions", "tokens": 3}`)}, "--burst-phase-starts --request-count 1")(r)
		}, nil},
		{"an error looks like a full context window", []string{"overflow_like"}, func(r *room) {
			live([]string{faults(r, `{"fault": "status", "status": 400, "body": "{\"error\":{\"message\":\"too many tokens\",\"param\":\"max_completion_tokens\",\"code\":400}}", "from": 1}`)}, fromStart+"--concurrency 1 --burst-phase-starts --request-count 2")(r)
		}, nil},
		{"warmup request of trace … failed, aborting run early", []string{"warmup_failure"}, func(r *room) {
			live([]string{faults(r, `{"fault": "status_404_model"}`)}, "--random-seed 1 --concurrency 8 --cache-bust first_turn_prefix --burst-phase-starts --request-count 1")(r)
		}, nil},
		{"the warmup sends its requests over …", []string{"long_warmup_ramp"}, func(r *room) {
			r.file("slow.json", twoTurns)
			r.run("agentx-prep build --input-file slow.json --no-cache -o slow.agentx")
			r.runUntil("the warmup sends its requests over", "agentx-run --bundle slow.agentx --model m --url "+r.serve()+" --concurrency 3 --cache-bust first_turn_prefix --random-seed 42 --trajectory-start-min-ratio 0.9 --trajectory-start-max-ratio 1 --artifact-dir out")
		}, nil},
		{"NOTHING SUCCEEDED", nil, func(r *room) {
			live([]string{faults(r, `{"fault": "status"}`)}, fromStart+"--burst-phase-starts --request-count 3")(r)
		}, nil},
		{"Error Summary", nil, everyClass, nil},
		{"Hint:", nil, func(r *room) {
			live([]string{faults(r, `{"fault": "status_429"}`)}, fromStart+"--burst-phase-starts --request-count 3")(r)
		}, nil},
		{"Token counts: … requests differ by more than", nil, live(nil, fromStart+"--burst-phase-starts --request-count 3"), nil}, // by bytes
		{"Output lengths: … requests are off by more than", nil, func(r *room) { // of four tokens
			live([]string{faults(r, `{"fault": "pings"}`)}, fromStart+"--burst-phase-starts --request-count 3")(r)
		}, nil},
		{"answers report cached tokens", nil, func(r *room) { // without usage there are none
			live([]string{faults(r, `{"fault": "open_after_finish"}`)}, fromStart+"--burst-phase-starts --request-count 3 --finish-grace-seconds 0.1")(r)
		}, nil},
		{"too short for rates", nil, lines(simulated + "--benchmark-duration 0.01"), nil},
		{"a request was not answered · something that a replay rests on is missing", nil, func(r *room) {
			for _, fault := range []string{"status_401_echo", "json_answer"} {
				r.run("agentx-run probe --model m --url " + r.serve(faults(r, `{"fault": "`+fault+`"}`)))
			}
		}, nil},
	}
}

// classRules order a fault for each class of failure, and odd success, that a server can bring about.
const classRules = `{"fault": "status", "from": 0, "times": 1}, {"fault": "reset_mid_stream", "from": 1, "times": 1}, {"fault": "stall_before_head", "from": 2, "times": 1},
{"fault": "in_stream_error", "from": 3, "times": 1}, {"fault": "empty_stream", "from": 4, "times": 1}, {"fault": "line_over_bound", "from": 5, "times": 1},
{"fault": "no_visible_output", "from": 6, "times": 1}, {"fault": "json_answer", "from": 7, "times": 1}, {"fault": "open_after_finish", "from": 8, "times": 1}`

// everyClass makes a run with every class that a server can bring about; the document has each.
func everyClass(r *room) {
	live([]string{faults(r, classRules)}, fromStart+"--burst-phase-starts --request-count 12 --request-timeout-seconds 2 --finish-grace-seconds 0.1 --concurrency 1")(r)
	document, classes := document(r.t), regexp.MustCompile(`"class":"([a-z_]+)"`)
	found := map[string]bool{}
	for _, match := range classes.FindAllStringSubmatch(r.read("out/records.jsonl"), -1) {
		found[match[1]] = true
		if !strings.Contains(document, "`"+match[1]+"`") {
			r.t.Errorf("class %s is not in the document", match[1])
		}
	}
	for _, class := range []string{"http", "transport", "timeout", "in_stream", "incomplete_stream", "line_too_long", "no_visible_output", "not_streamed", "no_end"} {
		if !found[class] {
			r.t.Errorf("no request ended with class %s", class)
		}
	}
}

func document(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// explained are headings that explain what has no words of its own: tables of codes and reasons, which
// TestReasonsNotesAndCodesAreExplained holds against the programs.
func explained() []string { return []string{"Exit codes", "The verdict is invalid"} }

// TestTroubleshootingEntriesAreWhatTheProgramsSay provokes every entry of docs/troubleshooting.md: each part
// of a heading is in what the programs print, or a test of another package expects it.
func TestTroubleshootingEntriesAreWhatTheProgramsSay(t *testing.T) {
	all := slices.Concat(entries(), fileEntries(), serverEntries())
	var headings []string
	for line := range strings.Lines(document(t)) {
		if heading, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			headings = append(headings, heading)
		}
	}
	for _, heading := range headings {
		if !slices.Contains(explained(), heading) && !slices.ContainsFunc(all, func(e entry) bool { return e.heading == heading }) {
			t.Errorf("no test provokes the entry %q", heading)
		}
	}
	for _, e := range all {
		if !slices.Contains(headings, e.heading) {
			t.Errorf("docs/troubleshooting.md has no entry %q", e.heading)
		}
		t.Run(e.heading, func(t *testing.T) {
			t.Parallel()
			e.check(t)
		})
	}
}

func (e *entry) check(t *testing.T) {
	r := newRoom(t)
	if e.provoke != nil {
		e.provoke(r)
	}
	proven := map[string]bool{}
	for _, proof := range e.proofs {
		text, err := os.ReadFile(filepath.Join("..", "..", proof.file))
		if err != nil || !strings.Contains(string(text), proof.text) {
			t.Errorf("%s is to expect %q: %v", proof.file, proof.text, err)
		}
		proven[proof.part] = true
	}
	for alternative := range strings.SplitSeq(e.heading, " · ") {
		for part := range strings.SplitSeq(alternative, "…") {
			if part = strings.TrimSpace(part); !proven[part] && !strings.Contains(r.printed.String(), part) {
				t.Errorf("%q is not printed:\n%s", part, r.printed)
			}
		}
	}
}

// TestEveryWarningHasAnEntry looks for the codes of warnings in the programs' source.
func TestEveryWarningHasAnEntry(t *testing.T) {
	known := map[string]bool{}
	for _, e := range slices.Concat(entries(), fileEntries(), serverEntries()) {
		for _, code := range e.codes {
			known[code] = true
		}
	}
	warns := regexp.MustCompile(`(?:\bwarn\(|\.warn\(|\.notice\(|note\("warning", |Notice\("warning", |Level: "warning", Code: )"([a-z_]+)"`)
	found := 0
	for _, pattern := range []string{"../run/*.go", "../../cmd/*/*.go", "../simulate/*.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, match := range warns.FindAllStringSubmatch(string(text), -1) {
				if found++; !known[match[1]] {
					t.Errorf("%s warns with code %s, which no entry of docs/troubleshooting.md is about", path, match[1])
				}
			}
		}
	}
	if found < len(known) {
		t.Errorf("%d warnings found in the source, %d codes in the entries", found, len(known))
	}
}

// TestEveryNoteOnARecordingHasARow looks for what agentx-prep notes in its source: the longest piece of each text that
// does not depend on the recording is in the table.
func TestEveryNoteOnARecordingHasARow(t *testing.T) {
	source, err := os.ReadFile("../prep/summary.go")
	if err != nil {
		t.Fatal(err)
	}
	text := document(t)
	added := regexp.MustCompile(`\n\t+add\(.*?, "((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(string(source), -1)
	if len(added) < 15 {
		t.Errorf("only %d notes found in the source", len(added))
	}
	for _, note := range added {
		pieces := regexp.MustCompile(`\{[^}]*\}|%[.0-9]*[a-z]|[,;:()]`).Split(note[1], -1)
		if !slices.ContainsFunc(pieces, func(piece string) bool {
			piece = strings.TrimSpace(piece)
			return len(piece) > 8 && regexp.MustCompile("(?m)^\\| `[^`]*"+regexp.QuoteMeta(piece)).MatchString(text)
		}) {
			t.Errorf("docs/troubleshooting.md has no row for the note %q", note[1])
		}
	}
}

// TestReasonsNotesAndCodesAreExplained: what has a table has a row.
func TestReasonsNotesAndCodesAreExplained(t *testing.T) {
	text := document(t)
	wanted := []string{
		"unsafe_override", "scenario_with_sweep", // of the scenario
		measure.ReasonOverflowRate, measure.ReasonRunCancelled, measure.ReasonCoverage, measure.ReasonCoverageUnknown,
		"clones", "client_limited", "usage", "reuse_captured", "streaming", "overflow_phrase", "simulate",
	}
	for _, word := range wanted {
		if !strings.Contains(text, "| `"+word+"` |") {
			t.Errorf("docs/troubleshooting.md has no row for %s", word)
		}
	}
	for _, code := range []int{exit.Done, exit.Failure, exit.Usage, exit.Invalid, exit.Input, exit.Damage, exit.Interrupted} {
		if !regexp.MustCompile(`(?s)## Exit codes\n[^#]*\b` + strconv.Itoa(code) + ` `).MatchString(text) {
			t.Errorf("docs/troubleshooting.md does not say what exit code %d means", code)
		}
	}
}
