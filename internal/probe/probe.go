package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentx/internal/serverinfo"
	"agentx/wire"
)

// errEnough ends a request whose output has passed its limit by far.
var errEnough = errors.New("the output has passed the limit")

// Run asks every URL of the options in turn. An error means that the options cannot work, or that ctx
// ended; a server that fails is in the report.
func Run(ctx context.Context, options Options) (*Report, error) {
	options.fill()
	if options.Model == "" {
		return nil, errors.New("no model: give --model NAME as the server knows it")
	}
	report := &Report{}
	for index, url := range options.Wire.URLs {
		server, err := probe(ctx, &options, url, index)
		if err != nil {
			return nil, err
		}
		report.Servers = append(report.Servers, *server)
	}
	return report, ctx.Err()
}

// asker probes one URL.
type asker struct {
	options *Options
	wire    wire.Options
	prompt  string
	id      string
	server  *Server
}

func probe(ctx context.Context, options *Options, url string, index int) (*Server, error) {
	a := &asker{options: options, wire: options.Wire, prompt: options.Quick, server: &Server{URL: wire.RedactURL(url)}}
	a.wire.URLs = []string{url}
	a.id = requestID(options.Seed, index)
	if a.prompt == "" {
		a.prompt = prompt(options.Seed+uint64(index), options.PromptTokens)
	}
	if err := a.identify(ctx); err != nil {
		return nil, err
	}
	if err := a.askAll(ctx); err != nil {
		return nil, err
	}
	a.server.Findings = findings(options, a.server)
	return a.server, nil
}

func (a *asker) identify(ctx context.Context) error {
	client, err := serverinfo.New(a.wire)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, a.options.Timeout)
	defer cancel()
	for _, identity := range client.Identify(ctx) {
		a.server.URL = identity.URL
		a.server.Identity = Identity{Server: identity.Server, Version: identity.Version, Models: identity.Models, WindowTokens: identity.MaxModelLen}
		if identity.Err != nil {
			a.server.Identity.Error = identity.Err.Error()
		}
	}
	return nil
}

// askAll makes the requests. The first asks for the whole output by ignore_eos. The second repeats the
// prompt without it: where the model then ends by itself, the first shows that ignore_eos was honoured.
// Where the server passed the limit, the second gives it under its other name.
func (a *asker) askAll(ctx context.Context) error {
	legacy := a.wire.LegacyMaxTokens
	name := "cold"
	if a.options.Quick != "" {
		name = "quick"
	}
	first, err := a.ask(ctx, name, legacy, true)
	if err != nil {
		return err
	}
	a.server.Requests = append(a.server.Requests, first)
	if a.options.Quick != "" || ctx.Err() != nil {
		return nil
	}
	if first.Outcome != string(wire.OutcomeOK) && !first.stopped && first.Status/100 != 4 {
		return nil // a server that does not answer is not asked again; one that refuses may refuse ignore_eos
	}
	second, err := a.ask(ctx, "repeat", legacy != passed(&first), false)
	if err != nil {
		return err
	}
	a.server.Requests = append(a.server.Requests, second)
	return nil
}

// ask makes one request with a client of its own, so that a limit's name can differ.
func (a *asker) ask(ctx context.Context, name string, legacy, ignoreEOS bool) (Request, error) {
	options := a.wire
	options.LegacyMaxTokens = legacy
	options.Clock = wire.NewClock(time.Now())
	options.Timeouts.Request = a.options.Timeout
	options.Extra = withIgnoreEOS(options.Extra, ignoreEOS)
	client, err := wire.New(options)
	if err != nil {
		return Request{}, err
	}
	defer client.Close()
	bounded, enough := context.WithCancelCause(ctx)
	defer enough(nil)
	most := 4*a.options.OutputTokens + 16
	seen := int64(0)
	request := &wire.Request{
		RequestID: a.id[:len(a.id)-1] + fmt.Sprint(len(a.server.Requests)), SessionID: a.id, LastTurn: true,
		Body: wire.Body{
			Messages: []wire.Message{message(a.prompt)}, Model: a.options.Model, Stream: true, MaxTokens: a.options.OutputTokens,
		},
		Hooks: wire.Hooks{Chunks: func(batch []wire.Chunk) {
			for i := range batch {
				if batch[i].Class.Content() && !batch[i].Part {
					seen++
				}
			}
			if seen > most {
				enough(errEnough)
			}
		}},
	}
	result := client.Do(bounded, request)
	answer := a.read(name, &result, client.Redactor())
	answer.IgnoreEOS = ignoreEOS
	answer.LimitName, answer.LimitTokens = "max_completion_tokens", a.options.OutputTokens
	if legacy {
		answer.LimitName = "max_tokens"
	}
	return answer, nil
}

// withIgnoreEOS sets the field, or leaves it out also where the user gave it.
func withIgnoreEOS(extra wire.Fields, on bool) wire.Fields {
	var fields wire.Fields
	for _, field := range extra {
		if field.Key != "ignore_eos" {
			fields = append(fields, field)
		}
	}
	if on {
		fields = append(fields, wire.Field{Key: "ignore_eos", Value: []byte("true")})
	}
	return fields
}
