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

// Bodies rebuilds request bodies from a bundle and the log and compares their BLAKE3 with the recorded
// one. A nil Bodies checks nothing and says so.
type Bodies struct {
	bundle  *bundle.Bundle
	options wire.Options
	stream  bool
	target  sched.CacheBust

	texts   map[int]*bundle.Text
	plays   map[int64]playFacts
	streams map[int64]int // conversation of each stream
	open    map[int64]sentTurn
	body    []byte
	buffer  prompt.Buffer
	count   int64
}

type playFacts struct {
	plan   int
	marker []byte // JSON-escaped
}

type sentTurn struct {
	play, stream int64
	turn         int
	maxTokens    int64
	seq          eventlog.Seq
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

func (b *Bodies) row(row eventlog.Event, header *header, result *Result) error {
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
		b.open[row.Exchange] = sentTurn{row.Play, row.Stream, int(row.Turn), sent.MaxTokens, row.Seq}
	case eventlog.KindExchangeEnd:
		return b.compare(row, header, result)
	}
	return nil
}

// compare rebuilds the body of an exchange that has ended. A request that was not written whole has no
// digest to compare with.
func (b *Bodies) compare(row eventlog.Event, header *header, result *Result) error {
	end, err := eventlog.Decode[eventlog.ExchangeEnd](row)
	if err != nil {
		return err
	}
	sent, known := b.open[row.Exchange]
	delete(b.open, row.Exchange)
	play, alive := b.plays[sent.play]
	if !known || !alive || end.BodyDigest == "" {
		return nil
	}
	body, err := b.rebuild(header, play, sent)
	if err != nil {
		return err
	}
	digest := blake3.Sum256(body)
	if hex.EncodeToString(digest[:]) != end.BodyDigest {
		result.add(checkBody, sent.seq, "the body of exchange %d as bundle and log give it has BLAKE3 %x…, the run sent %.16s…", row.Exchange, digest[:8], end.BodyDigest)
	}
	b.count++
	return nil
}

func (b *Bodies) rebuild(header *header, play playFacts, sent sentTurn) ([]byte, error) {
	text, err := b.text(play.plan)
	if err != nil {
		return nil, err
	}
	plan := header.plans[play.plan]
	conversation := b.streams[sent.stream]
	turn := &plan.Conversations[conversation].Turns[sent.turn]
	var history prompt.History
	history.Advance(&plan.Conversations[conversation], sent.turn)
	place := prompt.PlaceMarker(b.target, history.Messages)
	maxTokens := turn.MaxOut
	if sent.maxTokens != 0 {
		maxTokens = sent.maxTokens
	}
	b.body = wire.AppendBody(b.body[:0], &b.options, &wire.Body{
		Messages:  b.buffer.Fill(text, conversation, history.Messages, place, play.marker),
		Model:     sentModel(header, play.plan, turn.Model),
		Stream:    b.stream,
		MaxTokens: maxTokens,
	})
	return b.body, nil
}

func (b *Bodies) text(plan int) (*bundle.Text, error) {
	if text := b.texts[plan]; text != nil {
		return text, nil
	}
	text, err := b.bundle.Text(plan)
	if err != nil {
		return nil, err
	}
	b.texts[plan] = text
	return text, nil
}

func sentModel(header *header, plan, model int) string {
	for i := range header.models {
		if header.models[i].Plan == plan && model < len(header.models[i].Sent) {
			return header.models[i].Sent[model]
		}
	}
	return ""
}

func (b *Bodies) finish(result *Result) {
	if b == nil {
		result.NotDone = append(result.NotDone, "body: request bodies need the bundle (--bundle FILE)")
		return
	}
	result.Done = append(result.Done, fmt.Sprintf("body: %d request bodies rebuilt from the bundle and compared", b.count))
}
