package run

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"agentx/corpus"
	"agentx/eventlog"
	"agentx/internal/exit"
	"agentx/internal/measure"
	"agentx/internal/prompt"
	"agentx/internal/simulate"
	"agentx/sched"

	"github.com/zeebo/blake3"
)

// simulation is a run under the virtual clock. Its log is that of a live run: what differs is where the
// answers come from. With one bundle, command and seed it is the same log again, but for the wall clock
// in its anchors: the start's is the real time, the end's that plus the virtual time since.
type simulation struct {
	*session // only what a live run shares: options, recording, seed, configuration, status, results
	writer   *eventlog.Writer
	server   simulate.Server
	unit     int
	ledger   *ledger
	sent     map[sched.ExchangeID]promptFacts // requests that have not ended
	started  int64                            // wall clock of the start
	now      atomic.Int64
	complete *sched.RunComplete
}

// replaySimulated is replay without a server.
func replaySimulated(ctx context.Context, t *trial, recording *recording, signals <-chan os.Signal, trials int) (int, *measure.Analysis, error) {
	s, err := newSimulation(t, recording, trials)
	if err != nil {
		return exit.Code(err), nil, err
	}
	end, err := s.play(ctx, signals)
	if closing := s.close(end); closing != nil {
		return exit.Damage, nil, joinDistinct(err, closing)
	}
	code, analysis, concluding := s.conclude(end, err == nil)
	return code, analysis, errors.Join(err, concluding)
}

func newSimulation(t *trial, recording *recording, trials int) (*simulation, error) {
	o := t.options
	s := &simulation{session: &session{trial: t, trials: trials, recording: recording}}
	if err := s.identify(); err != nil {
		return nil, err
	}
	s.config = machineConfig(o, s.seed, o.BenchmarkID)
	s.status = &status{config: &s.config}
	var err error
	if s.machine, err = sched.New(s.config, recording.plans); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	if s.server, s.unit, err = o.Simulate.server(recording.plans, len(o.Server.URLs)); err != nil {
		return nil, err
	}
	if err := s.openLines(); err != nil {
		return nil, exit.With(exit.Damage, err)
	}
	if s.placement, err = eventlog.LogPlacement(filepath.Join(s.dir, logName), o.LogDir); err == nil {
		s.writer, err = eventlog.Create(s.placement.Live, eventlog.Options{})
	}
	if err != nil {
		s.progress.Stop()
		return nil, exit.With(exit.Damage, errors.Join(err, s.logFile.Close()))
	}
	s.ledger, s.sent = newLedger(s.session), map[sched.ExchangeID]promptFacts{}
	return s, nil
}

// identify fixes the seed, and derives the ids from it (spec decision 34).
func (s *simulation) identify() (err error) {
	o := s.options
	if s.seed = uint64(o.Seed); o.Seed < 0 {
		if s.seed, err = freshSeed(); err != nil {
			return err
		}
	}
	if o.BenchmarkID == "" {
		o.BenchmarkID = seededID("benchmark", s.seed)
	}
	if o.RunID == "" {
		o.RunID = seededID("run", s.seed)
	}
	s.names = identity{o.RunID}
	o.record("random-seed", s.seed)
	return nil
}

// seededID is 32 hex digits named by a purpose and the seed.
func seededID(purpose string, seed uint64) string {
	digest := blake3.Sum256([]byte("simulated " + purpose + " id " + strconv.FormatUint(seed, 10)))
	return hex.EncodeToString(digest[:16])
}

// openLines begins the lines for people: the terminal's and logs/agentx.log.
func (s *simulation) openLines() error {
	folder := filepath.Join(s.dir, "logs")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder for log lines: %w", err)
	}
	var err error
	if s.logFile, err = os.Create(filepath.Join(folder, "agentx.log")); err != nil {
		return fmt.Errorf("opening the file for log lines: %w", err)
	}
	s.progress = s.newProgress(func() string { return "simulated: " + s.status.line(s.now.Load()) })
	return nil
}

// play simulates the run and says how it ended.
func (s *simulation) play(ctx context.Context, signals <-chan os.Signal) (eventlog.RunEnd, error) {
	if err := s.logStart(); err != nil {
		return couldNot(err), err
	}
	journal := simulate.NewJournal(s.config, s.writer.AddWaiting)
	journal.Complete = s.completeEnd
	began := time.Now()
	err := simulate.Run(ctx, simulate.Options{
		Machine:      s.config,
		Plans:        s.recording.plans,
		Server:       s.server,
		Layouts:      func(plan int) (*corpus.Layout, error) { return s.recording.texts[plan].Layout(), nil },
		UnitTokens:   s.unit,
		MarkerTokens: func(digits string) int64 { _, tokens := s.ledger.marking.mark(digits); return tokens },
		Place:        s.place,
		Observer:     &simulationRows{journal, s},
		Stop: func(int64) sched.Reason {
			if len(signals) > 0 { // it stays there for the series
				return sched.ReasonUser
			}
			return ""
		},
	})
	s.progress.Say("simulated %s in %s", time.Duration(s.now.Load()).Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	return s.ending(&loop{complete: s.complete}, err), err
}

// place finds the marker's place as a live run does.
func (s *simulation) place(conversation *corpus.Conversation, turn int) (message int, atEnd bool) {
	var history prompt.History
	history.Advance(conversation, turn)
	place := prompt.PlaceMarker(s.config.CacheBust, history.Messages)
	return place.Message, place.AtEnd
}

// completeEnd adds to a result what the simulated server does not know.
func (s *simulation) completeEnd(x *simulate.Exchange, end *eventlog.ExchangeEnd) {
	facts := s.sent[x.ID]
	delete(s.sent, x.ID)
	end.RequestID = s.names.request(int64(x.ID))
	end.PromptTokens, end.MarkerTokens, end.ReachTokens = facts.tokens, facts.markerTokens, facts.reachTokens
	if end.Outcome == eventlog.OutcomeOK {
		end.Model = facts.model
	}
	s.status.result(x.Dispatch.Phase, x.ID, end)
}

// logStart writes the events that every log begins with.
func (s *simulation) logStart() error {
	config, err := s.runConfig()
	if err != nil {
		return err
	}
	config.Simulated = true
	config.Host.PID = 0 // the same simulation gives the same log
	if err := s.log(eventlog.KindRunConfig, config); err != nil {
		return err
	}
	s.started = time.Now().UnixNano()
	for _, note := range s.notes() {
		if err := s.log(eventlog.KindNotice, note); err != nil {
			return err
		}
	}
	if err := s.keepParts(s.sharedParts()); err != nil {
		return err
	}
	if s.options.Seed < 0 {
		s.progress.Say("random seed: %s", strconv.FormatUint(s.seed, 10))
	}
	return s.log(eventlog.KindAnchor, eventlog.Anchor{WallNs: s.started, Why: "start"})
}

// log adds an event of the run itself.
func (s *simulation) log(kind eventlog.Kind, payload any) error {
	event, err := eventlog.NewPayload(kind, s.now.Load(), payload)
	if err == nil {
		_, err = s.writer.AddWaiting(event)
	}
	return err
}

// close ends the log and everything else that the simulation opened.
func (s *simulation) close(end eventlog.RunEnd) error {
	s.progress.Stop()
	err := errors.Join(
		s.log(eventlog.KindAnchor, eventlog.Anchor{WallNs: s.started + s.now.Load(), Why: "end"}),
		s.log(eventlog.KindRunEnd, end),
		s.writer.Close(),
	)
	if err == nil {
		err = s.placement.Finish()
	}
	return errors.Join(err, s.logFile.Close())
}
