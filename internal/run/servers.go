package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"agentx/corpus"
	"agentx/eventlog"
	"agentx/internal/serverinfo"

	"github.com/klauspost/compress/zstd"
)

// servers is what a run does with its servers beside sending requests: it waits for them, asks who they
// are, resets their cache, reads their metrics pages, and measures the way to them.
type servers struct {
	options *ServerOptions
	client  *serverinfo.Client
	journal *journal
	say     func(format string, arguments ...any)
	clock   *clock

	plans     []*corpus.Plan
	tokenizer string // name of the bundle's
}

// prepare does what comes before the first request. An error means that the run cannot begin. It leaves no
// connection: some servers keep a thread waiting on each idle one.
func (s *servers) prepare(ctx context.Context) error {
	defer s.client.Close()
	o := s.options
	if o.WaitTimeout > 0 {
		ready := serverinfo.ReadyOptions{
			Models: o.Models, Timeout: seconds(o.WaitTimeout), Interval: seconds(o.WaitInterval), Mode: o.WaitMode,
			Note: func(text string) { s.say("%s", text) },
		}
		if err := s.client.WaitReady(ctx, ready); err != nil {
			return err
		}
	}
	if o.ResetKVCache {
		if err := s.client.ResetCache(ctx, serverinfo.ResetOptions{Path: o.ResetKVPath, Timeout: seconds(o.ResetKVTimeout)}); err != nil {
			return fmt.Errorf("--reset-kv-cache: %w", err)
		}
	}
	return s.identify(ctx)
}

// identify logs what every server says of itself. A run against servers that cannot be reached at all
// does not begin.
func (s *servers) identify(ctx context.Context) error {
	var unreachable []error
	identities := s.client.Identify(ctx)
	for _, identity := range identities {
		info := eventlog.ServerInfo{
			URL: identity.URL, Server: identity.Server, Version: identity.Version,
			Models: identity.Models, MaxModelLen: identity.MaxModelLen, Raw: identity.Raw,
		}
		if identity.Err != nil {
			info.Error = identity.Err.Error()
			if network := (*net.OpError)(nil); errors.As(identity.Err, &network) {
				unreachable = append(unreachable, identity.Err)
			}
		}
		s.journal.Log(eventlog.KindServerInfo, info)
		s.checkModels(&info)
		s.checkWindow(&info)
	}
	if len(identities) > 0 && len(unreachable) == len(identities) {
		return fmt.Errorf("no server can be reached: %w; check --url and that the server is up (--wait-for-model-timeout SECONDS waits for it)", errors.Join(unreachable...))
	}
	return nil
}

// checkModels warns of models that a server does not list; it may know them all the same.
func (s *servers) checkModels(info *eventlog.ServerInfo) {
	if len(info.Models) == 0 {
		return
	}
	for _, model := range s.options.Models {
		if !slices.Contains(info.Models, model) {
			s.warn("model_not_listed", map[string]any{"model": model, "listed": info.Models},
				"%s does not list the model %s; it lists %s: check --model", info.URL, model, strings.Join(info.Models, ", "))
		}
	}
}

// checkWindow warns where the bundle does not fit the server's context window.
func (s *servers) checkWindow(info *eventlog.ServerInfo) {
	if info.MaxModelLen == 0 {
		return
	}
	if fit := fitWindow(s.plans, info.MaxModelLen); fit.turnsOver > 0 {
		facts := map[string]any{"window": info.MaxModelLen, "requests_over": fit.turnsOver, "requests": fit.turns, "traces_over": fit.tracesOver, "peak": fit.peak}
		s.warn("window_too_small", facts, "%s", fit.warning(info.URL, info.MaxModelLen))
	}
}

// agreed logs how the server's token counts compare with the planned ones, and warns where they differ.
func (s *servers) agreed(report agreementReport) {
	facts := map[string]any{"compared": report.Compared, "apart": report.Apart, "predicted": report.Predicted, "factor": report.Factor, "tokenizer": s.tokenizer}
	if report.Apart == 0 {
		s.journal.Notice("info", "token_count_agreement", "the server counts prompt tokens as the bundle's tokenizer does", facts)
		return
	}
	s.warn("token_count_agreement", facts,
		"the server counts %.3f times the prompt tokens that the bundle's tokenizer (%s) gives: prompt lengths are not as recorded; prepare the bundle with the server's own: agentx-prep build --tokenizer TOKENIZER.JSON",
		report.Factor, s.tokenizer)
}

// unframed warns of the first prompt that the chat template does not take.
func (s *servers) unframed(messages int, err error) {
	s.warn("chat_template", map[string]any{"tokenizer": s.tokenizer},
		"--apply-chat-template: the chat template of %s does not take a request of %d messages: %v; such prompts have no local token count (agentx-prep check --template lists them)", s.tokenizer, messages, err)
}

// warn tells the user and the log.
func (s *servers) warn(code string, facts map[string]any, format string, arguments ...any) {
	text := fmt.Sprintf(format, arguments...)
	s.say("warning: %s", text)
	s.journal.Notice("warning", code, text, facts)
}

// watch reads metrics pages and measures round trips until stop is closed.
func (s *servers) watch(ctx context.Context, stop <-chan struct{}) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.client.Close()
	var group sync.WaitGroup
	if !s.options.NoMetrics {
		pages, err := s.client.FindMetrics(ctx, s.options.MetricsURLs)
		if err != nil {
			return err
		}
		if len(pages) == 0 {
			s.client.Close()
		} else {
			group.Go(func() { s.client.ScrapeLoop(ctx, pages, s.interval(), s.scraped) })
		}
	}
	if s.options.NetworkLatencyAuto {
		probe := serverinfo.LatencyOptions{Interval: seconds(s.options.NetworkLatencyInterval)}
		group.Go(func() { s.client.MeasureLatency(ctx, probe, s.connected) })
	}
	<-stop
	cancel()
	group.Wait()
	return nil
}

// defaultScrape is how often metrics pages are read.
const defaultScrape = time.Second

func (s *servers) interval() time.Duration {
	if s.options.MetricsInterval <= 0 {
		return defaultScrape
	}
	return seconds(s.options.MetricsInterval)
}

// scraped logs one reading of a metrics page, the page itself as a zstd frame.
func (s *servers) scraped(scrape serverinfo.Scrape) {
	sample := eventlog.ServerSample{URL: scrape.URL, FetchNs: int64(scrape.Took), Status: scrape.Status}
	if scrape.Err != nil {
		sample.Error = scrape.Err.Error()
	}
	event, err := eventlog.NewPayload(eventlog.KindServerSample, s.clock.at(scrape.At), sample)
	if err == nil && len(scrape.Body) > 0 {
		event.Data = packer().EncodeAll(scrape.Body, nil)
	}
	s.journal.add(event, err)
}

func (s *servers) connected(sample serverinfo.LatencySample) {
	payload := eventlog.NetworkSample{Target: sample.Target, ConnectNs: int64(sample.Took)}
	if sample.Err != nil {
		payload.Error = sample.Err.Error()
	}
	s.journal.add(eventlog.NewPayload(eventlog.KindNetworkSample, s.clock.at(sample.At), payload))
}

// packer compresses metrics pages.
var packer = sync.OnceValue(func() *zstd.Encoder {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return encoder
})

// at is an instant on the run clock.
func (c *clock) at(instant time.Time) int64 { return int64(instant.Sub(c.base)) }
