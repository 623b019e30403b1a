package run

import (
	"encoding/hex"
	"strings"
	"sync"

	"agentx/eventlog"
	"agentx/wire"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
)

// rawKeeper stores answers as they came, for --export-level raw: each distinct body once. Off the request
// path: its packing runs where answers are counted. A nil keeper keeps nothing.
type rawKeeper struct {
	journal *journal
	client  *wire.Client

	mu     sync.Mutex // orders events, so that a body stands before those that refer to it
	packer *zstd.Encoder
	stored map[[32]byte]bool
}

// rawAnswer is what the wire kept of an exchange until it is stored.
type rawAnswer struct {
	sent       []wire.Header
	head, body []byte
	cut        bool
}

// newRawKeeper is nil unless the run keeps answers.
func (s *session) newRawKeeper() *rawKeeper {
	if s.options.ExportLevel != "raw" {
		return nil
	}
	return &rawKeeper{journal: s.journal, client: s.client, packer: packer(), stored: map[[32]byte]bool{}}
}

// wanted says whether requests should keep their answers.
func (k *rawKeeper) wanted() bool { return k != nil }

// take takes over what an exchange kept.
func (k *rawKeeper) take(request *wire.Request, result *wire.Result) *rawAnswer {
	if k == nil {
		return nil
	}
	return &rawAnswer{k.client.SentHeaders(request), result.RawHead, result.RawBody, result.RawCut}
}

// store logs an answer; it comes before the exchange's end.
func (k *rawKeeper) store(item *finished) {
	if k == nil || item.raw == nil {
		return
	}
	redactor := k.client.Redactor()
	raw := item.raw
	body := redactor.Answer(raw.body)
	payload := eventlog.RawExchange{
		Sent: [][2]string{}, Head: maskedHead(redactor, string(raw.head)), Bytes: int64(len(body)), Cut: raw.cut,
		Masked: len(body) != len(raw.body) || string(body) != string(raw.body),
	}
	for _, header := range raw.sent {
		payload.Sent = append(payload.Sent, [2]string{header.Name, header.Value})
	}
	digest := blake3.Sum256(body)
	if len(body) > 0 {
		payload.Body = hex.EncodeToString(digest[:])
	}
	event, err := eventlog.NewPayload(eventlog.KindRawExchange, item.end.EndNs, payload)
	event.Exchange = item.exchange
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(body) > 0 && !k.stored[digest] {
		k.stored[digest] = true
		event.Data = k.packer.EncodeAll(body, nil)
	}
	k.journal.add(event, err)
}

// maskedHead is the head of an answer without secrets: cookies and the like, and ours that came back.
func maskedHead(redactor *wire.Redactor, head string) string {
	lines := strings.SplitAfter(head, "\n")
	for i, line := range lines {
		name, _, found := strings.Cut(line, ":")
		if found && i > 0 && wire.SecretName(name) {
			lines[i] = name + ": " + wire.Masked + "\r\n"
		}
	}
	return redactor.Text(strings.Join(lines, ""))
}
