// Package schedtest runs scenario scripts: small texts that give traces, settings and the fate of
// requests, and what the replay machine must make of them. It serves tests only.
//
// A script is a text of lines; `#` begins a comment. Times are seconds.
//
//	trace A                              begins a trace; its conversations follow, root first
//	A: 0(1) 4(1,spawn b) 20(1,join b)    turns: start(recorded duration, marks); the duration is 1 where
//	                                     none is given; marks: spawn X, join X, gap G, empty (no message)
//	A::sa:x: 6(2) 10(3)                  a subagent, in later lines called by its last part, x
//	branch b 6 x                         a branch: its start (- for unrecorded) and its children
//	set lanes 2                          a setting, see settings.go
//	latency x[0] 10                      how long a request takes: default|conversation|turn, seconds|recorded
//	answer x[0] overflow [once]          its outcome: ok error overflow unanswered never
//	first 25                             first tokens come after so many seconds
//	handle A[0] 1.5                      its end reaches the machine so much later than its stamp
//	cancel 0.05                          how long a cancelled request takes to end
//	stop 5 user                          a Stop (abort 5 user: an Abort) at that time
//	want                                 what follows must hold, see want.go
//	log                                  what follows is the whole log, kept by -update
package schedtest

import (
	"fmt"
	"strings"

	"agentx/corpus"
	"agentx/sched"
	"agentx/sched/virtual"
)

// Script is a parsed scenario.
type Script struct {
	Name   string
	Config sched.Config
	Plans  []*corpus.Plan
	Wants  []string
	Head   []string // the lines before the log
	Log    []string

	traces    []*traceText
	latencies map[string]string
	answers   map[string]*answer
	handles   map[string]int64
	stops     []stop
	firstNs   int64
	cancelNs  int64
	fate      func(sched.ExchangeID) virtual.Reply // of random scenarios
}

type answer struct {
	outcome string
	once    bool
}

type stop struct {
	at    int64
	input sched.Input
}

// Parse reads a script.
func Parse(name, text string) (*Script, error) {
	s := &Script{Name: name, Config: defaults(), latencies: map[string]string{}, answers: map[string]*answer{}, handles: map[string]int64{}, firstNs: -1}
	section := ""
	for number, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		bare, _, _ := strings.Cut(line, "#")
		bare = strings.TrimSpace(bare)
		if bare == "log" {
			section = "log"
			continue
		}
		if section == "log" {
			s.Log = append(s.Log, line)
			continue
		}
		s.Head = append(s.Head, line)
		switch {
		case bare == "":
		case bare == "want":
			section = "want"
		case section == "want":
			s.Wants = append(s.Wants, bare)
		default:
			if err := s.line(bare); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, number+1, err)
			}
		}
	}
	for _, trace := range s.traces {
		plan, err := trace.plan()
		if err != nil {
			return nil, fmt.Errorf("%s: trace %s: %w", name, trace.name, err)
		}
		s.Plans = append(s.Plans, plan)
	}
	return s, nil
}

func (s *Script) line(text string) error {
	fields := strings.Fields(text)
	if id, turns, found := strings.Cut(text, ": "); found && !strings.Contains(id, " ") {
		if len(s.traces) == 0 {
			return fmt.Errorf("a conversation before the first trace")
		}
		return s.traces[len(s.traces)-1].conversation(id, turns)
	}
	switch {
	case fields[0] == "trace" && len(fields) == 2:
		s.traces = append(s.traces, &traceText{name: fields[1]})
	case fields[0] == "branch" && len(fields) >= 3 && len(s.traces) > 0:
		return s.traces[len(s.traces)-1].branch(fields[1], fields[2], fields[3:])
	case fields[0] == "set" && len(fields) >= 3:
		return s.set(fields[1], fields[2:])
	case fields[0] == "latency" && len(fields) == 3:
		s.latencies[fields[1]] = fields[2]
	case fields[0] == "answer" && (len(fields) == 3 || len(fields) == 4 && fields[3] == "once"):
		s.answers[fields[1]] = &answer{outcome: fields[2], once: len(fields) == 4}
	default:
		return s.timed(fields)
	}
	return nil
}

// timed reads the lines whose last or second field is a time.
func (s *Script) timed(fields []string) error {
	var at int64
	var err error
	switch {
	case fields[0] == "first" && len(fields) == 2:
		s.firstNs, err = nanos(fields[1])
	case fields[0] == "cancel" && len(fields) == 2:
		s.cancelNs, err = nanos(fields[1])
	case fields[0] == "handle" && len(fields) == 3:
		s.handles[fields[1]], err = nanos(fields[2])
	case fields[0] == "stop" && len(fields) == 3:
		at, err = nanos(fields[1])
		s.stops = append(s.stops, stop{at, sched.Stop(sched.Reason(fields[2]))})
	case fields[0] == "abort" && len(fields) == 3:
		at, err = nanos(fields[1])
		s.stops = append(s.stops, stop{at, sched.Abort(sched.Reason(fields[2]))})
	default:
		return fmt.Errorf("cannot read %q", strings.Join(fields, " "))
	}
	return err
}
