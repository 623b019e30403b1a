package diffview

import (
	"encoding/json"
	"io"
	"math"
	"strconv"

	"agentx/internal/compare"
)

// number is a JSON number of ten digits, null where it is not known, "inf" where it is infinite. More digits
// would differ between processors: their logarithms do.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	switch {
	case math.IsNaN(v):
		return []byte("null"), nil
	case math.IsInf(v, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-inf"`), nil
	}
	return strconv.AppendFloat(nil, v, 'g', 10, 64), nil
}

type jsonDiff struct {
	Schema     string           `json:"schema"`
	Sides      []jsonSide       `json:"sides"`
	Comparable bool             `json:"comparable"`
	Differing  []jsonDifference `json:"differing"`
	Method     string           `json:"method"` // trees or runs
	Level      float64          `json:"level"`
	Trees      jsonTrees        `json:"trees"`
	Turns      jsonTurns        `json:"turns"`
	Findings   []jsonRow        `json:"findings"`
	Headline   []jsonRow        `json:"headline"`
	SameTurns  []jsonTurnRow    `json:"same_turns"`
	Requests   []jsonRow        `json:"requests"`
	Others     []jsonRow        `json:"others"`
	Buckets    []jsonBucket     `json:"buckets"`
	Changes    []jsonChanges    `json:"changes"`
	Checks     []jsonCheck      `json:"checks,omitempty"`
}

type jsonSide struct {
	Label  string     `json:"label"`
	Logs   []string   `json:"logs"`
	Runs   []jsonRun  `json:"runs"`
	Client jsonClient `json:"client"`
}

type jsonRun struct {
	RunID         string  `json:"run_id"`
	BenchmarkID   string  `json:"benchmark_id"`
	Version       string  `json:"version"`
	Seed          uint64  `json:"seed"`
	ContentDigest string  `json:"content_digest"`
	WindowSeconds number  `json:"window_seconds"`
	Sent          int     `json:"requests_sent"`
	Valid         int     `json:"requests_valid"`
	Verdict       string  `json:"verdict"`
	Complete      bool    `json:"complete"`
	Overflows     int     `json:"overflows"`
	Errors        int     `json:"errors"`
	Simulated     bool    `json:"simulated"`
	ErrorShare    float64 `json:"error_share"`
}

type jsonClient struct {
	LatenessP50Ms number `json:"lateness_p50_ms"`
	LatenessP99Ms number `json:"lateness_p99_ms"`
	LatenessMaxMs number `json:"lateness_max_ms"`
	CPUShareMax   number `json:"cpu_share_max"`
	ReadDelayP99  number `json:"read_delay_p99_ms"`
	Limited       string `json:"limited,omitempty"`
}

type jsonDifference struct {
	Weight string `json:"weight"`
	Topic  string `json:"topic"`
	Name   string `json:"name"`
	A      string `json:"a"`
	B      string `json:"b"`
	Effect string `json:"effect"`
}

type jsonTrees struct {
	A    int `json:"a"`
	B    int `json:"b"`
	Both int `json:"paired"`
}

type jsonTurns struct {
	Pairs       int `json:"pairs"`
	OnlyA       int `json:"only_a"`
	OnlyB       int `json:"only_b"`
	OtherPrompt int `json:"other_prompt"`
}

type jsonRow struct {
	Tag        string `json:"tag"`
	Statistic  string `json:"statistic"`
	Unit       string `json:"unit"`
	Population string `json:"population,omitempty"`
	Better     string `json:"better"`
	Word       string `json:"word"`
	A          number `json:"a"`
	B          number `json:"b"`
	CountA     int    `json:"n_a"`
	CountB     int    `json:"n_b"`
	Difference number `json:"difference"`
	Ratio      number `json:"ratio"`
	Method     string `json:"method"`
	Scale      string `json:"interval_of"`
	Low        number `json:"low"`
	High       number `json:"high"`
	P          number `json:"p"`
	Holm       number `json:"p_holm"`
	Units      int    `json:"units"`
	Telling    int    `json:"units_that_differ"`
	Together   number `json:"variance_in_time,omitempty"`
	Reason     string `json:"reason,omitempty"`
}

type jsonTurnRow struct {
	jsonRow
	Pairs       int    `json:"pairs"`
	Higher      int    `json:"b_higher"`
	Lower       int    `json:"b_lower"`
	Equal       int    `json:"equal"`
	MedianRatio number `json:"median_ratio"`
	Wilcoxon    number `json:"p_wilcoxon"`
}

type jsonBucket struct {
	By    string    `json:"by"`
	Label string    `json:"bucket"`
	Rows  []jsonRow `json:"rows"`
}

type jsonChanges struct {
	Tag     string       `json:"tag"`
	Unit    string       `json:"unit"`
	Greater []jsonChange `json:"greater_in_b"`
	Smaller []jsonChange `json:"smaller_in_b"`
}

type jsonChange struct {
	Trace        string `json:"trace"`
	Conversation string `json:"conversation"`
	Turn         int    `json:"turn"`
	Play         int    `json:"play"`
	Depth        int    `json:"depth"`
	A            number `json:"a"`
	B            number `json:"b"`
	InputTokens  int64  `json:"input_tokens"`
	ExchangeA    int64  `json:"exchange_a"`
	ExchangeB    int64  `json:"exchange_b"`
}

type jsonCheck struct {
	Text    string `json:"threshold"`
	Reached bool   `json:"reached"`
	Sure    bool   `json:"sure"`
	A       number `json:"a"`
	B       number `json:"b"`
	Change  number `json:"change"`
	Reason  string `json:"reason,omitempty"`
}

// JSON writes schema agentx-diff/1: a change of a share is 0.05, not 5.
func JSON(w io.Writer, in *Input) error {
	out := jsonOf(in)
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func jsonOf(in *Input) *jsonDiff {
	out := &jsonDiff{
		Schema: "agentx-diff/1", Comparable: true, Method: string(compare.MethodTrees), Level: 0.95,
		Trees: jsonTrees{in.TreesA, in.TreesB, in.TreesBoth}, Differing: []jsonDifference{}, Findings: []jsonRow{},
		Turns: jsonTurns{len(in.Matching.Pairs), in.Matching.OnlyA, in.Matching.OnlyB, in.Matching.OtherPrompt},
	}
	if in.Repeated {
		out.Method = string(compare.MethodRuns)
	}
	for i, side := range in.Sides {
		out.Sides = append(out.Sides, sideJSON(side, in.Clients[i]))
	}
	for _, d := range in.Differing {
		out.Comparable = out.Comparable && d.Weight != compare.Refuse
		out.Differing = append(out.Differing, jsonDifference{string(d.Weight), d.Topic, d.Name, d.A, d.B, d.Effect})
	}
	for _, h := range in.Headline() {
		row := headlineJSON(h)
		out.Headline = append(out.Headline, row)
		if h.Found {
			out.Findings = append(out.Findings, row)
		}
	}
	for i := range in.Turns {
		t := &in.Turns[i]
		out.SameTurns = append(out.SameTurns, jsonTurnRow{rowJSON(&t.Row), t.Pairs, t.Higher, t.Lower, t.Equal, number(t.MedianRatio), number(t.Wilcoxon)})
	}
	out.Requests, out.Others = rowsJSON(in.Requests), rowsJSON(in.Others)
	for _, b := range in.Buckets {
		out.Buckets = append(out.Buckets, jsonBucket{b.By, b.Label, rowsJSON(b.Rows)})
	}
	for _, list := range in.Changes {
		out.Changes = append(out.Changes, jsonChanges{list.Tag, list.Unit, changesJSON(list.Greater), changesJSON(list.Smaller)})
	}
	for _, c := range in.Checks {
		out.Checks = append(out.Checks, jsonCheck{c.Text, c.Reached, c.Sure, number(c.A), number(c.B), number(c.Change), c.Reason})
	}
	return out
}

func sideJSON(side compare.Side, c compare.Client) jsonSide {
	out := jsonSide{Label: side.Label, Logs: side.Paths, Client: jsonClient{number(c.LatenessP50Ms), number(c.LatenessP99Ms), number(c.LatenessMaxMs),
		number(c.CPUShareMax), number(c.ReadDelayP99Ms), c.Limited}}
	for _, a := range side.Runs {
		t := a.Own.Totals
		run := jsonRun{RunID: a.Config.RunID, BenchmarkID: a.Config.BenchmarkID, Version: a.Config.Version, Seed: a.Config.Seed,
			ContentDigest: a.Config.Bundle.ContentDigest, WindowSeconds: number(compare.WindowSeconds(a)), Sent: a.Population.Sent, Valid: t.Valid,
			Verdict: a.Verdict.Line(), Complete: a.Verdict.Complete, Overflows: t.Overflows, Errors: t.Errors, Simulated: a.Config.Simulated}
		if n := t.Valid + t.Errors; n > 0 {
			run.ErrorShare = float64(t.Errors) / float64(n)
		}
		out.Runs = append(out.Runs, run)
	}
	return out
}

func headlineJSON(h compare.Headline) jsonRow {
	row := rowJSON(h.Row)
	row.Word = h.Word()
	row.Population = "all requests"
	if h.SameTurns {
		row.Population = "same turns"
	}
	return row
}

func rowsJSON(rows []compare.Row) []jsonRow {
	list := make([]jsonRow, len(rows))
	for i := range rows {
		list[i] = rowJSON(&rows[i])
	}
	return list
}

func rowJSON(row *compare.Row) jsonRow {
	return jsonRow{Tag: row.Tag, Statistic: row.Statistic, Unit: row.Unit, Better: row.Better.String(), Word: row.Word(), A: number(row.A), B: number(row.B),
		CountA: row.CountA, CountB: row.CountB, Difference: number(row.Delta()), Ratio: number(row.Ratio()), Method: string(row.Method),
		Scale: string(row.Scale), Low: number(row.Low), High: number(row.High), P: number(row.P), Holm: number(row.Adjusted),
		Units: row.Units, Telling: row.Telling, Together: number(row.Together), Reason: row.Reason}
}

func changesJSON(list []compare.Change) []jsonChange {
	out := make([]jsonChange, len(list))
	for i, c := range list {
		out[i] = jsonChange{c.Trace, c.Conversation, c.Turn, c.Pass, c.Depth, number(c.A), number(c.B), c.InputTokens, c.ExchangeA, c.ExchangeB}
	}
	return out
}
