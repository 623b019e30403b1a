package promtext

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

const page = `# HELP vllm:prompt_tokens_total Number of prefill tokens.
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{model_name="a \"b\"\\",engine="0"} 1234.0
# TYPE running gauge
running 3 1700000000000
# TYPE ttft_seconds histogram
ttft_seconds_bucket{le="0.1"} 2
ttft_seconds_bucket{le="+Inf"} 5 # {trace_id="x"} 0.3
ttft_seconds_sum 1.5
ttft_seconds_count 5
# TYPE open counter
open_total 7
broken{ 1
also broken
alone NaN
# EOF
`

func TestParse(t *testing.T) {
	families, skipped := Parse([]byte(page))
	if skipped != 2 {
		t.Errorf("%d lines skipped, want 2", skipped)
	}
	var got []string
	for _, f := range families {
		got = append(got, f.Name+" "+f.Type)
	}
	if want := []string{"vllm:prompt_tokens_total counter", "running gauge", "ttft_seconds histogram", "open counter", "alone untyped"}; !reflect.DeepEqual(got, want) {
		t.Errorf("families %q, want %q", got, want)
	}
	tokens := families[0].Samples[0]
	if tokens.Value != 1234 || tokens.Label("model_name") != `a "b"\` || tokens.Labels[0].Name != "engine" || families[0].Help != "Number of prefill tokens." {
		t.Errorf("counter %+v", tokens)
	}
	if h := families[2].Samples; len(h) != 4 || h[1].Label("le") != "+Inf" || h[1].Value != 5 {
		t.Errorf("histogram %+v", h)
	}
	if families[3].Samples[0].Value != 7 || !math.IsNaN(families[4].Samples[0].Value) {
		t.Errorf("others %+v %+v", families[3], families[4])
	}
}

func TestPagesOfRealServers(t *testing.T) {
	root := os.Getenv("AGENTX_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared")
	}
	pages, err := filepath.Glob(filepath.Join(root, "captures", "*", "metrics.txt"))
	if err != nil || len(pages) == 0 {
		t.Skip("no captured pages here")
	}
	for _, path := range pages {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(text, []byte("HTTP/")) { // some were kept with their head
			_, text, _ = bytes.Cut(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
		}
		families, skipped := Parse(text)
		samples := 0
		for _, f := range families {
			samples += len(f.Samples)
		}
		if len(families) < 5 || samples < len(families)/2 || skipped > 0 {
			t.Errorf("%s: %d families, %d samples, %d lines skipped", path, len(families), samples, skipped)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(page))
	f.Fuzz(func(t *testing.T, text []byte) {
		families, _ := Parse(text)
		for _, family := range families {
			if family.Name == "" && len(family.Samples) > 0 {
				t.Errorf("samples without a name: %+v", family)
			}
		}
	})
}
