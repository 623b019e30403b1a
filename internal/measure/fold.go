package measure

import (
	"fmt"
	"sync"

	"agentx/eventlog"
	"agentx/internal/scenario"
)

// foldKinds are the rows that records and scalars come from: of an exchange only its dispatch and its
// end, which carries the whole result.
func foldKinds(chunks bool) []eventlog.Kind {
	kinds := []eventlog.Kind{
		eventlog.KindRunConfig, eventlog.KindAnchor, eventlog.KindModelMap, eventlog.KindServerInfo, eventlog.KindNotice,
		eventlog.KindClientSample, eventlog.KindRunEnd, eventlog.KindStreamNames, eventlog.KindNetworkSample,
		eventlog.KindPhaseStart, eventlog.KindTreeOpen, eventlog.KindStreamOpen, eventlog.KindTurnDue, eventlog.KindTurnRefused,
		eventlog.KindTurnDeferred, eventlog.KindDispatch, eventlog.KindCancel,
		eventlog.KindStreamCompleted, eventlog.KindStreamTerminated, eventlog.KindStreamTruncated, eventlog.KindTurnsVoided,
		eventlog.KindRootDone, eventlog.KindTreeAborted, eventlog.KindTreeDrained,
		eventlog.KindSendingComplete, eventlog.KindPhaseComplete, eventlog.KindRunComplete, eventlog.KindExchangeEnd,
	}
	if chunks {
		kinds = append(kinds, eventlog.KindChunks)
	}
	return kinds
}

// folder turns rows into a Run, one row at a time.
type folder struct {
	source Source
	run    *Run
	plans  map[string]*planFacts // by trace
	open   map[int64]*Record     // sent, no end yet
	cancel map[int64]string      // reason of the machine's cancel, by exchange
	due    map[turnKey]dueTurn   // due, not sent yet
	trails map[int64]*trailBuilder
	spare  []*trailBuilder // empty, to be used again
	unsent []*Record
	words  map[string]string // texts that come again and again, once
	ends   *eventlog.EndReader
	phase  Phase

	reading sync.Mutex // held by who reads from source while rows are read ahead
}

type turnKey struct {
	stream int64
	turn   int64
}

type dueTurn struct {
	phase Phase
	due   Stamp
	at    Stamp
	lane  int64
}

func newFolder(source Source) *folder {
	return &folder{
		source: source,
		run:    &Run{Phases: map[Phase]*PhaseInfo{}, LastNs: NoStamp},
		plans:  map[string]*planFacts{}, open: map[int64]*Record{}, cancel: map[int64]string{},
		due: map[turnKey]dueTurn{}, trails: map[int64]*trailBuilder{}, words: map[string]string{},
		ends: eventlog.NewEndReader(),
	}
}

// fold reads the whole log. Reading goes on beside the folding, on its own goroutine.
func (f *folder) fold(chunks bool) error {
	f.run.Chunks = chunks
	stop := make(chan struct{})
	batches := make(chan batch, batchesAhead)
	go readAhead(f.source.Events(eventlog.Filter{Kinds: foldKinds(chunks), NoData: !chunks}), batches, stop, &f.reading)
	err := f.rows(batches)
	close(stop)
	for range batches { // until the reader is done
	}
	if err == nil {
		f.finish()
	}
	return err
}

func (f *folder) rows(batches <-chan batch) error {
	for batch := range batches {
		for i := range batch.events {
			event := &batch.events[i]
			f.run.Events++
			f.run.LastNs = max(f.run.LastNs, Stamp(event.AtNs))
			if err := f.row(event); err != nil {
				return fmt.Errorf("event %d (%v): %w", event.Seq, event.Kind, err)
			}
		}
		if batch.err != nil {
			return batch.err
		}
	}
	return nil
}

func (f *folder) row(event *eventlog.Event) error {
	switch event.Kind {
	case eventlog.KindDispatch:
		return f.dispatch(event)
	case eventlog.KindExchangeEnd:
		return f.exchangeEnd(event)
	case eventlog.KindChunks:
		return f.chunks(event)
	case eventlog.KindTurnDue, eventlog.KindTurnRefused, eventlog.KindTurnDeferred, eventlog.KindCancel, eventlog.KindTurnsVoided:
		return f.turnRow(event)
	case eventlog.KindTreeOpen, eventlog.KindStreamOpen, eventlog.KindStreamNames, eventlog.KindStreamCompleted,
		eventlog.KindStreamTerminated, eventlog.KindStreamTruncated, eventlog.KindRootDone, eventlog.KindTreeAborted, eventlog.KindTreeDrained:
		return f.treeRow(event)
	case eventlog.KindPhaseStart, eventlog.KindSendingComplete, eventlog.KindPhaseComplete, eventlog.KindRunComplete:
		return f.phaseRow(event)
	default:
		return f.runRow(event)
	}
}

// runRow handles the rows about the run itself.
func (f *folder) runRow(event *eventlog.Event) error {
	run := f.run
	switch event.Kind {
	case eventlog.KindRunConfig:
		return f.config(event)
	case eventlog.KindAnchor:
		anchor, err := eventlog.Decode[eventlog.Anchor](*event)
		run.Clock.anchor(event.AtNs, anchor.WallNs, anchor.Why)
		return err
	case eventlog.KindModelMap:
		return f.modelMap(event)
	case eventlog.KindServerInfo:
		info, err := eventlog.Decode[eventlog.ServerInfo](*event)
		run.Servers = append(run.Servers, info)
		return err
	case eventlog.KindNotice:
		notice, err := eventlog.Decode[eventlog.Notice](*event)
		run.Notices = append(run.Notices, notice)
		run.Ahead += openedAhead(&notice)
		return err
	case eventlog.KindClientSample:
		sample, err := eventlog.Decode[eventlog.ClientSample](*event)
		run.Client.add(&sample)
		return err
	case eventlog.KindNetworkSample:
		sample, err := eventlog.Decode[networkRow](*event)
		if sample.ConnectNs != nil || sample.Error != "" {
			run.Network = append(run.Network, sample.at(event))
		}
		return err
	case eventlog.KindRunEnd:
		end, err := eventlog.Decode[eventlog.RunEnd](*event)
		run.End = &end
		return err
	}
	return nil
}

func (f *folder) config(event *eventlog.Event) error {
	config, err := eventlog.Decode[eventlog.RunConfig](*event)
	if err != nil {
		return err
	}
	f.run.Config, f.run.Settings = config, scenario.Settings(config.Settings)
	return nil
}

func (f *folder) modelMap(event *eventlog.Event) error {
	models, err := eventlog.Decode[eventlog.ModelMap](*event)
	if err != nil {
		return err
	}
	f.run.Models = append(f.run.Models, models)
	digest, err := parseDigest(models.Digest)
	if err != nil {
		return fmt.Errorf("plan of trace %s: %w", models.Trace, err)
	}
	f.reading.Lock()
	frame, ok, err := f.source.Plan(digest)
	f.reading.Unlock()
	if err != nil || !ok {
		return err
	}
	plan, err := readPlan(frame)
	if err != nil {
		return fmt.Errorf("plan of trace %s: %w", models.Trace, err)
	}
	f.plans[models.Trace] = plan
	return nil
}

// finish closes what the log left open.
func (f *folder) finish() {
	for _, r := range f.run.Records {
		if r.Exchange >= 0 && f.open[r.Exchange] == r {
			f.unfinished(r)
		}
	}
	f.neverSent()
	f.run.Records = append(f.run.Records, f.unsent...)
	for _, r := range f.run.Records {
		f.phaseOf(r)
	}
}
