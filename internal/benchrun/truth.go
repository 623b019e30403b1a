package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentx/eventlog"
)

// serverRecord is what the mock server says of one request; times are on the machine's monotonic clock.
type serverRecord struct {
	RequestID    string `json:"request_id"`
	BodyReadNs   int64  `json:"body_read_ns"`
	FirstByteNs  int64  `json:"first_byte_ns"`
	FirstTokenNs int64  `json:"first_token_ns"`
}

// truth compares the client's stamps with the server's own.
type truth struct {
	requests  int
	ok        int
	errors    map[string]int
	bytes     int64
	seconds   float64
	bias      []int64 // ns: client first content minus server's write of it
	second    []int64 // ns: second content minus first
	sendGap   []int64 // ns: server's last byte read minus client's last byte written
	lateness  []int64 // ns: first byte handed to the socket minus when it was due
	calmLate  []int64 // the same of those whose lane had a plain answer before: no wait for the end of a bad one
	readDelay []int64 // ns: Go stamp minus kernel stamp
	clientCPU float64 // seconds
	events    int64
	rows      map[int64]int // rows of each exchange
	logBytes  int64
}

func readTruth(runDir, recordFile string) (*truth, error) {
	var server map[string]serverRecord
	if recordFile != "" {
		var err error
		if server, err = readServer(recordFile); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(runDir, "run.db")
	log, err := eventlog.Open(path)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	t := &truth{errors: map[string]int{}, rows: map[int64]int{}}
	if info, err := os.Stat(path); err == nil {
		t.logBytes = info.Size()
	}
	return t, t.fold(log, server)
}

func (t *truth) fold(log *eventlog.Reader, server map[string]serverRecord) error {
	base := int64(0)
	due := map[int64]int64{}
	laneOf, calm := map[int64]int64{}, map[int64]bool{} // by exchange; by lane, of its last answer
	first, last := int64(-1), int64(0)
	for event, err := range log.Events(eventlog.Filter{NoData: true}) {
		if err != nil {
			return err
		}
		t.events++
		if event.Exchange >= 0 {
			t.rows[event.Exchange]++
		}
		switch event.Kind {
		case eventlog.KindAnchor:
			anchor, err := eventlog.Decode[eventlog.Anchor](event)
			if err != nil {
				return err
			}
			if anchor.Why == "start" {
				base = anchor.MonoNs - event.AtNs
			}
		case eventlog.KindDispatch:
			sent, err := eventlog.Decode[struct {
				DueNs   int64 `json:"due_ns"`
				ReadyNs int64 `json:"ready_ns"`
			}](event)
			if err != nil {
				return err
			}
			due[event.Exchange] = max(sent.DueNs, sent.ReadyNs)
			laneOf[event.Exchange] = int64(event.Lane)
		case eventlog.KindClientSample:
			sample, err := eventlog.Decode[eventlog.ClientSample](event)
			if err != nil {
				return err
			}
			t.clientCPU += sample.CPUSeconds
		case eventlog.KindExchangeEnd:
			end, err := eventlog.Decode[eventlog.ExchangeEnd](event)
			if err != nil {
				return err
			}
			if first < 0 {
				first = end.StartNs
			}
			last = max(last, end.EndNs)
			lane := laneOf[event.Exchange]
			t.exchange(&end, due[event.Exchange], base, server, calm[lane])
			calm[lane] = end.Outcome == eventlog.OutcomeOK && end.Class == "" && end.LastResponseNs != nil && end.EndNs-*end.LastResponseNs < int64(20*time.Millisecond)
			delete(due, event.Exchange)
			delete(laneOf, event.Exchange)
		}
	}
	t.seconds = float64(last-first) / 1e9
	return nil
}

func (t *truth) exchange(end *eventlog.ExchangeEnd, due, base int64, server map[string]serverRecord, calm bool) {
	t.requests++
	t.bytes += end.SentBytes
	if end.Outcome != eventlog.OutcomeOK {
		t.errors[string(end.Outcome)+" "+end.Class]++
		return
	}
	t.ok++
	if end.SendStartNs != nil {
		t.lateness = append(t.lateness, *end.SendStartNs-due)
	}
	if end.SendStartNs != nil && calm {
		t.calmLate = append(t.calmLate, *end.SendStartNs-due)
	}
	t.readDelay = append(t.readDelay, end.ReadDelayMaxNs)
	if end.SecondTokenNs != nil && end.FirstTokenNs != nil {
		t.second = append(t.second, *end.SecondTokenNs-*end.FirstTokenNs)
	}
	record, known := server[end.RequestID]
	if !known || end.FirstTokenNs == nil || end.WrittenNs == nil {
		return
	}
	if record.FirstTokenNs == 0 { // answers that a fault shapes: their first write is known
		record.FirstTokenNs = record.FirstByteNs
	}
	t.bias = append(t.bias, *end.FirstTokenNs+base-record.FirstTokenNs)
	t.sendGap = append(t.sendGap, record.BodyReadNs-(*end.WrittenNs+base))
}

// mostRows is the greatest number of events that name one exchange.
func (t *truth) mostRows() (most int) {
	for _, rows := range t.rows {
		most = max(most, rows)
	}
	return most
}

func readServer(path string) (map[string]serverRecord, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records := map[string]serverRecord{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var record serverRecord
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		records[record.RequestID] = record
	}
	return records, lines.Err()
}

// quantile is the nearest-rank quantile in milliseconds.
func quantile(values []int64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return float64(values[min(int(q*float64(len(values))), len(values)-1)]) / 1e6
}
