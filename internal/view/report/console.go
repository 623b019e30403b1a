package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"agentx/internal/measure"
)

// ConsoleOptions say what the console tables show.
type ConsoleOptions struct {
	HTTPTrace bool // the table of connection times (--show-trace-timing)
}

// Summary prints the tables of a run in the peer's order and number format (spec exports 9), what
// became of the requests, theory against actual cache hits, and the verdict in one line.
func Summary(w io.Writer, a *measure.Analysis, options ConsoleOptions) error {
	parts := []func(io.Writer, *measure.Analysis) error{headline, banner, errorPanel}
	if options.HTTPTrace {
		parts = append(parts, metricTable(measure.TableHTTP))
	}
	for _, name := range []measure.Table{measure.TableEffective, measure.TableActive, measure.TableUsage, measure.TableMain} {
		parts = append(parts, metricTable(name))
	}
	parts = append(parts, tokenPanel, lengthPanel, requestLines, throughputLines, cacheLines, fidelityLines, verdictLines)
	for _, part := range parts {
		if err := part(w, a); err != nil {
			return err
		}
	}
	return nil
}

// headline names the run.
func headline(w io.Writer, a *measure.Analysis) error {
	parts := []string{"agentx " + a.Config.Version, strings.Join(a.Config.Models, ", "), "concurrency " + a.Settings.Text("concurrency")}
	if p := a.Phase(measure.PhaseProfiling); p != nil && p.DurationNs > 0 {
		parts = append(parts, fmt.Sprintf("%g s", float64(p.DurationNs)/1e9))
	}
	parts = append(parts, fmt.Sprintf("seed %d", a.Config.Seed))
	if a.Config.Simulated {
		parts = append(parts, "simulated")
	}
	_, err := fmt.Fprintf(w, "%s\n\n", strings.Join(parts, " | "))
	return err
}

// banner says at the top what must not be overlooked.
func banner(w io.Writer, a *measure.Analysis) error {
	if a.Verdict.Complete {
		return nil
	}
	_, err := fmt.Fprintf(w, "INCOMPLETE: %s\n\n", a.Verdict.Incomplete())
	return err
}

// errorPanel lists failures, the most frequent first, with a hint for the usual causes.
func errorPanel(w io.Writer, a *measure.Analysis) error {
	t := table{title: "Error Summary", header: []string{"Code", "Type", "Count", "Message"}, texts: 2, last: true}
	for i, group := range a.Errors {
		if i == 10 {
			t.add("", fmt.Sprintf("%d more kinds", len(a.Errors)-i), "", "in errors.jsonl")
			break
		}
		code := "N/A"
		if group.Error.Code != nil {
			code = fmt.Sprint(*group.Error.Code)
		}
		kind := group.Error.Type
		if group.Outcome == measure.OutcomeOverflow && a.Basis.OverflowSkipped {
			kind += " (overflow, skipped)" // no error: it is not in error_request_count, nor in error_summary
		}
		t.add(code, kind, fmt.Sprint(group.Count), clip(group.Error.Message, 80))
	}
	if err := t.write(w); err != nil {
		return err
	}
	if hint := errorHint(a); hint != "" {
		_, err := fmt.Fprintf(w, "Hint: %s\n\n", hint)
		return err
	}
	return nil
}

func clip(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// errorHint names what most often lies behind the most frequent failure.
func errorHint(a *measure.Analysis) string {
	if len(a.Errors) == 0 {
		return ""
	}
	group := &a.Errors[0]
	code := 0
	if group.Error.Code != nil {
		code = *group.Error.Code
	}
	switch {
	case group.Outcome == measure.OutcomeOverflow:
		return "prompts are longer than the server's context window: build the bundle with --max-context-length, or serve with a longer one"
	case code == 401 || code == 403:
		return "the server refuses the key: give --api-key, or AGENTX_API_KEY"
	case code == 404:
		return "the server does not know the path or the model: compare --url, --endpoint and --model with its /v1/models"
	case code == 429:
		return "the server limits the rate of requests"
	case code == 400 || code == 422:
		return "the server refuses the request body: look at the message; --use-legacy-max-tokens and --extra-inputs change the body"
	case code >= 500:
		return "the server fails: look at its own log"
	case group.Outcome == measure.OutcomeTimeout:
		return "requests ran into --request-timeout-seconds"
	case group.Outcome == measure.OutcomeTransportError:
		return "the connection fails: is the server up, and the limit on open files high enough?"
	}
	return ""
}

// metricTable prints one of the peer's tables.
func metricTable(name measure.Table) func(io.Writer, *measure.Analysis) error {
	return func(w io.Writer, a *measure.Analysis) error {
		var results []*measure.Result
		for i := range a.Compatible.Results {
			if r := &a.Compatible.Results[i]; r.Table == name {
				results = append(results, r)
			}
		}
		slices.SortStableFunc(results, func(a, b *measure.Result) int { return cmp.Compare(a.Order, b.Order) })
		t := table{title: "agentx | " + string(name), header: []string{"Metric", "avg", "min", "max", "p99", "p90", "p50", "std"}}
		for _, r := range results {
			cells := []string{metricName(r)}
			for _, key := range t.header[1:] {
				value, ok := stat(r, key)
				if !ok {
					cells = append(cells, "N/A")
					continue
				}
				cells = append(cells, commas(value))
			}
			t.rows = append(t.rows, cells)
		}
		return t.write(w)
	}
}

// metricName is header and unit, on two lines where the header is long.
func metricName(r *measure.Result) string {
	if utf8.RuneCountInString(r.Header) > 30 {
		return r.Header + "\n(" + r.Unit + ")"
	}
	return r.Header + " (" + r.Unit + ")"
}
