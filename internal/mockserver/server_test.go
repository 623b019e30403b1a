package mockserver

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"agentx/internal/servermodel"
)

// start runs a server for a test and checks that its end leaves no goroutine behind.
func start(t *testing.T, options Options) *Server {
	t.Helper()
	before := runtime.NumGoroutine()
	s, err := Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
	})
	return s
}

// post sends a chat request and returns the answer with its body.
func post(t *testing.T, s *Server, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequest("POST", s.URL()+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(answer)
}

// chunk is what the tests look at in a streamed event.
type chunk struct {
	Choices []struct {
		Delta struct {
			Role      string  `json:"role"`
			Content   *string `json:"content"`
			Reasoning *string `json:"reasoning_content"`
		} `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage `json:"usage"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// events parses a stream strictly: nothing but data lines, each JSON, the last one [DONE].
func events(t *testing.T, stream string) []chunk {
	t.Helper()
	body, found := strings.CutSuffix(stream, "data: [DONE]\n\n")
	if !found {
		t.Fatalf("stream does not end in [DONE]: %q", stream)
	}
	var chunks []chunk
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		var c chunk
		if err := json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &c); err != nil || !strings.HasPrefix(event, "data: {") {
			t.Fatalf("event %q: %v", event, err)
		}
		chunks = append(chunks, c)
	}
	return chunks
}

// request is a chat body with a user text.
func request(text string, rest string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"messages":[{"role":"user","content":%s}],"model":"m","stream":true%s}`, quoted, rest)
}

func TestStreamHasRoleThenTokensThenUsage(t *testing.T) {
	s := start(t, Options{})
	_, body := post(t, s, request("hello", `,"max_completion_tokens":3,"ignore_eos":true,"stream_options":{"include_usage":true}`))
	chunks := events(t, body)
	if len(chunks) != 5 {
		t.Fatalf("%d events; expected role, three tokens, usage:\n%s", len(chunks), body)
	}
	if delta := chunks[0].Choices[0].Delta; delta.Role != "assistant" || *delta.Content != "" {
		t.Errorf("first event %+v is not role-only", delta)
	}
	text := ""
	for i, c := range chunks[1:4] {
		text += *c.Choices[0].Delta.Content
		if finish := c.Choices[0].FinishReason; (finish != nil) != (i == 2) || finish != nil && *finish != "length" {
			t.Errorf("token %d: finish reason %v", i, finish)
		}
	}
	if text != " the of and" {
		t.Errorf("text is %q", text)
	}
	if u := chunks[4].Usage; u == nil || u.Completion != 3 || u.Prompt != 9 || u.Total != 12 || u.Details == nil || u.Details.Cached != 0 {
		t.Errorf("usage is %+v; expected 9 prompt tokens (33 bytes of JSON by 4), 3 completion tokens", u)
	}
}

func TestStreamOptionsAreHonoured(t *testing.T) {
	s := start(t, Options{TokensPerChunk: 4, ReasoningTokens: 6})
	_, body := post(t, s, request("hello", `,"max_tokens":11,"stream_options":{"continuous_usage_stats":true}`))
	var reasoning, content []int // tokens by chunk
	last := 0
	for _, c := range events(t, body) {
		if len(c.Choices) == 0 {
			t.Fatal("a usage chunk was sent that nobody asked for")
		}
		if c.Usage == nil {
			t.Fatal("a chunk has no running usage")
		}
		switch delta := c.Choices[0].Delta; {
		case delta.Reasoning != nil:
			reasoning = append(reasoning, c.Usage.Completion-last)
		case *delta.Content != "":
			content = append(content, c.Usage.Completion-last)
		}
		last = c.Usage.Completion
	}
	if got := fmt.Sprint(reasoning, content); got != "[4 2] [4 1]" {
		t.Errorf("tokens by chunk, reasoning and content: %s; expected [4 2] [4 1]", got)
	}
}

func TestWholeAnswer(t *testing.T) {
	s := start(t, Options{Models: []string{"a"}})
	response, body := post(t, s, `{"model":"a","messages":[{"role":"user","content":"x"}],"max_tokens":2}`)
	var answer struct {
		Object  string
		Choices []struct {
			Message      struct{ Role, Content string }
			FinishReason string `json:"finish_reason"`
		}
		Usage usage
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || response.StatusCode != 200 {
		t.Fatalf("%d %s", response.StatusCode, body)
	}
	if answer.Object != "chat.completion" || answer.Choices[0].Message.Content != " the of" || answer.Choices[0].FinishReason != "length" || answer.Usage.Completion != 2 {
		t.Errorf("answer %+v", answer)
	}
	if len(s.Records()) != 1 || s.Records()[0].FirstByteNs == 0 {
		t.Errorf("records %+v", s.Records())
	}
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	s := start(t, Options{Models: []string{"a"}, APIKey: "k", Server: servermodel.Config{WindowTokens: 100}})
	for _, row := range []struct {
		body, key string
		status    int
		says      string
	}{
		{`{"model":"a","messages":[]}`, "", 401, "Unauthorized"},
		{`{"model":"b","messages":[]}`, "k", 404, "`b` is not served"},
		{`{"model":"a","messages":[`, "k", 400, "JSON decode error at byte 25"},
		{`{"model":"a"}`, "k", 400, "messages: field required"},
		{`{"model":"a","messages":[],"max_tokens":0}`, "k", 400, "max_tokens"},
		{`{"model":"a","messages":["` + strings.Repeat("x", 500) + `"]}`, "k", 400, "maximum context length here is 100 tokens"},
	} {
		response, body := post(t, s, row.body, "Authorization", "Bearer "+row.key)
		if response.StatusCode != row.status || !strings.Contains(body, row.says) {
			t.Errorf("%s: %d %s; expected %d with %q", row.body, response.StatusCode, body, row.status, row.says)
		}
	}
}

// TestRepeatedPromptIsCached: usage, metrics page and records tell one story.
func TestRepeatedPromptIsCached(t *testing.T) {
	s := start(t, Options{})
	text := strings.Repeat("0123456789abcdef", 64) // 1,024 bytes
	var cached [2]int
	for i := range cached {
		_, body := post(t, s, request(text, `,"max_tokens":1,"stream_options":{"include_usage":true}`))
		chunks := events(t, body)
		cached[i] = chunks[len(chunks)-1].Usage.Details.Cached
	}
	if cached != [2]int{0, 256} {
		t.Errorf("cached tokens %v; expected 0, then 16 units of 16 tokens of the 1,052 bytes", cached)
	}
	page := get(t, s, "/metrics")
	for _, line := range []string{
		`vllm:prefix_cache_queries_total{engine="0",model_name="mock"} 526`,
		`vllm:prefix_cache_hits_total{engine="0",model_name="mock"} 256`,
		`vllm:generation_tokens_total{engine="0",model_name="mock"} 2`,
	} {
		if !strings.Contains(page, line+"\n") {
			t.Errorf("metrics page lacks %q:\n%s", line, page)
		}
	}
	if records := s.Records(); records[1].CachedTokens != 256 || records[1].PromptTokens != 263 {
		t.Errorf("second record %+v", records[1])
	}
}

func get(t *testing.T, s *Server, path string) string {
	t.Helper()
	response, err := http.Get(s.URL() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%s: %d %s %v", path, response.StatusCode, body, err)
	}
	return string(body)
}

// TestRecordsAreInOrder: the stamps of a record follow each other, and the model's times bound them.
func TestRecordsAreInOrder(t *testing.T) {
	s := start(t, Options{RecordContent: true, Server: servermodel.Config{OverheadNs: 5e6, TokenNs: 2e6}})
	sent := s.Now()
	post(t, s, request("hello", `,"max_tokens":4`), "X-Request-ID", "r-1", "X-Correlation-ID", "c-1")
	received := s.Now()
	r := s.Records()[0]
	if r.RequestID != "r-1" || r.CorrelationID != "c-1" || r.Connection != 1 || r.OnConnection != 1 || r.Status != 200 || r.Outcome != "finished" {
		t.Errorf("record %+v", r)
	}
	order := []int64{sent, r.ArrivalNs, r.BodyReadNs, r.AdmittedNs, r.FirstDueNs, r.FirstByteNs, r.FirstTokenNs, r.ContentNs[len(r.ContentNs)-1], r.EndNs, received}
	for i := 1; i < len(order); i++ {
		if order[i] < order[i-1] {
			t.Errorf("stamp %d of %v comes before the one before it", i, order)
		}
	}
	if r.FirstDueNs-r.AdmittedNs != 5e6+1 || r.ContentNs[0] != r.FirstTokenNs || r.ContentNs[len(r.ContentNs)-1]-r.FirstDueNs < 6e6 {
		t.Errorf("times %+v do not follow the model", r)
	}
}

// TestQueueIsFirstInFirstOut: with one place, requests are admitted one after the other, as they came.
func TestQueueIsFirstInFirstOut(t *testing.T) {
	s := start(t, Options{Server: servermodel.Config{BatchLimit: 1, TokenNs: 2e6}})
	done := make(chan error)
	for i := range 4 {
		go func() {
			body := strings.NewReader(request("hello", `,"max_tokens":5`))
			response, err := http.Post(s.URL()+"/v1/chat/completions", "application/json", body)
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
			done <- err
		}()
		for arrived := int64(0); arrived <= int64(i); time.Sleep(time.Millisecond / 10) {
			stats, _ := s.engine.snapshot()
			arrived = stats.Arrived
		}
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	records := s.Records()
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(a.Index, b.Index) })
	for i := 1; i < len(records); i++ {
		if records[i].AdmittedNs < records[i-1].FirstDueNs+8e6 {
			t.Errorf("request %d was admitted at %d, while request %d was running", records[i].Index, records[i].AdmittedNs, records[i-1].Index)
		}
	}
}

// TestClientThatGoesAwayFreesItsPlace: its request is cancelled in the model.
func TestClientThatGoesAwayFreesItsPlace(t *testing.T) {
	s := start(t, Options{Server: servermodel.Config{BatchLimit: 1, TokenNs: 1e9}})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	body := strings.NewReader(request("hello", `,"max_tokens":1000`))
	r, err := http.NewRequestWithContext(ctx, "POST", s.URL()+"/v1/chat/completions", body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cancel()
	response.Body.Close()
	if _, stream := post(t, s, request("next", `,"max_tokens":1`)); len(events(t, stream)) != 2 {
		t.Errorf("the next request got %q", stream)
	}
	for _, record := range s.Records() {
		if record.Index == 0 && record.Outcome != "client_gone" {
			t.Errorf("record %+v", record)
		}
	}
}

func TestControlHooks(t *testing.T) {
	s := start(t, Options{})
	hook := func(path string) int {
		response, err := http.Post(s.URL()+path, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	post(t, s, request(strings.Repeat("x", 1000), `,"max_tokens":1`))
	for _, row := range []struct {
		path   string
		status int
	}{{"/reset_prefix_cache", 200}, {"/start_profile", 200}, {"/start_profile", 409}, {"/stop_profile", 200}, {"/stop_profile", 409}} {
		if got := hook(row.path); got != row.status {
			t.Errorf("%s: %d; expected %d", row.path, got, row.status)
		}
	}
	if _, load := s.engine.snapshot(); load.CachedTokens != 0 {
		t.Errorf("%d tokens cached after a reset", load.CachedTokens)
	}
}
