package mockserver

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// Record is what one request really met. Times are nanoseconds on the machine's monotonic clock (on
// Linux CLOCK_MONOTONIC), 0 where the thing did not happen. They are taken at the socket, below TLS:
// after a read returned, before a write began.
type Record struct {
	Index         int64  `json:"index"` // number of the request, from 0, in order of arrival
	RequestID     string `json:"request_id,omitempty"`
	CorrelationID string `json:"correlation_id,omitempty"`
	Method        string `json:"method"`
	Path          string `json:"path"`
	Protocol      string `json:"protocol"`
	Connection    int64  `json:"connection"`     // number of the connection, from 1
	OnConnection  int64  `json:"on_connection"`  // number of the request on it, from 1
	ArrivalNs     int64  `json:"arrival_ns"`     // first byte of the request was there
	HandledNs     int64  `json:"handled_ns"`     // its head was parsed
	BodyReadNs    int64  `json:"body_read_ns"`   // its last byte was there
	AdmittedNs    int64  `json:"admitted_ns"`    // left the queue, by the model
	FirstDueNs    int64  `json:"first_due_ns"`   // first token, by the model
	FirstByteNs   int64  `json:"first_byte_ns"`  // first write of the answer began
	FirstTokenNs  int64  `json:"first_token_ns"` // the write that carried the first content began
	EndNs         int64  `json:"end_ns"`         // last write of the answer began
	BodyBytes     int64  `json:"body_bytes"`
	MaxTokens     int    `json:"max_tokens,omitempty"`
	Stream        bool   `json:"stream"`
	PromptTokens  int    `json:"prompt_tokens"`
	CachedTokens  int    `json:"cached_tokens"`
	OutputTokens  int    `json:"output_tokens"`
	Status        int    `json:"status"`
	Outcome       string `json:"outcome"`         // of the model, or fault, rejected, client_gone
	Fault         string `json:"fault,omitempty"` // that was ordered

	ContentNs []int64 `json:"content_ns,omitempty"` // every content write, with Options.RecordContent
}

// recorder keeps the latest records and writes all of them to a file.
type recorder struct {
	mu      sync.Mutex
	keep    int
	records []Record // ring once full
	oldest  int
	file    *os.File
	failed  error
}

func newRecorder(keep int, path string) (*recorder, error) {
	r := &recorder{keep: keep}
	if path != "" {
		file, err := os.Create(path)
		if err != nil {
			return nil, fmt.Errorf("record file: %w", err)
		}
		r.file = file
	}
	return r, nil
}

func (r *recorder) add(record Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.records) < r.keep {
		r.records = append(r.records, record)
	} else {
		r.records[r.oldest] = record
		r.oldest = (r.oldest + 1) % r.keep
	}
	if r.file == nil || r.failed != nil {
		return
	}
	line, err := json.Marshal(record)
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	r.failed = err
}

// list is a copy of the kept records in the order in which the requests ended.
func (r *recorder) list() []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Record, 0, len(r.records))
	list = append(list, r.records[r.oldest:]...)
	return append(list, r.records[:r.oldest]...)
}

// close closes the file and returns the first error of writing it.
func (r *recorder) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	if r.failed != nil {
		err = r.failed
	}
	r.file = nil
	if err != nil {
		return fmt.Errorf("record file: %w", err)
	}
	return nil
}
