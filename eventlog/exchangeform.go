package eventlog

import (
	"encoding/hex"
	"encoding/json"
	"strings"
)

// exchangeForm is an ExchangeEnd as the log stores it: half of a run's bytes would be the keys and the
// 13-digit stamps of this one payload otherwise. The view exchanges gives every value a column of its
// own. A field that is added to ExchangeEnd is added here and to appendJSON; a test fills every field
// and looks.
type exchangeForm struct {
	Outcome          Outcome    `json:"o"`
	Class            string     `json:"c,omitempty"`
	Reason           string     `json:"why,omitempty"`
	Error            *errorForm `json:"err,omitempty"`
	Overflow         string     `json:"over,omitempty"`
	RequestID        string     `json:"id"`
	Status           *int       `json:"st,omitempty"` // absent: 200
	Protocol         *string    `json:"p,omitempty"`  // absent: HTTP/1.1
	Stamps           optionals  `json:"ns"`
	Durations        optionals  `json:"d,omitempty"`
	Values           integers   `json:"v,omitempty"`
	BodyDigest       string     `json:"b,omitempty"` // base64, URL alphabet, no padding
	Chunks           integers   `json:"k,omitempty"`
	FinishReasons    []string   `json:"fin,omitempty"`
	Model            string     `json:"m,omitempty"`
	Usage            *optionals `json:"u,omitempty"`
	FirstChunkTokens *int64     `json:"fct,omitempty"`
	Local            optionals  `json:"n,omitempty"`
	NoLocalCount     string     `json:"no,omitempty"`
	Addresses        string     `json:"a,omitempty"` // local, a blank, remote
}

type errorForm struct {
	Code  *int     `json:"code,omitempty"`
	Type  string   `json:"type,omitempty"`
	Text  string   `json:"msg,omitempty"`
	Cause string   `json:"cause,omitempty"`
	Chain []string `json:"chain,omitempty"`
}

// The bits of the first of exchangeForm.Values.
const (
	flagReused = 1 << iota
	flagStreamed
	flagDone
	flagEarly
	flagOverflowLike
)

// defaultStatus and defaultProtocol are left out of the stored form.
const (
	defaultStatus   = 200
	defaultProtocol = "HTTP/1.1"
)

// stamps lists the places of the stamps after start_ns and before end_ns, in the order of the array ns.
func (end *ExchangeEnd) stamps() [10]**int64 {
	return [...]**int64{
		&end.SendStartNs, &end.WrittenNs, &end.FirstByteNs, &end.HeadersNs, &end.FirstTokenNs, &end.FirstTextNs,
		&end.SecondTokenNs, &end.LastTokenNs, &end.LastResponseNs, &end.LastByteNs,
	}
}

// flags is the first of the values.
func (end *ExchangeEnd) flags() int64 {
	flags := int64(0)
	for _, bit := range [...]struct {
		set  bool
		flag int64
	}{
		{end.Reused, flagReused}, {end.Streamed, flagStreamed}, {end.Done, flagDone}, {end.Early, flagEarly},
		{end.OverflowLike, flagOverflowLike},
	} {
		if bit.set {
			flags |= bit.flag
		}
	}
	return flags
}

// values is the array v.
func (end *ExchangeEnd) values() [12]int64 {
	return [...]int64{
		end.flags(), end.SentBytes, end.ReceivedBytes, int64(end.Writes), int64(end.Reads),
		end.PromptTokens, end.MarkerTokens, end.ReachTokens, end.MaxTokens, end.ReadDelayMaxNs,
		int64(end.URLIndex), int64(end.Resends),
	}
}

func (end *ExchangeEnd) setValues(list []int64) {
	var values [12]int64
	copy(values[:], list)
	flags := values[0]
	end.Reused, end.Streamed, end.Done = flags&flagReused != 0, flags&flagStreamed != 0, flags&flagDone != 0
	end.Early, end.OverflowLike = flags&flagEarly != 0, flags&flagOverflowLike != 0
	end.SentBytes, end.ReceivedBytes, end.Writes, end.Reads = values[1], values[2], int(values[3]), int(values[4])
	end.PromptTokens, end.MarkerTokens, end.ReachTokens, end.MaxTokens = values[5], values[6], values[7], values[8]
	end.ReadDelayMaxNs, end.URLIndex, end.Resends = values[9], int(values[10]), int(values[11])
}

// UnmarshalJSON reads the stored form.
func (end *ExchangeEnd) UnmarshalJSON(encoded []byte) error {
	var form exchangeForm
	if err := json.Unmarshal(encoded, &form); err != nil {
		return err
	}
	*end = ExchangeEnd{
		Outcome: form.Outcome, Class: form.Class, Reason: form.Reason, Overflow: form.Overflow,
		RequestID: form.RequestID, Status: valueOr(form.Status, defaultStatus),
		Protocol: valueOr(form.Protocol, defaultProtocol), BodyDigest: unpackDigest(form.BodyDigest),
		FinishReasons: form.FinishReasons, Model: form.Model, FirstChunkTokens: form.FirstChunkTokens,
		NoLocalCount: form.NoLocalCount,
	}
	end.LocalAddr, end.RemoteAddr, _ = strings.Cut(form.Addresses, " ")
	end.setStamps(form.Stamps)
	end.setValues(form.Values)
	spread(form.Durations, &end.ConnWaitNs, &end.DNSNs, &end.ConnectNs, &end.TLSNs)
	spread(form.Local, &end.OutputTokensLocal, &end.ReasoningTokensLocal)
	end.Chunks.set(form.Chunks)
	if form.Error != nil {
		end.setError(form.Error)
	}
	if form.Usage != nil {
		end.Usage = &Usage{}
		places := end.Usage.places()
		spread(*form.Usage, places[:]...)
	}
	return nil
}

func (end *ExchangeEnd) setError(form *errorForm) {
	end.ErrorCode, end.ErrorType, end.ErrorMessage = form.Code, form.Type, form.Text
	end.ErrorCause, end.CauseChain = form.Cause, form.Chain
}

// setStamps adds up the differences of the array ns.
func (end *ExchangeEnd) setStamps(list []*int64) {
	endNs, startNs := &end.EndNs, &end.StartNs
	between := end.stamps()
	var places [len(between) + 3]**int64
	places[0], places[len(between)+1], places[len(between)+2] = &startNs, &endNs, &end.CancelNs
	copy(places[1:], between[:])
	at := int64(0)
	for i := range min(len(list), len(places)) {
		if list[i] == nil {
			continue
		}
		at += *list[i]
		*list[i] = at
		*places[i] = list[i]
	}
	end.StartNs, end.EndNs = *startNs, *endNs
}

// list is the counts in the order of the classes of chunks.
func (counts *ChunkCounts) list() [chunkClasses]int64 {
	return [...]int64{
		int64(counts.Role), int64(counts.Reasoning), int64(counts.Text), int64(counts.Tool), int64(counts.Usage),
		int64(counts.Done), int64(counts.KeepAlive), int64(counts.Error), int64(counts.Other),
	}
}

func (counts *ChunkCounts) set(list []int64) {
	places := [...]*int{
		&counts.Role, &counts.Reasoning, &counts.Text, &counts.Tool, &counts.Usage, &counts.Done,
		&counts.KeepAlive, &counts.Error, &counts.Other,
	}
	for i := range min(len(list), len(places)) {
		*places[i] = int(list[i])
	}
}

// places are the counts in the order of the array u.
func (usage *Usage) places() [10]**int64 {
	return [...]**int64{
		&usage.Prompt, &usage.Completion, &usage.Total, &usage.Reasoning, &usage.CacheRead, &usage.CacheWrite,
		&usage.CacheMiss, &usage.AcceptedPrediction, &usage.RejectedPrediction,
		&usage.ToolUsePrompt,
	}
}

func spread(list []*int64, places ...**int64) {
	for i := range min(len(list), len(places)) {
		*places[i] = list[i]
	}
}

func valueOr[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// packDigest turns the hex of a digest into base64, a third shorter; anything else stays as it is.
func packDigest(text string) string {
	var raw Digest
	if len(text) != 2*len(raw) {
		return text
	}
	if _, err := hex.Decode(raw[:], []byte(text)); err != nil {
		return text
	}
	return digestText().EncodeToString(raw[:])
}

func unpackDigest(text string) string {
	if raw, err := digestText().DecodeString(text); err == nil && len(raw) == len(Digest{}) {
		return hex.EncodeToString(raw)
	}
	return text
}
