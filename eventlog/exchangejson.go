package eventlog

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// MarshalJSON gives the stored form, see exchangeForm.
func (end ExchangeEnd) MarshalJSON() ([]byte, error) { return end.appendJSON(nil), nil }

// appendJSON writes the stored form by hand: it is made for every request, and encoding/json takes
// seven microseconds for it.
func (end *ExchangeEnd) appendJSON(to []byte) []byte {
	o := object{bytes: append(to, '{')}
	o.text("o", string(end.Outcome))
	o.textIf("c", end.Class)
	o.textIf("why", end.Reason)
	end.appendError(&o)
	o.textIf("over", end.Overflow)
	o.text("id", end.RequestID)
	if end.Status != defaultStatus {
		o.number("st", int64(end.Status))
	}
	if end.Protocol != defaultProtocol {
		o.text("p", end.Protocol)
	}
	end.appendStamps(&o)
	o.optional("d", false, end.ConnWaitNs, end.DNSNs, end.ConnectNs, end.TLSNs)
	values := end.values()
	o.list("v", values[:])
	o.textIf("b", packDigest(end.BodyDigest))
	counts := end.Chunks.list()
	o.list("k", counts[:])
	o.texts("fin", end.FinishReasons)
	o.textIf("m", end.Model)
	if end.Usage != nil {
		places := end.Usage.places()
		var counted [len(places)]*int64
		for i, place := range places {
			counted[i] = *place
		}
		o.optional("u", true, counted[:]...)
	}
	if end.FirstChunkTokens != nil {
		o.number("fct", *end.FirstChunkTokens)
	}
	o.optional("n", false, end.OutputTokensLocal, end.ReasoningTokensLocal)
	o.textIf("no", end.NoLocalCount)
	if end.LocalAddr != "" || end.RemoteAddr != "" {
		o.text("a", end.LocalAddr+" "+end.RemoteAddr)
	}
	return append(o.bytes, '}')
}

// appendJSON is what encoding/json gives.
func (written *RequestWritten) appendJSON(to []byte) []byte {
	o := object{bytes: append(to, '{')}
	o.number("n", written.Bytes)
	return append(o.bytes, '}')
}

// appendJSON is what encoding/json gives.
func (first *FirstContent) appendJSON(to []byte) []byte {
	o := object{bytes: append(to, '{')}
	o.text("class", first.Class)
	return append(o.bytes, '}')
}

func (end *ExchangeEnd) appendError(o *object) {
	if end.ErrorCode == nil && end.ErrorType+end.ErrorMessage+end.ErrorCause == "" && len(end.CauseChain) == 0 {
		return
	}
	o.key("err")
	inner := object{bytes: append(o.bytes, '{')}
	if end.ErrorCode != nil {
		inner.number("code", int64(*end.ErrorCode))
	}
	inner.textIf("type", end.ErrorType)
	inner.textIf("msg", end.ErrorMessage)
	inner.textIf("cause", end.ErrorCause)
	inner.texts("chain", end.CauseChain)
	o.bytes = append(inner.bytes, '}')
}

// appendStamps writes start_ns, then each stamp as the difference to the known one before it, null where
// it did not happen; end_ns and cancel_ns come last.
func (end *ExchangeEnd) appendStamps(o *object) {
	between := end.stamps()
	var differences [len(between) + 3]*int64
	var storage [len(between) + 3]int64
	before, n := int64(0), 0
	add := func(stamp *int64) {
		if stamp != nil {
			storage[n] = *stamp - before
			before = *stamp
			differences[n] = &storage[n]
		}
		n++
	}
	add(&end.StartNs)
	for _, place := range between {
		add(*place)
	}
	add(&end.EndNs)
	add(end.CancelNs)
	o.optional("ns", true, differences[:]...)
}

// object appends the members of a JSON object.
type object struct {
	bytes []byte
	more  bool
}

func (o *object) key(name string) {
	if o.more {
		o.bytes = append(o.bytes, ',')
	}
	o.more = true
	o.bytes = append(append(append(o.bytes, '"'), name...), '"', ':')
}

func (o *object) text(name, value string) {
	o.key(name)
	o.bytes = appendText(o.bytes, value)
}

// raw writes a value that is JSON already.
func (o *object) raw(name string, value []byte) {
	o.key(name)
	o.bytes = append(o.bytes, value...)
}

// join appends members that are JSON already.
func (o *object) join(members []byte) {
	if o.more {
		o.bytes = append(o.bytes, ',')
	}
	o.more = true
	o.bytes = append(o.bytes, members...)
}

func (o *object) textIf(name, value string) {
	if value != "" {
		o.text(name, value)
	}
}

func (o *object) texts(name string, values []string) {
	if len(values) == 0 {
		return
	}
	o.key(name)
	for i, value := range values {
		o.bytes = append(o.bytes, "[,"[min(i, 1)])
		o.bytes = appendText(o.bytes, value)
	}
	o.bytes = append(o.bytes, ']')
}

// number writes one number.
func (o *object) number(name string, value int64) {
	o.key(name)
	o.bytes = strconv.AppendInt(o.bytes, value, 10)
}

// list writes an array without the zeros at its end, and nothing where all are 0.
func (o *object) list(name string, values []int64) {
	for len(values) > 0 && values[len(values)-1] == 0 {
		values = values[:len(values)-1]
	}
	if len(values) == 0 {
		return
	}
	o.key(name)
	for i, value := range values {
		o.bytes = append(o.bytes, "[,"[min(i, 1)])
		o.bytes = strconv.AppendInt(o.bytes, value, 10)
	}
	o.bytes = append(o.bytes, ']')
}

// optional writes an array with null for what is not known, without the nulls at its end; where nothing
// is known it writes an empty one if always, else nothing.
func (o *object) optional(name string, always bool, values ...*int64) {
	for len(values) > 0 && values[len(values)-1] == nil {
		values = values[:len(values)-1]
	}
	if len(values) == 0 && !always {
		return
	}
	o.key(name)
	o.bytes = append(o.bytes, '[')
	for i, value := range values {
		if i > 0 {
			o.bytes = append(o.bytes, ',')
		}
		if value == nil {
			o.bytes = append(o.bytes, "null"...)
		} else {
			o.bytes = strconv.AppendInt(o.bytes, *value, 10)
		}
	}
	o.bytes = append(o.bytes, ']')
}

// appendText writes a JSON string; only what needs no escaping is done by hand.
func appendText(to []byte, value string) []byte {
	for i := range len(value) {
		if c := value[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			return appendQuoted(to, value)
		}
	}
	return append(append(append(to, '"'), value...), '"')
}

func appendQuoted(to []byte, value string) []byte {
	buffer := bytes.NewBuffer(to)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // a string always encodes
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
