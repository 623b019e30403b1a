package eventlog

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// exchangeForm is an ExchangeEnd as the log stores it: half of a run's bytes would be the keys and the
// 13-digit stamps of this one payload otherwise. The view exchanges gives every value a column of its
// own. A field that is added to ExchangeEnd is added here; a test fills every field and looks.
type exchangeForm struct {
	Outcome          Outcome    `json:"o"`
	Class            string     `json:"c,omitempty"`
	Reason           string     `json:"why,omitempty"`
	Error            *errorForm `json:"err,omitempty"`
	Overflow         string     `json:"over,omitempty"`
	RequestID        string     `json:"id"`
	Status           *int       `json:"st,omitempty"` // absent: 200
	Protocol         *string    `json:"p,omitempty"`  // absent: HTTP/1.1
	URLIndex         int        `json:"url,omitempty"`
	Flags            int        `json:"f,omitempty"`
	Resends          int        `json:"rs,omitempty"`
	Stamps           []*int64   `json:"ns"`
	Durations        []*int64   `json:"d,omitempty"`
	Bytes            []int64    `json:"io"`
	BodyDigest       string     `json:"b,omitempty"` // base64, URL alphabet, no padding
	Planned          []int64    `json:"t"`
	Chunks           []int      `json:"k,omitempty"`
	FinishReasons    []string   `json:"fin,omitempty"`
	Model            string     `json:"m,omitempty"`
	Usage            *[]*int64  `json:"u,omitempty"`
	FirstChunkTokens *int64     `json:"fct,omitempty"`
	Local            []*int64   `json:"n,omitempty"`
	NoLocalCount     string     `json:"no,omitempty"`
	ReadDelayMaxNs   int64      `json:"rd,omitempty"`
	LocalAddr        string     `json:"la,omitempty"`
	RemoteAddr       string     `json:"ra,omitempty"`
}

type errorForm struct {
	Code  *int     `json:"code,omitempty"`
	Type  string   `json:"type,omitempty"`
	Text  string   `json:"msg,omitempty"`
	Cause string   `json:"cause,omitempty"`
	Chain []string `json:"chain,omitempty"`
}

// The bits of exchangeForm.Flags.
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

// stamps lists the places of the stamps after start_ns, in the order of the array ns.
func (end *ExchangeEnd) stamps() []**int64 {
	return []**int64{
		&end.SendStartNs, &end.WrittenNs, &end.FirstByteNs, &end.HeadersNs, &end.FirstTokenNs, &end.FirstTextNs,
		&end.SecondTokenNs, &end.LastTokenNs, &end.LastResponseNs, &end.LastByteNs,
	}
}

// MarshalJSON gives the stored form.
func (end ExchangeEnd) MarshalJSON() ([]byte, error) {
	form := exchangeForm{
		Outcome: end.Outcome, Class: end.Class, Reason: end.Reason, Overflow: end.Overflow,
		RequestID: end.RequestID, URLIndex: end.URLIndex, Resends: end.Resends,
		Flags: flagIf(end.Reused, flagReused) | flagIf(end.Streamed, flagStreamed) | flagIf(end.Done, flagDone) |
			flagIf(end.Early, flagEarly) | flagIf(end.OverflowLike, flagOverflowLike),
		Stamps:        end.relativeStamps(),
		Durations:     trimmed([]*int64{end.ConnWaitNs, end.DNSNs, end.ConnectNs, end.TLSNs}),
		Bytes:         []int64{end.SentBytes, end.ReceivedBytes, int64(end.Writes), int64(end.Reads)},
		BodyDigest:    packDigest(end.BodyDigest),
		Planned:       []int64{end.PromptTokens, end.MarkerTokens, end.ReachTokens, end.MaxTokens},
		Chunks:        end.Chunks.list(),
		FinishReasons: end.FinishReasons, Model: end.Model, FirstChunkTokens: end.FirstChunkTokens,
		Local:        trimmed([]*int64{end.OutputTokensLocal, end.ReasoningTokensLocal}),
		NoLocalCount: end.NoLocalCount, ReadDelayMaxNs: end.ReadDelayMaxNs,
		LocalAddr: end.LocalAddr, RemoteAddr: end.RemoteAddr,
	}
	if end.Status != defaultStatus {
		form.Status = &end.Status
	}
	if end.Protocol != defaultProtocol {
		form.Protocol = &end.Protocol
	}
	failure := errorForm{end.ErrorCode, end.ErrorType, end.ErrorMessage, end.ErrorCause, end.CauseChain}
	if failure.Code != nil || failure.Type+failure.Text+failure.Cause != "" || failure.Chain != nil {
		form.Error = &failure
	}
	if end.Usage != nil {
		list := trimmed(values(end.Usage.places()))
		form.Usage = &list
	}
	return json.Marshal(form)
}

// UnmarshalJSON reads the stored form.
func (end *ExchangeEnd) UnmarshalJSON(encoded []byte) error {
	var form exchangeForm
	if err := json.Unmarshal(encoded, &form); err != nil {
		return err
	}
	*end = ExchangeEnd{
		Outcome: form.Outcome, Class: form.Class, Reason: form.Reason, Overflow: form.Overflow,
		RequestID: form.RequestID, URLIndex: form.URLIndex, Resends: form.Resends,
		Status: valueOr(form.Status, defaultStatus), Protocol: valueOr(form.Protocol, defaultProtocol),
		Reused: form.Flags&flagReused != 0, Streamed: form.Flags&flagStreamed != 0, Done: form.Flags&flagDone != 0,
		Early: form.Flags&flagEarly != 0, OverflowLike: form.Flags&flagOverflowLike != 0,
		BodyDigest:    unpackDigest(form.BodyDigest),
		FinishReasons: form.FinishReasons, Model: form.Model, FirstChunkTokens: form.FirstChunkTokens,
		NoLocalCount: form.NoLocalCount, ReadDelayMaxNs: form.ReadDelayMaxNs,
		LocalAddr: form.LocalAddr, RemoteAddr: form.RemoteAddr,
	}
	end.setStamps(form.Stamps)
	spread(form.Durations, &end.ConnWaitNs, &end.DNSNs, &end.ConnectNs, &end.TLSNs)
	spread(form.Local, &end.OutputTokensLocal, &end.ReasoningTokensLocal)
	form.Bytes = append(form.Bytes, 0, 0, 0, 0)
	end.SentBytes, end.ReceivedBytes = form.Bytes[0], form.Bytes[1]
	end.Writes, end.Reads = int(form.Bytes[2]), int(form.Bytes[3])
	form.Planned = append(form.Planned, 0, 0, 0, 0)
	end.PromptTokens, end.MarkerTokens, end.ReachTokens, end.MaxTokens = form.Planned[0], form.Planned[1], form.Planned[2], form.Planned[3]
	end.Chunks.set(form.Chunks)
	if failure := form.Error; failure != nil {
		end.ErrorCode, end.ErrorType, end.ErrorMessage = failure.Code, failure.Type, failure.Text
		end.ErrorCause, end.CauseChain = failure.Cause, failure.Chain
	}
	if form.Usage != nil {
		end.Usage = &Usage{}
		spread(*form.Usage, end.Usage.places()...)
	}
	return nil
}

// relativeStamps is start_ns, then each stamp as the difference to the one before it that is known,
// null where it is not; end_ns and cancel_ns come last.
func (end *ExchangeEnd) relativeStamps() []*int64 {
	places := end.stamps()
	list := make([]*int64, 0, len(places)+3)
	before := int64(0)
	add := func(stamp *int64) {
		if stamp == nil {
			list = append(list, nil)
			return
		}
		difference := *stamp - before
		before = *stamp
		list = append(list, &difference)
	}
	add(&end.StartNs)
	for _, place := range places {
		add(*place)
	}
	add(&end.EndNs)
	add(end.CancelNs)
	return trimmed(list)
}

func (end *ExchangeEnd) setStamps(list []*int64) {
	endNs, startNs := &end.EndNs, &end.StartNs
	places := slices.Concat([]**int64{&startNs}, end.stamps(), []**int64{&endNs, &end.CancelNs})
	at := int64(0)
	for i := range min(len(list), len(places)) {
		if list[i] == nil {
			continue
		}
		at += *list[i]
		stamp := at
		*places[i] = &stamp
	}
	end.StartNs, end.EndNs = *startNs, *endNs
}

// list is the counts in the order of the classes of chunks, without zeros at the end.
func (counts ChunkCounts) list() []int {
	list := []int{
		counts.Role, counts.Reasoning, counts.Text, counts.Tool, counts.Usage, counts.Done,
		counts.KeepAlive, counts.Error, counts.Other,
	}
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return list
}

func (counts *ChunkCounts) set(list []int) {
	places := []*int{
		&counts.Role, &counts.Reasoning, &counts.Text, &counts.Tool, &counts.Usage, &counts.Done,
		&counts.KeepAlive, &counts.Error, &counts.Other,
	}
	for i := range min(len(list), len(places)) {
		*places[i] = list[i]
	}
}

// places are the counts in the order of the array u.
func (usage *Usage) places() []**int64 {
	return []**int64{
		&usage.Prompt, &usage.Completion, &usage.Total, &usage.Reasoning, &usage.CacheRead, &usage.CacheWrite,
		&usage.CacheMiss, &usage.AcceptedPrediction, &usage.RejectedPrediction,
	}
}

func values(places []**int64) []*int64 {
	list := make([]*int64, len(places))
	for i, place := range places {
		list[i] = *place
	}
	return list
}

// trimmed leaves out what is unknown at the end.
func trimmed(list []*int64) []*int64 {
	for len(list) > 0 && list[len(list)-1] == nil {
		list = list[:len(list)-1]
	}
	return list
}

func spread(list []*int64, places ...**int64) {
	for i := range min(len(list), len(places)) {
		*places[i] = list[i]
	}
}

func flagIf(set bool, flag int) int {
	if set {
		return flag
	}
	return 0
}

func valueOr[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// packDigest turns the hex of a digest into base64, a third shorter; anything else stays as it is.
func packDigest(text string) string {
	if raw, err := hex.DecodeString(text); err == nil && len(raw) == len(Digest{}) {
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	return text
}

func unpackDigest(text string) string {
	if raw, err := base64.RawURLEncoding.DecodeString(text); err == nil && len(raw) == len(Digest{}) {
		return hex.EncodeToString(raw)
	}
	return text
}
