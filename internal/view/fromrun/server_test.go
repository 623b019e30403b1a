package fromrun

import (
	"math"
	"testing"

	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
	"agentx/internal/view/swimlane"
)

func vllm(running, waiting, usage string) string {
	return "vllm:num_requests_running " + running + "\nvllm:num_requests_waiting " + waiting + "\nvllm:kv_cache_usage_perc " + usage + "\n"
}

// Queues are summed over the scraped pages, the cache is that of the fullest; a page keeps its last value,
// and a curve has none before the first page that says one.
func TestServerCurves(t *testing.T) {
	log := &logtest.Log{}
	log.Scrape(at(0.5), "http://a/metrics", "up 1\n")
	log.Scrape(at(1), "http://a/metrics", vllm("3", "0", "0.25"))
	log.Scrape(at(2), "http://b/metrics", vllm("2", "7", "0.5"))
	log.Scrape(at(3), "http://a/metrics", vllm("3", "1", "0.125"))
	log.Scrape(at(4), "http://b/metrics", vllm("2", "7", "0.5"))
	curves, err := serverCurves(log)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]swimlane.Step{
		"waiting on the server": {{At: at(1), Value: 0}, {At: at(2), Value: 7}, {At: at(3), Value: 8}},
		"running on the server": {{At: at(1), Value: 3}, {At: at(2), Value: 5}},
		"KV cache in use":       {{At: at(1), Value: 25}, {At: at(2), Value: 50}},
	}
	if len(curves) != len(want) {
		t.Fatalf("%d curves, expected %d", len(curves), len(want))
	}
	for _, curve := range curves {
		expected := want[curve.Name]
		if len(curve.Steps) != len(expected) {
			t.Errorf("%s: %v, expected %v", curve.Name, curve.Steps, expected)
			continue
		}
		for i := range expected {
			if curve.Steps[i] != expected[i] {
				t.Errorf("%s: %v, expected %v", curve.Name, curve.Steps, expected)
			}
		}
	}
	if none, err := serverCurves(&logtest.Log{}); err != nil || len(none) != 0 {
		t.Errorf("a run without scrapes has curves %v (%v)", none, err)
	}
}

// Where the analysis read the chunks, the decode curve follows them and keeps the tokens: its area is the
// output of all valid requests less each one's first token; the picture says so.
func TestDecodeCurveFollowsTheChunks(t *testing.T) {
	log := logtest.Mixed()
	analysis, err := measure.Analyze(log, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := SwimLane(analysis.Run, log, About{Title: "mixed", Source: "run.db"})
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, r := range analysis.Run.Records {
		if r.Valid() && r.Trail.Len() > 1 && r.OSL() > 1 {
			want += float64(r.OSL() - 1)
		}
	}
	area, changes := 0.0, 0
	for _, curve := range run.Curves {
		if curve.Name != swimlane.NameDecode {
			continue
		}
		changes = len(curve.Steps)
		for i, step := range curve.Steps {
			end := run.Marks.End
			if i+1 < len(curve.Steps) {
				end = curve.Steps[i+1].At
			}
			area += step.Value * float64(end-step.At) / 1e9
		}
	}
	if want < 10 || math.Abs(area-want) > 1e-6*want {
		t.Errorf("the decode curve holds %g tokens, expected %g", area, want)
	}
	even := analysed(t, log)
	for _, curve := range even.Curves {
		if curve.Name == swimlane.NameDecode && len(curve.Steps) == changes {
			t.Error("the curve by chunks has as many steps as the even one")
		}
	}
}

// The plan in the log says what every turn sends, without the bundle.
func TestPlannedMessagesOfALog(t *testing.T) {
	run := analysed(t, logtest.Mixed())
	turns := run.Plans["alpha"]["alpha"]
	if len(turns) < 2 || turns[1].New[0].Tokens != 192 || turns[1].New[0].Role != "user" || turns[1].Keep != 0 {
		t.Errorf("turns of alpha: %+v", turns)
	}
}
