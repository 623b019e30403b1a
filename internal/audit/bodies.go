package audit

import (
	"encoding/hex"
	"fmt"
	"strings"

	"agentx/corpus/bundle"
	"agentx/eventlog"
	"agentx/internal/prompt"
	"agentx/sched"
	"agentx/wire"

	"github.com/zeebo/blake3"
)

const checkBody = "body"

// bodyQueue bounds the requests that wait to be rebuilt.
const bodyQueue = 256

// Bodies rebuilds request bodies from a bundle and the log and compares their BLAKE3 with the recorded
// one, on a goroutine of its own: nearly all of an audit's bytes are here. A nil Bodies checks nothing.
type Bodies struct {
	bundle  *bundle.Bundle
	options wire.Options
	stream  bool
	target  sched.CacheBust

	// Of the pass over the log.
	plays   map[int64]playFacts
	streams map[int64]int // conversation of each stream
	open    map[int64]sentTurn
	without int64
	queue   chan sentTurn
	done    chan struct{}

	// Of the goroutine that rebuilds, until done is closed.
	header   *header
	texts    map[int]*bundle.Text
	body     []byte
	buffer   prompt.Buffer
	count    int64
	findings []Finding
	err      error
}

type playFacts struct {
	plan   int
	marker []byte // JSON-escaped
}

// sentTurn is a request that was sent.
type sentTurn struct {
	exchange     int64
	seq          eventlog.Seq // of its dispatch
	play         playFacts
	conversation int
	turn         int
	maxTokens    int64
	digest       string // as recorded
}

// NewBodies takes the bundle that the run replayed and the settings that shape bodies.
func NewBodies(b *bundle.Bundle, config eventlog.RunConfig) (*Bodies, error) {
	if got := b.ContentDigest().String(); got != config.Bundle.ContentDigest {
		return nil, fmt.Errorf("bundle %s has the content digest %s, the run replayed %s: give the bundle of the run", b.Path(), got, config.Bundle.ContentDigest)
	}
	extra, err := wire.ParseFields(words(config.Settings["extra-inputs"]))
	if err != nil {
		return nil, fmt.Errorf("extra inputs in the log: %w", err)
	}
	return &Bodies{
		bundle: b,
		options: wire.Options{
			Extra:           extra,
			LegacyMaxTokens: config.Settings["use-legacy-max-tokens"] == true,
			PerChunkUsage:   config.Settings["per-chunk-usage"] == true,
		},
		stream:  config.Settings["streaming"] == true,
		target:  sched.CacheBust(fmt.Sprint(config.Settings["cache-bust"])),
		texts:   map[int]*bundle.Text{},
		plays:   map[int64]playFacts{},
		streams: map[int64]int{},
		open:    map[int64]sentTurn{},
	}, nil
}

// words reads a list of strings out of settings that were JSON.
func words(value any) []string {
	list, _ := value.([]any)
	text := make([]string, 0, len(list))
	for _, word := range list {
		text = append(text, fmt.Sprint(word))
	}
	return text
}

// begin starts the goroutine that rebuilds. It must be awaited by end.
func (b *Bodies) begin(header *header) {
	if b == nil {
		return
	}
	b.header = header
	b.queue, b.done = make(chan sentTurn, bodyQueue), make(chan struct{})
	go func() {
		defer close(b.done)
		for sent := range b.queue {
			if b.err == nil {
				b.err = b.compare(&sent)
			}
		}
	}()
}

// end waits until everything is compared, and reports what was found.
func (b *Bodies) end(result *Result) error {
	if b == nil {
		return nil
	}
	close(b.queue)
	<-b.done
	for _, finding := range b.findings {
		result.find(finding)
	}
	return b.err
}

func (b *Bodies) row(row eventlog.Event) error {
	if b == nil {
		return nil
	}
	switch row.Kind {
	case eventlog.KindTreeOpen:
		opened, err := eventlog.Decode[sched.TreeOpen](row)
		if err != nil {
			return err
		}
		marker := strings.ReplaceAll(prompt.Marker(b.target, opened.Marker), "\n", `\n`)
		b.plays[row.Play] = playFacts{opened.Plan, []byte(marker)}
	case eventlog.KindStreamOpen:
		opened, err := eventlog.Decode[sched.StreamOpen](row)
		if err != nil {
			return err
		}
		b.streams[row.Stream] = opened.Conversation
	case eventlog.KindDispatch:
		sent, err := eventlog.Decode[sched.Dispatch](row)
		if err != nil {
			return err
		}
		play, opened := b.plays[row.Play]
		if conversation, known := b.streams[row.Stream]; known && opened {
			b.open[row.Exchange] = sentTurn{
				exchange: row.Exchange, seq: row.Seq, play: play, conversation: conversation, turn: int(row.Turn), maxTokens: sent.MaxTokens,
			}
		}
	case eventlog.KindExchangeEnd:
		return b.ended(row)
	}
	return nil
}

// ended hands a request over to be rebuilt. One that was not written whole has no digest to compare with.
func (b *Bodies) ended(row eventlog.Event) error {
	end, err := eventlog.Decode[eventlog.ExchangeEnd](row)
	if err != nil {
		return err
	}
	sent, known := b.open[row.Exchange]
	delete(b.open, row.Exchange)
	switch {
	case !known: // the wire check has told
	case end.BodyDigest == "":
		b.without++
	default:
		sent.digest = end.BodyDigest
		b.queue <- sent
	}
	return nil
}

// compare rebuilds one body.
func (b *Bodies) compare(sent *sentTurn) error {
	if err := b.rebuild(sent); err != nil {
		return fmt.Errorf("rebuilding the request of exchange %d: %w", sent.exchange, err)
	}
	digest := blake3.Sum256(b.body)
	if hex.EncodeToString(digest[:]) != sent.digest {
		b.findings = append(b.findings, Finding{checkBody, []eventlog.Seq{sent.seq}, fmt.Sprintf(
			"the body of exchange %d as bundle and log give it has BLAKE3 %x…, the run sent %.16s…", sent.exchange, digest[:8], sent.digest)})
	}
	b.count++
	return nil
}

func (b *Bodies) rebuild(sent *sentTurn) error {
	text, err := b.text(sent.play.plan)
	if err != nil {
		return err
	}
	plan, err := b.header.plan(sent.play.plan)
	if err != nil {
		return err
	}
	if sent.conversation >= len(plan.Conversations) || sent.turn >= len(plan.Conversations[sent.conversation].Turns) {
		return fmt.Errorf("trace %s has no conversation %d with a turn %d", plan.Trace, sent.conversation, sent.turn)
	}
	conversation := &plan.Conversations[sent.conversation]
	turn := &conversation.Turns[sent.turn]
	var history prompt.History
	history.Advance(conversation, sent.turn)
	place := prompt.PlaceMarker(b.target, history.Messages)
	maxTokens := turn.MaxOut
	if sent.maxTokens != 0 {
		maxTokens = sent.maxTokens
	}
	b.body = wire.AppendBody(b.body[:0], &b.options, &wire.Body{
		Messages:  b.buffer.Fill(text, sent.conversation, history.Messages, place, sent.play.marker),
		Model:     b.header.sentModel(sent.play.plan, turn.Model),
		Stream:    b.stream,
		MaxTokens: maxTokens,
	})
	return nil
}

func (b *Bodies) text(plan int) (*bundle.Text, error) {
	if text := b.texts[plan]; text != nil {
		return text, nil
	}
	if plan < 0 || plan >= len(b.bundle.Manifest().Traces) {
		return nil, fmt.Errorf("the bundle has no trace %d", plan)
	}
	text, err := b.bundle.Text(plan)
	if err != nil {
		return nil, err
	}
	b.texts[plan] = text
	return text, nil
}
