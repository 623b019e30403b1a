package analyze

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"agentx/eventlog"
	"agentx/sched"
)

// Send is one dispatch of a run. Times are ns since the start of the warmup.
type Send struct {
	Phase        string   `json:"phase"`
	Lane         int64    `json:"lane"`
	Tree         int64    `json:"tree"`
	Pass         int      `json:"pass"` // trees of the trace opened before
	Trace        string   `json:"trace"`
	Conversation string   `json:"conversation"`
	Turn         int64    `json:"turn"`
	AtNs         int64    `json:"at_ns"`                  // sent
	DueNs        int64    `json:"due_ns"`                 // wanted, after shifts of guard and watchdog
	ReadyNs      int64    `json:"ready_ns"`               // when the last thing that it waited for was over
	SlotWaitNs   int64    `json:"slot_wait_ns,omitempty"` // in the queue of --prefill-concurrency
	Waited       []string `json:"waited"`                 // for what: gap, join, barrier, slot, guard, watchdog, spawn, first
	Primer       bool     `json:"primer,omitempty"`
	Final        bool     `json:"final,omitempty"`
	Exchange     int64    `json:"exchange"`
	Seq          int64    `json:"seq"`
}

// Schedule lists every dispatch of a run in order: as a table, or as JSON, one object a line.
func Schedule(out, notes io.Writer, run string, asJSON bool) (err error) {
	log, err := Open(run, notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	damage := log.checkBeside()
	defer func() { err = errors.Join(err, damage()) }()
	buffered := bufio.NewWriter(out)
	write := sendLine(buffered)
	if asJSON {
		encoder := json.NewEncoder(buffered)
		encoder.SetEscapeHTML(false)
		write = func(send *Send) error { return encoder.Encode(send) }
	} else {
		fmt.Fprintf(buffered, sendFormat, "due s", "sent s", "late ms", "phase", "lane", "tree", "pass", "turn", "conversation", "waited for")
	}
	if err := log.sends(write); err != nil {
		return err
	}
	return buffered.Flush()
}

const sendFormat = "%14s %14s %9s  %-9s %5s %5s %5s %5s  %-40s  %s\n"

// sendLine writes a row of the table.
func sendLine(out io.Writer) func(send *Send) error {
	return func(send *Send) error {
		late := float64(send.AtNs-max(send.DueNs, send.ReadyNs)-send.SlotWaitNs) / 1e6
		waited := strings.Join(send.Waited, ", ")
		if send.SlotWaitNs > 0 {
			waited += fmt.Sprintf(" (%.3f s for a slot)", float64(send.SlotWaitNs)/1e9)
		}
		_, err := fmt.Fprintf(out, sendFormat, atSecond(send.DueNs), atSecond(send.AtNs), fmt.Sprintf("%.3f", late), send.Phase,
			fmt.Sprint(send.Lane), fmt.Sprint(send.Tree), fmt.Sprint(send.Pass), fmt.Sprint(send.Turn), send.Conversation, waited)
		return err
	}
}

func atSecond(ns int64) string { return fmt.Sprintf("%.6f", float64(ns)/1e9) }

// sends hands over every dispatch, in order.
func (l *Log) sends(each func(*Send) error) error {
	type tree struct {
		pass  int
		trace string
	}
	trees, conversations := map[int64]tree{}, map[int64]string{}
	var start int64
	started := false
	kinds := []eventlog.Kind{eventlog.KindPhaseStart, eventlog.KindTreeOpen, eventlog.KindTreeDrained, eventlog.KindStreamOpen, eventlog.KindDispatch}
	for row, err := range l.Events(eventlog.Filter{Kinds: kinds, NoData: true}) {
		if err != nil {
			return err
		}
		switch row.Kind {
		case eventlog.KindPhaseStart:
			if !started {
				start, started = row.AtNs, true
			}
		case eventlog.KindTreeOpen:
			opened, err := eventlog.Decode[sched.TreeOpen](row)
			if err != nil {
				return err
			}
			trees[row.Play] = tree{opened.Pass, opened.Trace}
		case eventlog.KindTreeDrained:
			delete(trees, row.Play)
		case eventlog.KindStreamOpen:
			opened, err := eventlog.Decode[sched.StreamOpen](row)
			if err != nil {
				return err
			}
			conversations[row.Stream] = opened.ID
		case eventlog.KindDispatch:
			d, err := eventlog.Decode[sched.Dispatch](row)
			if err != nil {
				return err
			}
			send := &Send{
				Phase: d.Phase.String(), Lane: row.Lane, Tree: row.Play, Pass: trees[row.Play].pass, Trace: trees[row.Play].trace,
				Conversation: conversations[row.Stream], Turn: row.Turn, AtNs: row.AtNs - start, DueNs: d.DueNs - start, ReadyNs: d.ReadyNs - start,
				SlotWaitNs: d.SlotWaitNs, Waited: d.Waited.Names(), Primer: d.Primer, Final: d.Final, Exchange: row.Exchange, Seq: int64(row.Seq),
			}
			if err := each(send); err != nil {
				return err
			}
		}
	}
	return nil
}
