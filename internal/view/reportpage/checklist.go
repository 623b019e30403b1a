package reportpage

import (
	"fmt"
	"math"
	"strings"

	"agentx/internal/measure"
	"agentx/internal/scenario"
	"agentx/internal/view/paper"
)

// answer is what a row of the checklist says.
type answer string

const (
	yes  answer = "yes"
	look answer = "look" // usable only by someone who knows why
	no   answer = "no"
	none answer = "–" // does not apply
)

// check is one row: a question, its answer, and the evidence.
type check struct {
	question string
	answer
	evidence []string
}

// checklist asks what must hold before a number leaves the run.
func checklist(r *Run) *paper.Table {
	t := &paper.Table{Header: []string{"check", "answer", "evidence"}, Texts: 3}
	for _, c := range checks(r) {
		t.Row(c.question, string(c.answer), strings.Join(c.evidence, "; "))
		t.Mark(1, map[answer]paper.Tone{yes: paper.Good, look: paper.Warn, no: paper.Bad, none: paper.Dim}[c.answer])
	}
	return t
}

func checks(r *Run) []check {
	return []check{allRan(r), intended(r), cacheKnown(r), reasoningSplit(r), reproducible(r), objectives(r), clientInTime(r)}
}

// fewFailures is the share of failed requests that is only worth a look.
const fewFailures = 0.01

func allRan(r *Run) check {
	c := check{question: "All requests ran", answer: yes}
	p, t := &r.Population, r.Own.Totals
	c.evidence = append(c.evidence, fmt.Sprintf("%d sent, %d valid", p.Sent, t.Valid))
	for _, outcome := range measure.Outcomes() {
		if n := p.Outcomes[outcome]; n > 0 && outcome != measure.OutcomeOK {
			c.evidence = append(c.evidence, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(outcome), "_", " ")))
		}
	}
	failed := t.Errors + t.Skipped
	switch {
	case !r.Verdict.Complete:
		c.answer = no
		c.evidence = append(c.evidence, r.Verdict.Incomplete())
	case p.Sent == 0 || t.Valid == 0 || float64(failed) > fewFailures*float64(p.Sent):
		c.answer = no
	case failed > 0 || p.Outcomes[measure.OutcomeAbandoned] > 0 || t.NoVisible > 0:
		c.answer = look
	}
	if failed > 0 {
		c.evidence = append(c.evidence, "latencies are of the requests that succeeded; failures are listed below")
	}
	return c
}

// sameLength is how far mean lengths may be from the recorded ones.
const sameLength = 0.01

// intended holds what was sent and answered against the recording, over the same turns.
func intended(r *Run) check {
	c := check{question: "The workload is the intended one", answer: yes}
	var in, recordedIn, out, recordedOut, server, local float64
	turns := 0
	for _, q := range r.Selected {
		if !q.Valid() || !q.Plan.In.Known() || !q.Tokens.LocalInput.Known() {
			continue
		}
		turns++
		in, recordedIn = in+float64(q.Tokens.LocalInput), recordedIn+float64(q.Plan.In)
		if q.OSL().Known() {
			out, recordedOut = out+float64(q.OSL()), recordedOut+float64(q.MaxTokens.Or(q.Plan.Out.Or(0)))
		}
		if q.Tokens.Usage.Prompt.Known() {
			server, local = server+float64(q.Tokens.Usage.Prompt), local+float64(q.Tokens.LocalInput)
		}
	}
	if turns == 0 {
		c.answer = no
		c.evidence = []string{"no answered turn has a recorded length"}
		return c
	}
	n := float64(turns)
	c.evidence = append(c.evidence,
		fmt.Sprintf("mean input %s tokens, recorded for the same %d turns %s (the cache-bust marker comes on top)", paper.Number(in/n), turns, paper.Number(recordedIn/n)),
		fmt.Sprintf("mean output %s tokens, asked for %s", paper.Number(out/n), paper.Number(recordedOut/n)))
	if math.Abs(out-recordedOut) > sameLength*recordedOut {
		c.answer = look
		c.evidence = append(c.evidence, "answers are not as long as was asked for: "+map[bool]string{
			false: "the requests do not ask for it (--extra-inputs ignore_eos:true)",
			true:  "ignore_eos:true was sent, but may not be honoured",
		}[r.AsksForFullOutput()])
	}
	if server > 0 && math.Abs(server-local) > 0.05*local {
		c.answer = look
		c.evidence = append(c.evidence, fmt.Sprintf("the server counts %.3f times the prompt tokens that the bundle's tokenizer gives", server/local))
	}
	for _, note := range r.Verdict.Notes {
		if note.Setting == "clones" {
			c.evidence = append(c.evidence, note.Value)
		}
	}
	return c
}

// beyondReach is how much more than reachable may be reported as cached, for templates and partial blocks.
const beyondReach = 1.05

func cacheKnown(r *Run) check {
	c := check{question: "The state of the cache is known", answer: yes}
	marker := r.Settings.Text("cache-bust")
	if marker == "" || marker == "none" {
		c.answer = look
		c.evidence = append(c.evidence, "no cache-bust marker: trees of one trace share their prompts, and so do earlier runs with this corpus; restart the server or reset its cache between runs")
	} else {
		c.evidence = append(c.evidence, "every tree has its own marker ("+marker+"), so nothing behind it can come from earlier runs or plays")
	}
	captured := &r.Own.Totals.Captured
	if captured.Reporting == 0 {
		c.answer = look
		c.evidence = append(c.evidence, "the server reports no cached tokens: its cache cannot be checked")
		return c
	}
	reports := fmt.Sprintf("%d of %d answers report cached tokens", captured.Reporting, r.Own.Totals.Valid)
	note, beyond := r.Verdict.Note(measure.NoteReuse)
	if !beyond {
		c.evidence = append(c.evidence, reports+fmt.Sprintf(": %s of %s reachable ones", count(captured.Cached), count(captured.Reach)))
		return c
	}
	c.evidence = append(c.evidence, reports, note.Text())
	if captured.Reach > 0 && float64(captured.Cached) > beyondReach*float64(captured.Reach) {
		c.answer = look
	}
	return c
}

func count(n int64) string { return paper.Number(float64(n)) }

func reasoningSplit(r *Run) check {
	c := check{question: "Reasoning is told from text", answer: none}
	reasoning, late := 0, 0
	for _, q := range r.Selected {
		if !q.Valid() {
			continue
		}
		if q.Tokens.Reasoning.Or(0) > 0 || q.Tokens.Usage.Reasoning.Or(0) > 0 {
			reasoning++
			if !q.Times.FirstText.Known() || q.Times.FirstText > q.Times.First {
				late++
			}
		}
	}
	switch {
	case reasoning == 0:
		c.evidence = []string{"no reasoning was seen: time to first token and to first output token are the same"}
	case late > 0:
		c.answer = yes
		c.evidence = []string{fmt.Sprintf("%d answers reasoned; in %d of them the first text came after the first token", reasoning, late)}
	default:
		c.answer = look
		c.evidence = []string{fmt.Sprintf("%d answers have reasoning tokens, but none of them shows reasoning apart from text: a reasoning parser is missing on the server", reasoning)}
	}
	return c
}

func reproducible(r *Run) check {
	c := check{question: "The run can be repeated", answer: yes}
	content := scenario.ContentOf(r.Config.Bundle.Manifest)
	c.evidence = append(c.evidence, fmt.Sprintf("seed %d, bundle %s, client %s", r.Config.Seed, short(r.Config.Bundle.ContentDigest), strings.TrimSpace(r.Config.Version+" "+r.Config.Commit)))
	if strings.HasSuffix(r.Config.Version, "dirty") {
		c.answer = look
		c.evidence = append(c.evidence, "the client was built from a changed checkout: its commit does not say what ran")
	}
	if name := tokenizer(r.Config.Bundle.Manifest); name != "" {
		c.evidence = append(c.evidence, "tokenizer "+name+", kept in the bundle")
	}
	if scenario.Rolling(content.Loader) {
		c.answer = look
		c.evidence = append(c.evidence, "the data set is a rolling alias: it stood for "+content.Repository+" "+content.Revision)
	}
	switch {
	case content.Pinned:
		c.evidence = append(c.evidence, "data set pinned: "+strings.TrimSpace(content.Repository+" "+content.Revision))
	default:
		c.evidence = append(c.evidence, "data set from local files: keep them, or the bundle")
	}
	versions := 0
	for _, s := range r.Servers {
		if s.Version != "" || s.Server != "" {
			versions++
			c.evidence = append(c.evidence, "server "+serverName(s.Server, s.Version))
		}
	}
	if versions == 0 && !r.Config.Simulated {
		c.answer = look
		c.evidence = append(c.evidence, "the server's version is not known: keep its image and flags beside the run (--label)")
	}
	if len(r.Config.Labels) > 0 {
		c.evidence = append(c.evidence, fmt.Sprintf("%d labels", len(r.Config.Labels)))
	}
	return c
}

// tokenizer names the bundle's tokenizer, with the beginning of its digest; empty where the log does not say.
func tokenizer(manifest map[string]any) string {
	recipe, _ := manifest["recipe"].(map[string]any)
	told, _ := recipe["tokenizer"].(map[string]any)
	name, _ := told["name"].(string)
	if digest, _ := told["digest"].(string); name != "" && digest != "" {
		name += " (" + short(digest) + ")"
	}
	return name
}

func short(digest string) string {
	if len(digest) > 12 {
		return digest[:12]
	}
	return digest
}

// objectives tells to which percentile each objective holds.
func objectives(r *Run) check {
	c := check{question: "SLOs are judged by share and percentile", answer: none}
	if len(r.Basis.Objectives) == 0 {
		c.evidence = []string{"no objective was given (--goodput time_to_first_token:400): p90 and p99 are below"}
		return c
	}
	c.answer = yes
	if share, ok := r.Own.Average("good_request_fraction"); ok {
		c.evidence = append(c.evidence, fmt.Sprintf("%.2f %% of attempted requests keep all objectives", 100*share))
	}
	for _, objective := range r.Basis.Objectives {
		d, known := measure.Lookup(measure.Definitions(), objective.Tag)
		if !known {
			continue
		}
		kept, all := 0, 0
		for _, q := range r.Selected {
			if value, ok := d.Value(q, &r.Basis); ok && q.Valid() {
				all++
				if d.Better == measure.Higher && value >= objective.Limit || d.Better != measure.Higher && value <= objective.Limit {
					kept++
				}
			}
		}
		if all > 0 {
			c.evidence = append(c.evidence, fmt.Sprintf("%s %s %s %s: kept by %.2f %%, %s", objective.Tag, sign(d), paper.Number(objective.Limit), d.Unit, 100*float64(kept)/float64(all), holdsAt(float64(kept)/float64(all))))
		}
	}
	return c
}

func sign(d *measure.Definition) string {
	if d.Better == measure.Higher {
		return "≥"
	}
	return "≤"
}

// holdsAt is the highest usual percentile at which an objective holds.
func holdsAt(share float64) string {
	for _, percentile := range []float64{99, 95, 90, 50} {
		if share >= percentile/100 {
			return fmt.Sprintf("holds at p%.0f", percentile)
		}
	}
	return "does not hold at p50"
}

func clientInTime(r *Run) check {
	c := check{question: "The client kept the schedule", answer: yes}
	late, ok := r.Own.Get("lateness")
	if !ok {
		c.answer = none
		c.evidence = []string{"no request has a due time"}
		return c
	}
	c.evidence = append(c.evidence, fmt.Sprintf("lateness p50 %s ms, p99 %s ms, max %s ms", paper.Number(late.Stats.Percentile(50)), paper.Number(late.Stats.Percentile(99)), paper.Number(late.Stats.Max)))
	if r.Client.Samples > 0 {
		c.evidence = append(c.evidence, fmt.Sprintf("CPU at most %.0f %% of its cores, machine at most %.0f %%; read delay p99 at most %s ms", 100*r.Client.CPUShareMax, 100*r.Client.MachineShareMax, paper.Number(float64(r.Client.ReadDelayP99MaxNs)/1e6)))
	}
	switch reasons := r.Bottleneck(); {
	case len(reasons) > 0:
		c.answer = no
		c.evidence = append(c.evidence, "the client, not the server, may have shaped the load: "+strings.Join(reasons, ", "))
	case r.Client.ReadDelayP99MaxNs > 50e6:
		c.answer = look
		c.evidence = append(c.evidence, "delays of tens of milliseconds are the client's own: short latencies are not to be trusted to that much")
	case r.Client.MachineShareMax > 0.95:
		c.answer = look
		c.evidence = append(c.evidence, "the client's machine was full at times")
	}
	return c
}

// serverName is a server with its version, without saying a name twice that stands in both.
func serverName(server, version string) string {
	if strings.HasPrefix(version, server) {
		return version
	}
	return strings.TrimSpace(server + " " + version)
}
