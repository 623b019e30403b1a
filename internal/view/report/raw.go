package report

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"agentx/internal/measure"
)

// NoTime marks a moment that is not known.
const NoTime int64 = math.MinInt64

// Raw gives requests and answers as they went over the wire; its methods may be called at the same time.
type Raw interface {
	// Exchanges yields every exchange that ended, in the order of the log. What it yields is valid until
	// the next one.
	Exchanges() iter.Seq2[*RawExchange, error]
	// Texts are the texts of the answers that were kept, by exchange.
	Texts() (map[int64]AnswerText, error)
	// Missing names the fields that cannot be given, each with the reason.
	Missing() []string
}

// RawExchange is a request with its answer. Times are ns on the run's clock.
type RawExchange struct {
	Exchange             int64
	Marker, MarkerTarget string // cache-bust marker as sent; empty without one
	Payload              []byte // JSON body as sent; nil where there is no bundle

	Kept            bool // the run kept the answer: the fields below are known
	RequestHeaders  [][2]string
	ResponseHeaders [][2]string
	Responses       []RawResponse
	Cut             bool // the answer was longer than what was kept
}

// RawResponse is one message of an answer: the fields of an event, or the text of an answer that is no
// stream.
type RawResponse struct {
	AtNs        int64 // NoTime where it is not known
	Packets     [][2]string
	Text        string
	ContentType string
}

// AnswerText is what an answer said.
type AnswerText struct{ Text, Reasoning string }

// Empty says that there was no output.
func (t AnswerText) Empty() bool { return t.Text == "" && t.Reasoning == "" }

// rawRecords is profile_export_raw.jsonl (spec exports 5, wire 15): every exchange that ended, warmup and
// overflows included, in the order of the log.
func rawRecords(w io.Writer, a *measure.Analysis, set *Set) error {
	if set.Raw == nil {
		return fmt.Errorf("%s: no source of requests and answers was given", rawName)
	}
	records := make(map[int64]*measure.Record, len(a.Records))
	for _, r := range a.Records {
		if r.Exchange >= 0 {
			records[r.Exchange] = r
		}
	}
	file := lines{to: w}
	missing := missingFields(set.Raw, func(field string) bool { return field != textField })
	for exchange, err := range set.Raw.Exchanges() {
		if err != nil {
			return err
		}
		r := records[exchange.Exchange]
		if r == nil {
			continue // its dispatch is not in the log: nothing says which turn it was
		}
		if err := file.write(rawRecord(a, r, exchange, missing)); err != nil {
			return err
		}
	}
	return nil
}

// textField is the only field of outputs.json that a Raw gives; its others are of profile_export_raw.jsonl.
const textField = "response_text"

// missingFields are those lines of Missing whose field a file has.
func missingFields(raw Raw, has func(field string) bool) []string {
	return slices.DeleteFunc(slices.Clone(raw.Missing()), func(line string) bool {
		field, _, _ := strings.Cut(line, ":")
		return !has(field)
	})
}

func rawRecord(a *measure.Analysis, r *measure.Record, x *RawExchange, missing []string) object {
	var o object
	o.set("metadata", peerMetadata(a, r)).set("start_perf_ns", int64(r.Times.Start))
	if x.Kept {
		o.set("request_headers", headerObject(x.RequestHeaders))
	}
	if r.HTTP.Status > 0 {
		o.set("status", r.HTTP.Status)
	}
	if x.Kept {
		o.set("response_headers", headerObject(x.ResponseHeaders))
		responses := []object{}
		for i := range x.Responses {
			responses = append(responses, rawResponse(&x.Responses[i]))
		}
		o.set("responses", responses)
	}
	if x.Cut {
		o.set("responses_cut", true)
	}
	if a.Basis.IsError(r) || r.Outcome == measure.OutcomeOverflow || r.Outcome.IsCancelled() {
		o.set("error", recordError(r))
	}
	o.text("cache_bust_marker", x.Marker).text("cache_bust_target", x.MarkerTarget)
	if len(x.Payload) > 0 {
		o.set("payload", json.RawMessage(x.Payload))
	}
	if len(missing) > 0 {
		o.set("omitted", missing)
	}
	return o
}

// headerObject keeps the order; of headers of one name the values are joined.
func headerObject(headers [][2]string) object {
	o := object{}
	at := map[string]int{}
	for _, header := range headers {
		if i, known := at[header[0]]; known {
			o[i].value = o[i].value.(string) + ", " + header[1]
			continue
		}
		at[header[0]] = len(o)
		o.set(header[0], header[1])
	}
	return o
}

func rawResponse(r *RawResponse) object {
	var o object
	if r.AtNs != NoTime {
		o.set("perf_ns", r.AtNs)
	}
	if r.Packets == nil {
		return *o.text("content_type", r.ContentType).set("text", r.Text)
	}
	packets := make([]object, len(r.Packets))
	for i, packet := range r.Packets {
		packets[i].set("name", packet[0]).set("value", packet[1])
	}
	return *o.set("packets", packets)
}
