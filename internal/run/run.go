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
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"agentx/eventlog"
	"agentx/internal/exit"
	"agentx/internal/serverinfo"
	"agentx/sched"
	"agentx/wire"

	"golang.org/x/term"
)

// Run makes one run and returns the exit code. Errors and results go to the terminal and the log.
func Run(ctx context.Context, o *Options) int {
	code, err := replay(ctx, o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "agentx-run: %v\n", err)
	}
	return code
}

func replay(ctx context.Context, o *Options) (int, error) {
	if err := o.Simulate.check(o.Explicit); err != nil {
		return exit.Usage, err
	}
	if o.Simulate.On {
		return replaySimulated(ctx, o)
	}
	if err := o.check(); err != nil {
		return exit.Usage, err
	}
	recording, err := openRecording(o.Bundle)
	if err != nil {
		return exit.Code(err), err
	}
	defer recording.close()
	dir, err := artifactDir(o)
	if err != nil {
		return exit.Usage, err
	}
	session, err := newSession(o, recording, dir)
	if err != nil {
		return exit.Code(err), err
	}
	end, err := session.play(ctx)
	if closing := session.close(end); closing != nil {
		err = errors.Join(err, exit.With(exit.Damage, closing))
		end.ExitCode = exit.Damage
	}
	if err != nil {
		return end.ExitCode, err
	}
	return session.conclude(end)
}

// session is one run with everything that it opens.
type session struct {
	options   *Options
	recording *recording
	dir       string
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
	lateness  *lateness
	failures  failures
	progress  *progress
	logFile   *os.File
	placement eventlog.Placement
}

// newSession opens the log, the client and the machine. What it returns must be closed.
func newSession(o *Options, recording *recording, dir string) (*session, error) {
	s := &session{options: o, recording: recording, dir: dir, status: &status{}, lateness: newLateness()}
	if err := s.identify(); err != nil {
		return nil, err
	}
	s.config = machineConfig(o, s.seed, o.BenchmarkID)
	var err error
	if s.machine, err = sched.New(s.config, recording.plans); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	s.clock = newClock()
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
		return nil, err
	}
	s.finisher = newFinisher(s.journal, recording.tokens)
	s.servers = &servers{
		options: &o.Server, client: info, journal: s.journal, say: s.progress.Say, clock: s.clock,
		plans: recording.plans, tokenizer: recording.bundle.Recipe().Tokenizer.Name,
	}
	s.finisher.agreement.report = s.servers.agreed
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
	return nil
}

func (s *session) openLogs() error {
	var err error
	if s.placement, err = eventlog.LogPlacement(filepath.Join(s.dir, logName), s.options.LogDir); err != nil {
		return exit.With(exit.Damage, err)
	}
	writer, err := eventlog.Create(s.placement.Live, eventlog.Options{})
	if err != nil {
		return exit.With(exit.Damage, err)
	}
	s.journal = newJournal(writer, s.config, s.clock, s.status)
	if err := os.MkdirAll(filepath.Join(s.dir, "logs"), 0o755); err != nil {
		return exit.With(exit.Damage, fmt.Errorf("making the folder for log lines: %w", err))
	}
	if s.logFile, err = os.Create(filepath.Join(s.dir, "logs", "agentx.log")); err != nil {
		return exit.With(exit.Damage, fmt.Errorf("opening the file for log lines: %w", err))
	}
	s.progress = s.newProgress()
	return nil
}

func (s *session) newProgress() *progress {
	out, terminal := io.Writer(os.Stderr), term.IsTerminal(int(os.Stderr.Fd()))
	if s.options.Quiet {
		out, terminal = io.Discard, false
	}
	interval := time.Duration(s.options.StatsInterval * float64(time.Second))
	line := func() string { return s.status.line(s.clock.Now()) }
	return newProgress(out, s.logFile, terminal, interval, line)
}

// play runs the machine to its end and says how the run ended.
func (s *session) play(ctx context.Context) (eventlog.RunEnd, error) {
	if err := s.logStart(); err != nil {
		return couldNot(err), err
	}
	if err := s.servers.prepare(ctx); err != nil {
		return couldNot(err), err
	}
	sleeper, err := newSleeper(s.clock)
	if err != nil {
		return couldNot(err), err
	}
	defer sleeper.Close()
	stop := make(chan struct{})
	background := s.startBackground(ctx, stop)
	inputs := make(chan sched.Input, inputQueue)
	actor := s.newActor(inputs)
	loop := &loop{clock: s.clock, sleeper: sleeper, machine: s.machine, journal: s.journal, actor: actor, inputs: inputs}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	err = loop.run(ctx, signals)
	actor.settle(inputs)
	s.finisher.close()
	close(stop)
	background.Wait()
	return s.ending(loop, err), err
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
	case sched.ReasonWarmupFailure, sched.ReasonThreshold, sched.ReasonFailFast, sched.ReasonDrainTimeout:
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
	if s.placement.Moved() {
		s.progress.Say("the live log is %s: %s", s.placement.Live, s.placement.Why)
	}
	if s.options.Seed < 0 {
		s.progress.Say("random seed: %s", strconv.FormatUint(s.seed, 10))
	}
	if everyRootOnce(&s.options.Load) {
		s.progress.Say("no duration, request count or session count: every trace is played once (%d)", len(s.recording.plans))
	}
	return nil
}
