package mockserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"agentx/internal/servermodel"
)

// serverName is the Server header.
const serverName = "agentx-mock"

// handler routes requests. Everything but the chat endpoint answers at once.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+chatPath, s.chat)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /version", s.version)
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("POST /reset_prefix_cache", s.resetPrefixCache)
	mux.HandleFunc("POST /start_profile", s.setProfiling(true))
	mux.HandleFunc("POST /stop_profile", s.setProfiling(false))
	mux.HandleFunc("GET /mock/stats", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.Stats()) })
	mux.HandleFunc("GET /mock/records", s.serveRecords)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusNotFound, map[string]string{"detail": "Not Found"})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handlers.Add(1)
		defer s.handlers.Done()
		w.Header().Set("Server", serverName)
		w.Header().Set("X-Mock-Token-Count", s.options.Counter.Name())
		if !s.authorized(r) {
			writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "Unauthorized"})
			return
		}
		if r.URL.Path == chatPath || !s.playOther(w, r) {
			mux.ServeHTTP(w, r)
		}
	})
}

// authorized checks the API key where there is one; as with vLLM it guards the paths below /v1 only.
func (s *Server) authorized(r *http.Request) bool {
	return s.options.APIKey == "" || !strings.HasPrefix(r.URL.Path, "/v1") || r.Header.Get("Authorization") == "Bearer "+s.options.APIKey
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil { // only values of this package come here
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// apiError is an error body in vLLM's form.
type apiError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    int     `json:"code"`
}

func writeError(w http.ResponseWriter, status int, kind, param, message string) {
	body := apiError{Message: message, Type: kind, Code: status}
	if param != "" {
		body.Param = &param
	}
	writeJSON(w, status, map[string]apiError{"error": body})
}

// modelNames are the served names.
func (s *Server) modelNames() []string {
	if len(s.options.Models) == 0 {
		return []string{"mock"}
	}
	return s.options.Models
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	type model struct {
		ID          string `json:"id"`
		Object      string `json:"object"`
		OwnedBy     string `json:"owned_by"`
		MaxModelLen int    `json:"max_model_len,omitempty"`
	}
	var list []model
	for _, name := range s.modelNames() {
		list = append(list, model{name, "model", serverName, s.options.Server.WindowTokens})
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

func (s *Server) version(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"version": serverName, "token_count": s.options.Counter.Name()})
}

func (s *Server) resetPrefixCache(w http.ResponseWriter, _ *http.Request) {
	if !s.engine.resetCache() {
		writeError(w, http.StatusServiceUnavailable, "ServiceUnavailableError", "", "some cache blocks are held by running requests; retry when they have ended")
	}
}

// setProfiling starts or stops the profiler that is not there; doing it twice is refused.
func (s *Server) setProfiling(on bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if !s.profiling.CompareAndSwap(!on, on) {
			writeError(w, http.StatusConflict, "ConflictError", "", fmt.Sprintf("profiling is already set to %v", on))
		}
	}
}

func (s *Server) serveRecords(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/jsonl")
	encoder := json.NewEncoder(w)
	for _, record := range s.Records() {
		if encoder.Encode(record) != nil {
			return // the client went away
		}
	}
}

// metrics is a Prometheus page under vLLM's names.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	stats, load := s.engine.snapshot()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	usage := 0.0
	if load.CapacityTokens > 0 {
		usage = float64(load.HeldTokens) / float64(load.CapacityTokens)
	}
	engine := fmt.Sprintf(`engine="0",model_name=%q`, s.modelNames()[0])
	metric := func(name, kind, help string, value float64) {
		fmt.Fprintf(w, "# HELP vllm:%s %s\n# TYPE vllm:%s %s\nvllm:%s{%s} %g\n", name, help, name, kind, name, engine, value)
	}
	metric("num_requests_running", "gauge", "Requests in the batch.", float64(load.Running))
	metric("num_requests_waiting", "gauge", "Requests in the queue.", float64(load.Waiting))
	metric("kv_cache_usage_perc", "gauge", "Share of the KV cache held by running requests, 0 to 1.", usage)
	metric("prefix_cache_queries_total", "counter", "Prompt tokens looked up in the prefix cache.", float64(stats.QueriedTokens))
	metric("prefix_cache_hits_total", "counter", "Prompt tokens found in the prefix cache.", float64(stats.HitTokens))
	metric("prompt_tokens_total", "counter", "Prompt tokens of admitted requests.", float64(stats.QueriedTokens))
	metric("prompt_tokens_cached_total", "counter", "Prompt tokens that were not computed.", float64(stats.HitTokens))
	metric("generation_tokens_total", "counter", "Output tokens of requests that have ended.", float64(stats.OutputTokens))
	metric("num_preemptions_total", "counter", "Always 0: the model never preempts.", 0)
	writeFinished(w, engine, stats)
	unit := s.engine.model.Config().UnitTokens
	fmt.Fprintf(w, "# HELP vllm:cache_config_info The cache.\n# TYPE vllm:cache_config_info gauge\nvllm:cache_config_info{block_size=\"%d\",num_gpu_blocks=\"%d\",kv_cache_size_tokens=\"%d\",%s} 1\n",
		unit, load.CapacityTokens/int64(unit), load.CapacityTokens, engine)
}

func writeFinished(w io.Writer, engine string, stats servermodel.Stats) {
	fmt.Fprint(w, "# HELP vllm:request_success_total Ended requests by reason.\n# TYPE vllm:request_success_total counter\n")
	for _, row := range []struct {
		reason string
		count  int64
	}{
		{"stop", stats.Stopped},
		{"length", stats.Ended[servermodel.Finished] - stats.Stopped},
		{"abort", stats.Ended[servermodel.Cancelled]},
		{"error", stats.Ended[servermodel.Aborted] + stats.Ended[servermodel.Refused]},
	} {
		fmt.Fprintf(w, "vllm:request_success_total{finished_reason=%q,%s} %d\n", row.reason, engine, row.count)
	}
}
