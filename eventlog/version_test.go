package eventlog

import (
	"fmt"
	"os"
	"testing"
)

// testdata/v1.db is a log of format version 1, as the first program of that version wrote it. It is
// never written again: what it holds must come out of every later program. (It was made with
// AGENTX_UPDATE=1, which refuses to replace a file.)
const (
	versionOneLog  = "testdata/v1.db"
	versionOneHead = "176a2c766adb09e799142d62d3c303295d1f93ba0c8dd05dbf98210f7ec53791"
)

func TestLogsOfVersion1StayReadable(t *testing.T) {
	if os.Getenv("AGENTX_UPDATE") != "" {
		if err := copyFile(sampleLog(t, sample{events: 12, group: 5}, Options{pageSize: 512}), versionOneLog); err != nil {
			t.Fatal(err)
		}
	}
	report := checkLog(t, versionOneLog)
	if len(report.Damages) > 0 || report.Version != 1 || report.Interrupted() || report.Events != 16 || report.Plans != 3 {
		t.Errorf("the report is %+v", report)
	}
	if head := fmt.Sprintf("%x", report.Head); head != versionOneHead {
		t.Errorf("the chain ends with %s, want %s", head, versionOneHead)
	}
	for i, event := range readAll(t, versionOneLog, Filter{From: 3, To: 14}) {
		want := sampleEvent(i)
		want.Seq = event.Seq
		if string(appendEvent(nil, &event)) != string(appendEvent(nil, &want)) {
			t.Errorf("event %d came back as %+v, want %+v", event.Seq, event, want)
		}
	}
}
