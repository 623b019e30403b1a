package audit

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agentx/corpus"
	"agentx/corpus/bundle"
	"agentx/eventlog"
	"agentx/internal/prep"
	"agentx/internal/progress"
	"agentx/internal/prompt"
	"agentx/internal/servermodel"
	"agentx/internal/simulate"
	"agentx/sched"

	"github.com/zeebo/blake3"
)

// sampleFile builds the bundle of the sample corpus, once for all tests.
var sampleFile = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "agentx-audit-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	options := prep.DefaultOptions()
	options.Inputs, options.CacheDir, options.NoCache = []string{"../../testdata/corpus"}, folder, true
	options.Output = filepath.Join(folder, "sample.agentx")
	result, err := prep.Build(context.Background(), options, progress.New(os.Stderr, true))
	if err != nil {
		return nil, err
	}
	return os.ReadFile(result.Path)
})

func sampleBundle(t *testing.T) *bundle.Bundle {
	t.Helper()
	content, err := sampleFile()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sample.agentx")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	opened, err := bundle.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// sample is a log under construction: the sample corpus on two lanes for a minute and a half, with an error
// and cancels at the end. It is made under the virtual clock, but says that requests were sent: their
// digests are computed here, from texts and by encoding/json, without the code that is under test.
type sample struct {
	bundle *bundle.Bundle
	plans  []*corpus.Plan
	config eventlog.RunConfig
	rows   []eventlog.Event // after the header; Seq and Cause as in the faultless log
}

const target = sched.CacheBustFirstTurnPrefix

func newSample(t *testing.T) *sample {
	t.Helper()
	s := &sample{bundle: sampleBundle(t)}
	var err error
	if s.plans, err = s.bundle.Plans(); err != nil {
		t.Fatal(err)
	}
	s.config = eventlog.RunConfig{
		Schema: eventlog.SchemaVersion, Program: "agentx-run", Models: []string{"mock"},
		Settings: map[string]any{
			"streaming": true, "cache-bust": string(target), "extra-inputs": []string{"ignore_eos:true"},
			"use-legacy-max-tokens": false, "per-chunk-usage": false,
		},
		Bundle: eventlog.BundleInfo{ContentDigest: s.bundle.ContentDigest().String()},
	}
	for _, plan := range s.plans {
		s.config.Bundle.Traces = append(s.config.Bundle.Traces, string(plan.Trace))
	}
	machine := sched.DefaultConfig()
	duration, grace := int64(90e9), int64(1e8)
	machine.Concurrency, machine.Seed, machine.DurationNs, machine.GraceNs = 2, 5, &duration, &grace
	machine.BenchmarkID, machine.CacheBust = "0123456789abcdef0123456789abcdef", target
	server, err := simulate.NewModel(servermodel.Config{PrefillTokensPerSecond: 2000, TokenNs: 20e6, ErrorRate: 0.1, RefusalNs: 1e6, Seed: 4}, 1)
	if err != nil {
		t.Fatal(err)
	}
	header := eventlog.Seq(1 + len(s.plans))
	journal := simulate.NewJournal(machine, func(row eventlog.Event) (eventlog.Seq, error) {
		row = row.Clone()
		row.Seq = header + eventlog.Seq(len(s.rows)) + 1
		s.rows = append(s.rows, row)
		return row.Seq, nil
	})
	journal.Complete = func(x *simulate.Exchange, end *eventlog.ExchangeEnd) {
		digest := blake3.Sum256(s.body(t, x))
		end.BodyDigest = hex.EncodeToString(digest[:])
	}
	if err := simulate.Run(context.Background(), simulate.Options{
		Machine: machine, Plans: s.plans, Server: server, Observer: journal, MarkerTokens: func(string) int64 { return 18 },
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// body is what a run sends for an exchange, put together the slow way.
func (s *sample) body(t *testing.T, x *simulate.Exchange) []byte {
	t.Helper()
	plan, c := s.plans[x.Dispatch.Plan], x.Dispatch.Conversation
	text, err := s.bundle.Text(x.Dispatch.Plan)
	if err != nil {
		t.Fatal(err)
	}
	type message struct {
		Role    corpus.Role `json:"role"`
		Content string      `json:"content"`
	}
	var messages []message
	marked := false
	for _, ref := range bundle.AppendRefs(nil, &plan.Conversations[c], int(x.Event.Turn)) {
		role := plan.Conversations[c].Turns[ref.Turn].New[ref.Message].Role
		content := string(text.AppendPlain(nil, c, ref.Turn, ref.Message))
		if role == corpus.RoleUser && !marked {
			marked = true
			content = "[rid:" + x.Dispatch.Marker + "]\n\n" + content
		}
		messages = append(messages, message{role, content})
	}
	if !marked {
		t.Fatalf("turn %d of %s has no user message", x.Event.Turn, x.ConvID)
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(struct {
		Messages  []message      `json:"messages"`
		Model     string         `json:"model"`
		Stream    bool           `json:"stream"`
		MaxTokens int64          `json:"max_completion_tokens"`
		IgnoreEOS bool           `json:"ignore_eos"`
		Options   map[string]any `json:"stream_options"`
	}{messages, "mock", true, x.MaxTokens, true, map[string]any{"include_usage": true}}); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(body.Bytes())
}

// write makes a log file of the sample with the given rows, which are numbered anew, and opens it.
func (s *sample) write(t *testing.T, rows []eventlog.Event, end bool) *eventlog.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.db")
	writer, err := eventlog.Create(path, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(event eventlog.Event, err error) eventlog.Seq {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		seq, err := writer.Add(event)
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	add(eventlog.NewPayload(eventlog.KindRunConfig, 0, s.config))
	for i, plan := range s.plans {
		frame, digest, err := s.bundle.PlanJSON(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := writer.AddPlan(eventlog.Digest(digest), frame); err != nil {
			t.Fatal(err)
		}
		sent := make([]string, len(plan.Models))
		for m := range sent {
			sent[m] = "mock"
		}
		add(eventlog.NewPayload(eventlog.KindModelMap, 0, eventlog.ModelMap{
			Plan: i, Trace: string(plan.Trace), Digest: digest.String(), Recorded: plan.Models, Sent: sent,
		}))
	}
	renamed := map[eventlog.Seq]eventlog.Seq{}
	for _, row := range rows {
		was := row.Seq
		row.Cause = renamed[row.Cause]
		renamed[was] = add(row, nil)
	}
	if end {
		add(eventlog.NewPayload(eventlog.KindRunEnd, rows[len(rows)-1].AtNs, eventlog.RunEnd{Reason: "duration"}))
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	reader, err := eventlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	return reader
}

// audit runs an audit of the sample with the given rows.
func (s *sample) audit(t *testing.T, rows []eventlog.Event, finished, withBundle bool) (*Result, []Finding) {
	t.Helper()
	log := s.write(t, rows, finished)
	var bodies *Bodies
	if withBundle {
		config := s.config // as it comes out of a log
		text, err := json.Marshal(config)
		if err == nil {
			err = json.Unmarshal(text, &config)
		}
		if err != nil {
			t.Fatal(err)
		}
		if bodies, err = NewBodies(s.bundle, config); err != nil {
			t.Fatal(err)
		}
	}
	var findings []Finding
	result, err := Run(log, bodies, !finished, func(f Finding) { findings = append(findings, f) })
	if err != nil {
		t.Fatal(err)
	}
	if result.Findings != len(findings) {
		t.Errorf("%d findings counted, %d told", result.Findings, len(findings))
	}
	return result, findings
}

// The marker that the sample puts before the text is the real one.
func TestSampleMarker(t *testing.T) {
	if got := prompt.Marker(target, "0123456789ab"); !strings.HasPrefix(got, "[rid:0123456789ab]") || !strings.HasSuffix(got, "\n\n") {
		t.Errorf("the marker is %q", got)
	}
}
