package measure

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"agentx/corpus"
	"agentx/internal/scenario"
)

// Note is something that makes a run hard to compare with others although it breaks no rule
// (decision 19).
type Note struct {
	Setting  string // or what was observed
	Value    string
	Default  string // of an observation: what was expected
	Effect   string
	Observed bool // happened in the run, was not set
}

// Text is the note in one line.
func (n Note) Text() string {
	sign, usual := " = ", "default"
	if n.Observed {
		sign, usual = ": ", "expected"
	}
	text := n.Setting + sign + n.Value
	if n.Default != "" {
		text += " (" + usual + " " + n.Default + ")"
	}
	return text + ": " + n.Effect
}

// Note is the note of that name; false where the run has none.
func (v *Verdict) Note(setting string) (Note, bool) {
	at := slices.IndexFunc(v.Notes, func(n Note) bool { return n.Setting == setting })
	if at < 0 {
		return Note{}, false
	}
	return v.Notes[at], true
}

// idleCap is the setting that a scenario gives another default.
const idleCap = "system-idle-gap-cap-seconds"

// noted are settings that change the workload, with their defaults as shown; an empty default means
// that the setting is usually not given.
func noted() []Note {
	return []Note{
		{Setting: "request-count", Effect: "the run stops after so many requests"},
		{Setting: "num-sessions", Effect: "the run stops after so many sessions"},
		{Setting: "dataset-sampling-strategy", Default: "sequential", Effect: "traces come in another order"},
		{Setting: "burst-phase-starts", Default: "false", Effect: "first requests of a phase are sent at once"},
		{Setting: "prefill-concurrency", Effect: "requests wait for a prefill slot"},
		{Setting: "concurrency-ramp-duration", Effect: "lanes open one after the other"},
		{Setting: idleCap, Default: "10", Effect: "time in which the whole system is idle is cut"},
		{Setting: "trace-idle-gap-cap-seconds", Effect: "idle time of a session tree is cut"},
		{Setting: "agentic-cache-warmup-duration", Effect: "a cache-pressure warmup precedes profiling"},
		{Setting: "warmup-requests-per-lane", Effect: "a cache-pressure warmup precedes profiling"},
		{Setting: "join-policy", Default: "max", Effect: "turns that wait for subagents go earlier"},
		{Setting: "spawn-policy", Default: "recorded", Effect: "subagents start earlier"},
		{Setting: "handoff-clock", Default: "auto", Effect: "first times of profiling follow another clock"},
		{Setting: "dag-fail-fast", Default: "off", Effect: "a failed subagent ends more than itself"},
		{Setting: "overflow-backoff", Default: "1", Effect: "lanes wait another time after an overflow"},
		{Setting: "trajectory-start-at", Effect: "all sessions start at one instant of their trace"},
		{Setting: "url-scope", Default: "session", Effect: "subagents use their root's server"},
		{Setting: "request-cancellation-rate", Effect: "some requests are cancelled on purpose"},
		{Setting: "per-chunk-usage", Default: "false", Effect: "the server counts tokens in every chunk"},
		{Setting: "connection-reuse-strategy", Default: "pooled", Effect: "connections are opened more often"},
	}
}

// notes lists what makes the run hard to compare.
func (r *Run) notes() []Note {
	var list []Note
	if r.Config.Simulated {
		list = append(list, Note{Setting: "simulate", Value: "true", Effect: "no server was measured: all figures are those of a model"})
	}
	for _, note := range noted() {
		if note.Setting == idleCap && r.Config.Scenario == "" {
			note.Default = "" // 10 s is what the scenarios lock; without one nothing is cut
		}
		if value, differs := r.setting(note); differs {
			note.Value = value
			list = append(list, note)
		}
	}
	if min, max := r.Settings.Text("trajectory-start-min-ratio"), r.Settings.Text("trajectory-start-max-ratio"); r.Config.Scenario == scenario.MVP && (min != "0" || max != "1") {
		list = append(list, Note{Setting: "trajectory-start-min-ratio, -max-ratio", Value: min + ", " + max, Default: "0, 1", Effect: "sessions start in another part of their traces"})
	}
	if extra := r.otherInputs(); extra != "" {
		note := Note{Setting: "extra-inputs", Value: extra, Effect: "request bodies carry more fields"}
		if r.Config.Scenario != "" {
			note.Default = fullOutput
		}
		list = append(list, note)
	}
	list = append(list, r.contentNotes()...)
	observed := append(r.cloneNotes(), r.observedNotes()...)
	for i := range observed {
		observed[i].Observed = true
	}
	return append(list, observed...)
}

// setting is a setting's value as shown; false where it is the default, or unset.
func (r *Run) setting(note Note) (string, bool) {
	value := r.Settings.Text(note.Setting)
	switch {
	case value == "" || value == note.Default || value == "NaN" || strings.HasPrefix(value, "-"):
		return "", false
	case note.Default == "" && (value == "false" || value == "0"):
		return "", false
	}
	return value, true
}

func (r *Run) otherInputs() string {
	words := slices.DeleteFunc(slices.Clone(r.Settings.List("extra-inputs")), func(word string) bool { return word == fullOutput })
	return strings.Join(words, " ")
}

// fullOutput is the extra input that asks a server not to end an answer before its limit.
const fullOutput = "ignore_eos:true"

// AsksForFullOutput tells whether the run's requests ask the server not to end answers before their limit.
func (r *Run) AsksForFullOutput() bool {
	return slices.Contains(r.Settings.List("extra-inputs"), fullOutput)
}

func (r *Run) contentNotes() []Note {
	var list []Note
	content := scenario.ContentOf(r.Config.Bundle.Manifest)
	if scenario.Rolling(content.Loader) {
		list = append(list, Note{Setting: "public-dataset", Value: content.Loader, Effect: "a rolling alias; it stood for " + content.Repository + " " + content.Revision})
	}
	return append(list, r.buildNotes()...)
}

// buildNotes lists the settings with which the bundle was built that are not the defaults: they change
// what is replayed (decision 17).
func (r *Run) buildNotes() []Note {
	recipe, _ := r.Config.Bundle.Manifest["recipe"].(map[string]any)
	options, _ := recipe["options"].(map[string]any)
	text, err := json.Marshal(corpus.DefaultOptions())
	var usual map[string]any
	if err != nil || json.Unmarshal(text, &usual) != nil {
		return nil
	}
	var list []Note
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if usual, known := usual[name]; known && !reflect.DeepEqual(options[name], usual) {
			list = append(list, Note{Setting: "bundle: " + name, Value: fmt.Sprint(options[name]), Default: fmt.Sprint(usual), Effect: "the bundle was built with another value"})
		}
	}
	return list
}

// cloneNotes tells where several lanes or plays replay the same trace.
func (r *Run) cloneNotes() []Note {
	plays, lanes := map[string]int{}, map[int]bool{}
	total := 0
	effect := "the same sessions are replayed again"
	for _, play := range r.Plays {
		if play != nil {
			if play.Marker == "" {
				effect = "the same sessions are replayed again with the same bytes: cache hits include replays"
			}
			plays[play.Trace]++
			lanes[play.Lane] = true
			total++
		}
	}
	if len(plays) == 0 || total == len(plays) {
		return nil
	}
	most := 0
	for _, n := range plays {
		most = max(most, n)
	}
	return []Note{{Setting: "clones", Value: fmt.Sprintf("%d plays of %d traces on %d lanes, at most %d of one trace", total, len(plays), len(lanes), most), Effect: effect}}
}

// NoteReuse is the note that the server had more cached than this run had sent it in full blocks.
const NoteReuse = "reuse_captured"

// grouped is a count with a comma at each thousand.
func grouped(count int64) string {
	text := strconv.FormatInt(count, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// observedNotes are what happened in the run rather than what was set.
func (r *Run) observedNotes() []Note {
	var list []Note
	reported, valid, whole := 0, 0, 0
	var cached, reach int64
	added := map[string]int{}
	for _, record := range r.Records {
		if record.Phase != PhaseProfiling {
			continue
		}
		if record.OverflowPhrase != "" {
			added[record.OverflowPhrase]++
		}
		if record.Valid() {
			valid++
			if read := record.Tokens.Usage.CacheRead; read.Known() && record.Plan.ReachTokens.Known() {
				cached += int64(read)
				reach += int64(record.Plan.ReachTokens)
			}
			if !record.Streams {
				whole++
			}
			if record.Tokens.Usage.Reported {
				reported++
			}
		}
	}
	if reasons := r.Bottleneck(); len(reasons) > 0 {
		list = append(list, Note{Setting: "client_limited", Value: strings.Join(reasons, ", "), Default: "lateness p99 " + clientLateWords + ", at most 85 % of the cores", Effect: "the client, not the server, may have shaped the load"})
	}
	if valid > 0 && reported < valid {
		list = append(list, Note{Setting: "usage", Value: fmt.Sprintf("%d of %d responses had usage", reported, valid), Default: "all", Effect: "server-side token counts are incomplete"})
	}
	if cached > reach {
		list = append(list, Note{Setting: NoteReuse, Value: grouped(cached) + " tokens cached, " + grouped(reach) + " reachable in this run",
			Effect: "a warm or shared cache, or smaller blocks (docs/troubleshooting.md)"})
	}
	if whole > 0 && r.Settings.Bool("streaming") {
		list = append(list, Note{Setting: "streaming", Value: fmt.Sprintf("%d of %d answers came in one piece", whole, valid), Default: "none", Effect: "the server did not stream them: they have no time to first token and no inter-token latency"})
	}
	for _, phrase := range ourPhrases() {
		if added[phrase] > 0 {
			list = append(list, Note{Setting: "overflow_phrase", Value: fmt.Sprintf("%q matched %d times", phrase, added[phrase]), Effect: "an overflow that the peer would count as an error"})
		}
	}
	return list
}

// ourPhrases are overflow phrases that the peer does not have (decision 14).
func ourPhrases() []string { return []string{"available context size", "exceed_context_size"} }
