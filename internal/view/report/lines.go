package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"agentx/internal/measure"
)

// tokenPanel warns where server and local token counts differ.
func tokenPanel(w io.Writer, a *measure.Analysis) error {
	wrong, ok := a.Compatible.Average("usage_discrepancy_count")
	if !ok || wrong == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "Token counts: %.0f of %d requests differ by more than %g %% between the server and the bundle's tokenizer;\nis it the served model's tokenizer? Server counts: --use-server-token-count.\n\n",
		wrong, a.Compatible.Totals.Valid, a.Basis.UsagePct)
	return err
}

// lengthPanel warns where outputs are not as long as was asked for.
func lengthPanel(w io.Writer, a *measure.Analysis) error {
	wrong, ok := a.Compatible.Average("osl_mismatch_count")
	if !ok || wrong == 0 {
		return nil
	}
	remedy := "servers stop early unless told not to: --extra-inputs ignore_eos:true"
	if a.AsksForFullOutput() {
		remedy = "ignore_eos:true was sent, but the server may not honour it, or counts otherwise: agentx-run probe tells"
	}
	_, err := fmt.Fprintf(w, "Output lengths: %.0f of %d requests are off by more than min(%g %%, %g tokens) of what was asked for;\n%s.\n\n",
		wrong, a.Compatible.Totals.Valid, a.Basis.MismatchPct, a.Basis.MismatchTokens, remedy)
	return err
}

// requestLines say what became of every request.
func requestLines(w io.Writer, a *measure.Analysis) error {
	p := &a.Population
	text := fmt.Sprintf("Requests   %d sent: %s", p.Sent, outcomes(p.Outcomes))
	if n := p.Outcomes[measure.OutcomeNeverSent]; n > 0 {
		text += fmt.Sprintf("; %s due and never sent", either(n, "more was", "more were"))
	}
	text += "\n"
	if p.InFlightAtEnd > 0 {
		text += fmt.Sprintf("           %d in flight when the duration ended: %d came back in the grace period\n", p.InFlightAtEnd, p.CompletedInGrace)
	}
	var undue []string
	if p.Voided > 0 {
		undue = append(undue, fmt.Sprintf("%d behind an early end of their stream", p.Voided))
	}
	if p.Unsent > 0 {
		undue = append(undue, fmt.Sprintf("%d left at the stop", p.Unsent))
	}
	if len(undue) > 0 {
		text += "           turns that never became due: " + strings.Join(undue, ", ") + "\n"
	}
	if p.Resends > 0 {
		text += fmt.Sprintf("           %d sent again because the server had closed an idle connection\n", p.Resends)
	}
	switch opened := either(p.Connections+a.Ahead, "connection", "connections"); {
	case a.Ahead > 0:
		text += fmt.Sprintf("           %s opened, %d of them before there was a request for them\n", opened, a.Ahead)
	case p.Connections > 0:
		text += fmt.Sprintf("           %s opened\n", opened)
	}
	warmup := map[measure.Outcome]int{}
	for _, r := range a.Records {
		if r.Phase == measure.PhaseWarmup {
			warmup[r.Outcome]++
		}
	}
	if len(warmup) > 0 {
		text += fmt.Sprintf("Warmup     %s\n", outcomes(warmup))
	}
	_, err := io.WriteString(w, text)
	return err
}

// either writes a count with the word that goes with it.
func either(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// outcomes lists what became of requests that were sent.
func outcomes(counts map[measure.Outcome]int) string {
	var parts []string
	for _, outcome := range measure.Outcomes() {
		if n := counts[outcome]; n > 0 && outcome != measure.OutcomeNeverSent {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(outcome), "_", " ")))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// throughputLines name the windows that the rates are of.
func throughputLines(w io.Writer, a *measure.Analysis) error {
	o := &a.Output
	if o.Seconds() <= 0 {
		return nil
	}
	peak := ""
	if !math.IsNaN(o.PeakOutput10s) { // the window is long enough
		peak = "; peak over 10 s " + commas(o.PeakOutput10s) + " tokens/s"
	}
	text := fmt.Sprintf("Window     %.1f s of profiling: %s output tokens/s, %s requests/s completed%s\n",
		o.Seconds(), commas(o.OutputTokens/o.Seconds()), commas(float64(o.Completed)/o.Seconds()), peak)
	if o.Seconds() < shortWindow {
		text = fmt.Sprintf("Window     %.3f s of profiling, too short for rates: %s output tokens came, %d requests completed\n", o.Seconds(), commas(o.OutputTokens), o.Completed)
	}
	if c := a.Compatible.Window; c.Known() {
		text += fmt.Sprintf("           the tables' rates are over %.1f s, to the last return\n", c.Seconds())
	}
	_, err := io.WriteString(w, text)
	return err
}

// shortWindow is the length in seconds below which a rate says nothing: a request or two make all of it.
const shortWindow = 1

// cacheLines put theory beside what the cache did.
func cacheLines(w io.Writer, a *measure.Analysis) error {
	theory, hasTheory := a.Own.Average("theoretical_prefix_cache_hit_tokens_pct")
	actual, hasActual := a.Own.Average("overall_usage_prompt_cache_read_pct")
	reachable, hasReachable := a.Own.Average("reachable_prefix_cache_hit_pct")
	captured, hasCaptured := a.Own.Average("reuse_captured_pct")
	if !hasTheory && !hasActual {
		return nil
	}
	text := fmt.Sprintf("Cache      theoretical hit %s, reachable in this run %s, reported by the server %s; reuse captured %s\n",
		percentOrNone(theory, hasTheory), percentOrNone(reachable, hasReachable), percentOrNone(actual, hasActual), percentOrNone(captured, hasCaptured))
	c := &a.Own.Totals.Captured
	if valid := a.Own.Totals.Valid; c.Reporting < valid {
		text += fmt.Sprintf("           %d of %d answers report cached tokens", c.Reporting, valid)
		if c.Reporting == 0 {
			text += "; vLLM needs --enable-prompt-tokens-details, SGLang --enable-cache-report"
		}
		text += "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

func percentOrNone(value float64, known bool) string {
	if !known {
		return "n/a"
	}
	return fmt.Sprintf("%.2f %%", value)
}

// fidelityLines say how well the client kept the schedule.
func fidelityLines(w io.Writer, a *measure.Analysis) error {
	late, ok := a.Own.Get("lateness")
	if !ok {
		return nil
	}
	text := fmt.Sprintf("Client     lateness p50 %.2f ms, p99 %.2f ms, max %.2f ms", late.Stats.Percentile(50), late.Stats.Percentile(99), late.Stats.Max)
	if a.Client.Samples > 0 {
		text += fmt.Sprintf("; CPU at most %.0f %%", 100*a.Client.CPUShareMax)
	}
	_, err := io.WriteString(w, text+"\n")
	return err
}

// verdictLines are the verdict and what makes the run hard to compare.
func verdictLines(w io.Writer, a *measure.Analysis) error {
	text := "Verdict    " + a.Verdict.Line() + "\n"
	for _, check := range a.Verdict.Checks {
		if check.Result == measure.CheckFail && (check.Reason == measure.ReasonCoverage || check.Reason == measure.ReasonCoverageUnknown) {
			text += "           " + check.Detail + "\n" // what ended the sending is not in the line above
		}
	}
	for _, note := range a.Verdict.Notes {
		text += "           note: " + note.Text() + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
