package audit

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"

	"agentx/corpus"
	"agentx/eventlog"
)

// Log is the reader of an event log, as far as an audit needs it.
type Log interface {
	Events(filter eventlog.Filter) iter.Seq2[eventlog.Event, error]
	Plan(digest eventlog.Digest) ([]byte, bool, error)
}

// header is what an audit must know before it goes through a log.
type header struct {
	config eventlog.RunConfig
	plans  []*corpus.Plan            // by index in the bundle; nil where the run did not use one
	models map[int]eventlog.ModelMap // by plan
}

// plan is a plan that the run used.
func (h *header) plan(index int) (*corpus.Plan, error) {
	if index < 0 || index >= len(h.plans) || h.plans[index] == nil {
		return nil, fmt.Errorf("the log does not introduce plan %d", index)
	}
	return h.plans[index], nil
}

// sentModel is the model that was sent for the recorded one; empty where the log does not say.
func (h *header) sentModel(plan, model int) string {
	if sent := h.models[plan].Sent; model < len(sent) {
		return sent[model]
	}
	return ""
}

// readHeader reads the run configuration and the plans that the run used.
func readHeader(log Log) (*header, error) {
	h := &header{models: map[int]eventlog.ModelMap{}}
	filter := eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindRunConfig, eventlog.KindModelMap}}
	for event, err := range log.Events(filter) {
		if err != nil {
			return nil, err
		}
		if event.Kind == eventlog.KindRunConfig {
			if h.config, err = eventlog.Decode[eventlog.RunConfig](event); err != nil {
				return nil, err
			}
			h.plans = make([]*corpus.Plan, len(h.config.Bundle.Traces))
			continue
		}
		models, err := eventlog.Decode[eventlog.ModelMap](event)
		if err != nil {
			return nil, err
		}
		if models.Plan < 0 || models.Plan >= len(h.plans) {
			return nil, fmt.Errorf("event %d introduces plan %d, but the bundle has %d traces", event.Seq, models.Plan, len(h.plans))
		}
		if h.plans[models.Plan], err = readPlan(log, models); err != nil {
			return nil, err
		}
		h.models[models.Plan] = models
	}
	return h, nil
}

func readPlan(log Log, models eventlog.ModelMap) (*corpus.Plan, error) {
	var digest eventlog.Digest
	if n, err := hex.Decode(digest[:], []byte(models.Digest)); err != nil || n != len(digest) {
		return nil, fmt.Errorf("plan of trace %s has the digest %q, expected 64 hex digits", models.Trace, models.Digest)
	}
	text, found, err := log.Plan(digest)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("plan of trace %s (%s) is not in the log", models.Trace, models.Digest)
	}
	plan := &corpus.Plan{}
	if err := json.Unmarshal(text, plan); err != nil {
		return nil, fmt.Errorf("plan of trace %s: %w", models.Trace, err)
	}
	return plan, nil
}
