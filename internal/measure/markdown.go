package measure

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/zeebo/blake3"
)

// Markdown is docs/metrics.md: the table of definitions, with the rules that all of them share.
func Markdown() string {
	var out strings.Builder
	out.WriteString(markdownHead)
	for _, section := range []struct {
		title    string
		list     []*Definition
		preamble string
	}{
		{"Latency", latencyDefinitions(), "One value per valid request."},
		{"Tokens", tokenDefinitions(), "One value per valid request, but for the counts and for failed requests where it says so."},
		{"Usage", usageDefinitions(), "One value per valid request."},
		{"From dispatch", effectiveDefinitions(), "One value per request."},
		{"Error-adjusted", adjustedDefinitions(), "Present only where requests failed."},
		{"Run", scalarDefinitions(), "One number per run, phase or slice."},
		{"Over time", sweepDefinitions(), "Curves over the window, weighted by time: avg, p50, p90, p95, p99, min, max, std. The active ones are over the time in which their condition holds."},
		{"Connection", httpDefinitions(), "One value per valid request, under k6's names."},
		{"Our own", ownDefinitions(), "In report.json and records.jsonl only, but for the network-adjusted ones."},
	} {
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n", section.title, section.preamble)
		out.WriteString("| metric | header | unit | better | how | formula | no value when | after |\n|---|---|---|---|---|---|---|---|\n")
		for _, d := range section.list {
			absent := d.Absent
			if absent == "" {
				absent = "–"
			}
			tag := "`" + d.Tag + "`"
			if d.Own {
				tag += " (ours)"
			}
			fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", tag, d.Header, d.Unit, d.Better, d.Family, cell(d.Formula), cell(absent), d.Source)
		}
	}
	return out.String()
}

// DefinitionsVersion names the table of definitions: results with the same one mean the same.
func DefinitionsVersion() string {
	digest := blake3.Sum256([]byte(Markdown()))
	return hex.EncodeToString(digest[:6])
}

// cell keeps a bar in a formula from ending the table's cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

const markdownHead = `# Metrics

Made from the table of definitions in internal/measure by ` + "`go test ./internal/measure -run Markdown -update`" + `; do not edit.

Everything is computed from the event log, by agentx-run at its end and by agentx-analyze at any time, with the same code.

**Clocks.** Times are nanoseconds of the run's monotonic clock, taken at the socket. They become milliseconds or
seconds after the statistics. Wall times in files hang on one anchor, so that their differences are the measured durations.

**Start, chunks, end.** Start is before a connection was asked for. A content chunk carries reasoning, text or tool-call
text; a role, a finish reason alone, usage, [DONE] and keep-alives are none. The end of a response is its last chunk of
any kind but a keep-alive; of a request without one, the moment its fate was known. An answer in one piece
(--no-streaming, or a server that does not stream) has no first token and no gaps: metrics that need them are absent,
its content counts as arrived with the last byte.

**Populations.** A *valid* request was answered with content. A *failed* one ended in an HTTP, transport, stream or
timeout error; in the peer's files an answer without visible content is one too. A context overflow is neither
under a scenario, where it is skipped and counted apart; without a scenario it is a failure. Requests that the run
itself cancelled, or that were never sent, give no latency and are counted in report.json and records.jsonl.
A request belongs to the phase in which it was issued, whatever its times are.

**Windows.** The peer's files divide by the time from profiling start to the last return in the phase. report.json
divides by the configured duration from profiling start, counts whole requests that completed in it, and apart from
that the output tokens that came in it, chunk by chunk.

**Statistics.** Percentiles are linear between the two nearest ranks (type 7); the standard deviation is that of the
population; a metric without a value is absent, never 0.

**Tokens.** Local counts are those of the bundle's tokenizer: planned message tokens plus the marker's for the input
(with --apply-chat-template also what the template adds around them), the answer's text encoded once for the output. With --use-server-token-count they come from the answer's usage, output
being completion minus reasoning.
`
