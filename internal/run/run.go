// Package run replays a bundle against a server: it is the only place where the replay machine, the
// wire, the bundle, the event log and the clock meet.
//
// One goroutine steps the machine (loop); it logs every input and decision and hands dispatches to the
// actor, which sends each exchange on a goroutine of its own. Whatever happens, the log ends with how
// the run ended, and the closing summary is computed from the log by the code that agentx-analyze uses.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"agentx/eventlog"
	"agentx/internal/exit"
	"agentx/internal/measure"
	"agentx/internal/serverinfo"
	"agentx/sched"
	"agentx/wire"
)

// Run makes the run that the options ask for, or a series of runs, and returns the exit code. Errors and
// results go to the terminal and the logs.
func Run(ctx context.Context, o *Options) int {
	code, err := perform(ctx, o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "agentx-run: %s\n", o.masked(err))
	}
	return code
}

func perform(ctx context.Context, o *Options) (int, error) {
	signals := o.Signals
	if signals == nil {
		caught, release := Catch()
		defer release()
		signals = caught
	}
	if o.Simulate.On {
		o.Simulate.fillIn(o)
	}
	if err := o.complaints(ctx); err != nil {
		return exit.Usage, err
	}
	recording, err := o.openUnlessInterrupted(ctx, signals)
	if err != nil {
		return exit.Code(err), err
	}
	defer recording.close()
	series, err := planSeries(o)
	if err != nil {
		return exit.Usage, err
	}
	if o.DryRun {
		return exit.Done, series.show(os.Stdout, recording)
	}
	if err := recording.load(); err != nil {
		return exit.Code(err), err
	}
	if len(signals) > 0 {
		return exit.Interrupted, errEarly
	}
	return series.run(ctx, recording, signals)
}

// replay makes one run of a series. Its analysis is nil where there is none.
func replay(ctx context.Context, t *trial, recording *recording, signals <-chan os.Signal, trials int) (int, *measure.Analysis, error) {
	if t.options.Simulate.On {
		return replaySimulated(ctx, t, recording, signals, trials)
	}
	session, err := newSession(t, recording, trials)
	if err != nil {
		return exit.Code(err), nil, err
	}
	end, err := session.play(ctx, signals)
	if closing := session.close(end); closing != nil {
		return exit.Damage, nil, joinDistinct(err, closing)
	}
	code, analysis, concluding := session.conclude(end, err == nil)
	return code, analysis, errors.Join(err, concluding)
}

// session is one run with everything that it opens.
type session struct {
	*trial
	trials    int // repetitions of its configuration
	recording *recording
	seed      uint64
	names     identity
	config    sched.Config
	clock     *clock
	status    *status
	journal   *journal
	client    *wire.Client
	machine   *sched.Machine
	finisher  *finisher
	servers   *servers
	profiler  *profiler
	ahead     *ahead
	inputs    chan sched.Input // of the machine
	lateness  *lateness
	failures  failures
	progress  *progress
	dashboard *dashboard
	logFile   *os.File
	placement eventlog.Placement
}

// newSession opens the log, the client and the machine. What it returns must be closed.
func newSession(t *trial, recording *recording, trials int) (*session, error) {
	o := t.options
	s := &session{trial: t, trials: trials, recording: recording, lateness: newLateness()}
	if err := s.identify(); err != nil {
		return nil, err
	}
	s.config = machineConfig(o, s.seed, o.BenchmarkID)
	s.status = &status{config: &s.config}
	var err error
	if s.machine, err = sched.New(s.config, recording.plans); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	s.clock = newClock()
	if o.Seams.Wall != nil {
		s.clock.wall = o.Seams.Wall
	}
	options, err := wireOptions(o, s.clock, fanOut(recording.plans, s.machine.Lanes()))
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	if s.client, err = wire.New(options); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	info, err := serverinfo.New(options)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	if err := s.openLogs(); err != nil {
		return nil, errors.Join(err, s.client.Close())
	}
	s.finisher = newFinisher(s.journal, recording.tokens)
	s.servers = &servers{
		options: &o.Server, client: info, journal: s.journal, say: s.progress.Say, clock: s.clock,
		plans: recording.plans, tokenizer: recording.bundle.Recipe().Tokenizer.Name,
	}
	s.finisher.agreement.report = s.servers.agreed
	s.finisher.oddities = oddities{warn: s.servers.warn, limit: o.Server.limitName()}
	s.finisher.framing, s.finisher.framed, s.finisher.unframed = recording.framing, o.Results.ApplyTemplate, s.servers.unframed
	s.profiler, s.inputs = s.newProfiler(), make(chan sched.Input, inputQueue)
	return s, nil
}

// identify fixes the seed and the ids of the run.
func (s *session) identify() (err error) {
	o := s.options
	if s.seed = uint64(o.Seed); o.Seed < 0 {
		if s.seed, err = freshSeed(); err != nil {
			return err
		}
	}
	if o.BenchmarkID == "" {
		if o.BenchmarkID, err = freshID(); err != nil {
			return err
		}
	}
	if o.RunID == "" {
		if o.RunID, err = freshID(); err != nil {
			return err
		}
	}
	s.names = identity{o.RunID}
	o.record("random-seed", s.seed)
	return nil
}

func (s *session) openLogs() error {
	err := os.MkdirAll(filepath.Join(s.dir, "logs"), 0o755)
	if err == nil {
		s.logFile, err = os.Create(filepath.Join(s.dir, "logs", linesName))
	}
	if err != nil {
		return exit.With(exit.Damage, fmt.Errorf("making the artifact folder: %w", err))
	}
	s.placement, err = eventlog.LogPlacement(filepath.Join(s.dir, logName), s.options.LogDir)
	var writer *eventlog.Writer
	if err == nil {
		writer, err = eventlog.Create(s.placement.Live, s.options.Seams.Log)
	}
	if err != nil {
		return exit.With(exit.Damage, errors.Join(err, s.logFile.Close()))
	}
	s.journal = newJournal(writer, s.config, s.clock, s.status)
	s.progress = s.newProgress(func() string { return s.status.line(s.clock.Now()) })
	return nil
}

// newProgress shows line on the terminal and in the run's folder.
func (s *session) newProgress(line func() string) *progress {
	out, terminal := io.Writer(os.Stderr), !s.options.Plain && noScreen() == ""
	if s.options.Quiet {
		out, terminal = io.Discard, false
	}
	interval := time.Duration(s.options.StatsInterval * float64(time.Second))
	return newProgress(out, s.logFile, terminal, interval, line)
}

// play runs the machine to its end and says how the run ended.
func (s *session) play(ctx context.Context, signals <-chan os.Signal) (eventlog.RunEnd, error) {
	if err := s.logStart(); err != nil {
		return couldNot(err), err
	}
	s.dashboard = s.startDashboard()
	var actor *actor
	s.ahead = newAhead(ctx, s)
	defer s.ahead.end()
	interrupted, err := unlessInterrupted(ctx, signals, func(ctx context.Context) error {
		if err := s.servers.prepare(ctx); err != nil {
			return err
		}
		actor = s.newActor(s.inputs)
		return s.ahead.rehearse(ctx, actor)
	})
	if interrupted {
		return eventlog.RunEnd{ExitCode: exit.Interrupted, Reason: string(sched.ReasonUser), WasCancelled: true, Text: "interrupted before the first request"}, nil
	}
	if err != nil {
		return couldNot(err), err
	}
	sleeper, err := newSleeper(s.clock)
	if err != nil {
		return couldNot(err), err
	}
	defer sleeper.Close()
	stop := make(chan struct{})
	background := s.startBackground(ctx, stop)
	loop := &loop{clock: s.clock, sleeper: sleeper, machine: s.machine, journal: s.journal, actor: actor, inputs: s.inputs}
	err = loop.run(ctx, signals)
	unprofiled := s.profiler.end()
	actor.settle(s.inputs)
	s.finisher.close()
	close(stop)
	background.Wait()
	return s.ending(loop, err), errors.Join(err, unprofiled)
}

// unlessInterrupted does something that a signal gives up.
func unlessInterrupted(ctx context.Context, signals <-chan os.Signal, do func(context.Context) error) (interrupted bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	select {
	case err = <-done:
		return false, err
	case <-signals:
		cancel()
		<-done // its error is that it was given up
		return true, nil
	}
}

// couldNot ends a run that never began.
func couldNot(err error) eventlog.RunEnd {
	return eventlog.RunEnd{ExitCode: exit.Failure, Reason: "failure", WasCancelled: true, Text: err.Error()}
}

// ending says how the run ended, from the machine's last word or the failure that stopped it.
func (s *session) ending(loop *loop, err error) eventlog.RunEnd {
	switch {
	case err != nil:
		return eventlog.RunEnd{ExitCode: exit.Damage, Reason: "log_failure", WasCancelled: true, Text: err.Error()}
	case loop.complete == nil:
		return eventlog.RunEnd{ExitCode: exit.Failure, Reason: "failure", WasCancelled: true}
	}
	end := eventlog.RunEnd{Reason: string(loop.complete.Reason), WasCancelled: loop.complete.WasCancelled}
	switch loop.complete.Reason {
	case sched.ReasonUser:
		end.ExitCode = exit.Interrupted
	case sched.ReasonWarmupFailure, sched.ReasonThreshold, sched.ReasonFailFast, sched.ReasonDrainTimeout, reasonProfiler:
		end.ExitCode = exit.Failure
	case sched.ReasonLogFailure:
		end.ExitCode = exit.Damage
	default:
		if s.status.nothingSucceeded() {
			end.ExitCode = exit.Failure
		}
	}
	return end
}

// close ends the log and everything else that the session opened.
func (s *session) close(end eventlog.RunEnd) error {
	s.dashboard.stop()
	s.progress.Stop()
	err := s.journal.close(end)
	if err == nil {
		err = s.placement.Finish()
	}
	return errors.Join(err, s.client.Close(), s.logFile.Close())
}

// logStart writes the events that every log begins with.
func (s *session) logStart() error {
	config, err := s.runConfig()
	if err != nil {
		return err
	}
	s.journal.Log(eventlog.KindRunConfig, config)
	s.journal.Log(eventlog.KindAnchor, eventlog.Anchor{WallNs: s.clock.Wall(), Why: "start", MonoNs: machineNs()})
	for _, note := range s.notes() {
		s.journal.Log(eventlog.KindNotice, note)
	}
	s.journal.keepParts(s.sharedParts())
	if s.placement.Moved() {
		s.progress.Say("the live log is %s: %s", s.placement.Live, s.placement.Why)
	}
	if s.options.Seed < 0 {
		s.progress.Say("random seed: %s", strconv.FormatUint(s.seed, 10))
	}
	return s.journal.writer.Sync() // a run that is killed from here on can be analysed
}

// notes are the words about the settings for the log. The first run of a series shows them too.
func (s *session) notes() []eventlog.Notice {
	var notices []eventlog.Notice
	for _, note := range s.options.Notes {
		notices = append(notices, eventlog.Notice{Level: note.Level, Code: note.Code, Text: note.Text})
		if s.first() {
			s.progress.Say("%s", note.line())
		}
	}
	return notices
}
