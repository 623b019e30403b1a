package eventlog

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// testdata/v1.db is a log of format version 1, as the first program of that version wrote it. It is
// never written again: what it holds must come out of every later program. So is v2.db. (They were made
// with AGENTX_UPDATE=1, which makes the newest one and refuses to replace a file.)
const (
	versionOneLog  = "testdata/v1.db"
	versionOneHead = "176a2c766adb09e799142d62d3c303295d1f93ba0c8dd05dbf98210f7ec53791"
	versionTwoLog  = "testdata/v2.db"
	versionTwoHead = "24c11761ceb347f58a1ab36098cd4e2d1cf5f6ffb1bf6ea511e1e2cfa8b56a43"
)

func TestLogsOfVersion1StayReadable(t *testing.T) {
	report := checkLog(t, versionOneLog)
	if len(report.Damages) > 0 || report.Version != 1 || report.Interrupted() || report.Events != 16 || report.Plans != 3 {
		t.Errorf("the report is %+v", report)
	}
	if head := fmt.Sprintf("%x", report.Head); head != versionOneHead {
		t.Errorf("the chain ends with %s, want %s", head, versionOneHead)
	}
	for i, event := range readAll(t, versionOneLog, Filter{From: 3, To: 14}) {
		wantSame(t, event, sampleEvent(i))
	}
}

func TestLogsOfVersion2StayReadable(t *testing.T) {
	if os.Getenv("AGENTX_UPDATE") != "" {
		w := newLog(t, Options{pageSize: 512})
		for _, event := range versionTwoEvents(t) {
			mustAdd(t, w, event)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := copyFile(w.Path(), versionTwoLog); err != nil {
			t.Fatal(err)
		}
	}
	want := versionTwoEvents(t)
	report := checkLog(t, versionTwoLog)
	if len(report.Damages) > 0 || report.Version != 2 || report.Interrupted() || report.Events != Seq(len(want)) {
		t.Errorf("the report is %+v", report)
	}
	if head := fmt.Sprintf("%x", report.Head); head != versionTwoHead {
		t.Errorf("the chain ends with %s, want %s", head, versionTwoHead)
	}
	for i, event := range readAll(t, versionTwoLog, Filter{}) {
		wantSame(t, event, want[i])
	}
	shown := queryLog(t, versionTwoLog, "SELECT payload FROM log WHERE kind NOT IN ('exchange_end') ORDER BY seq")
	for _, event := range want {
		if event.Kind == KindExchangeEnd {
			continue
		}
		if text := fmt.Sprintf("[%s]", event.Payload); shown[0] != text {
			t.Errorf("the view log shows %s, want %s", shown[0], text)
		}
		shown = shown[1:]
	}
	ends := queryLog(t, versionTwoLog, "SELECT request_id, status, model, finish_reason, addresses, body_digest FROM exchanges ORDER BY seq")
	if want := []string{
		"[0f3a9c52-7be1-4d06-9a44-5d1c2b3e4f50 200 m stop 10.0.0.1:1 10.0.0.2:80 " + strings.Repeat("0123456789abcdef", 4) + "]",
		"[0f3a9c52-7be1-4d06-9a44-5d1c2b3e4f51 200 m stop 10.0.0.1:1 10.0.0.2:80 " + strings.Repeat("0123456789abcdef", 4) + "]",
		"[an id of another form 503 <nil> <nil> <nil> <nil>]",
	}; !slices.Equal(ends, want) {
		t.Errorf("the view exchanges shows %q, want %q", ends, want)
	}
}

func wantSame(t *testing.T, event, want Event) {
	t.Helper()
	want.Seq = event.Seq
	if string(appendEvent(nil, &event)) != string(appendEvent(nil, &want)) {
		t.Errorf("event %d came back as %+v, want %+v", event.Seq, event, want)
	}
}

// versionTwoEvents has each stored form, and what does not fit them.
func versionTwoEvents(t *testing.T) []Event {
	row := func(kind Kind, atNs int64, payload string) Event {
		event := New(kind, atNs)
		event.Payload, event.Exchange = []byte(payload), 7
		return event
	}
	end := func(id string, status int) Event {
		end := ExchangeEnd{Outcome: OutcomeOK, RequestID: id, Status: status, Protocol: "HTTP/1.1", StartNs: 5, EndNs: 9000}
		if status == 200 {
			end.BodyDigest, end.Model, end.FinishReasons = strings.Repeat("0123456789abcdef", 4), "m", []string{"stop"}
			end.LocalAddr, end.RemoteAddr = "10.0.0.1:1", "10.0.0.2:80"
		}
		event, err := NewPayload(KindExchangeEnd, 9000, end)
		if err != nil {
			t.Fatal(err)
		}
		return event
	}
	withChunks := end("0f3a9c52-7be1-4d06-9a44-5d1c2b3e4f51", 200)
	withChunks.Data = encodeOwn([]Chunk{{AtNs: 9, Class: ChunkText, WireBytes: 200, TextBytes: 4}})
	return []Event{
		row(KindRunConfig, 0, `{"schema":2}`),
		row(KindTurnDue, 5000, `{"due_ns":4000}`),
		row(KindTurnDue, 5000, `{"due_ns":9000}`),
		row(KindDispatch, 5000, `{"phase":"profiling","credit":3,"plan":1,"c":0,"due_ns":4000,"ready_ns":4000,"waited":["gap"],"url":0}`),
		row(KindDispatch, 5000, `{"phase":"warmup","credit":0,"plan":12,"c":4,"due_ns":4000,"ready_ns":4500,"slot_wait_ns":8,"max":1,"primer":true,"final":true,"waited":["join","slot"],"url":1,"marker":"0123456789ab"}`),
		row(KindDispatch, 5000, `{"phase":"profiling","credit":4,"plan":1,"c":0,"due_ns":4000,"ready_ns":4000,"waited":[],"url":0,"later":"a key of a later program"}`),
		row(KindFirstToken, 6000, `{"at_ns":5990}`),
		row(KindRequestWritten, 6000, `{"n":265123}`),
		row(KindFirstContent, 6000, `{"class":"text"}`),
		row(KindEnded, 7000, `{"at_ns":6900,"outcome":"ok","answered":true}`),
		row(KindEnded, 7000, `{"at_ns":6900,"outcome":"ok","answered":true,"timer":{"due_ns":16900,"gap_ns":10000}}`),
		row(KindEnded, 7000, `{"at_ns":6900,"outcome":"error"}`),
		end("0f3a9c52-7be1-4d06-9a44-5d1c2b3e4f50", 200),
		withChunks,
		end("an id of another form", 503),
		row(KindRunEnd, 9999, `{"exit_code":0,"reason":"done","was_cancelled":false}`),
	}
}
