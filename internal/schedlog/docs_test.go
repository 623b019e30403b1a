package schedlog

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"agentx/eventlog"
	"agentx/sched"
)

// TestDocumentedKeys requires that docs/event-log-scheduler.md names every kind and every key of every
// payload.
func TestDocumentedKeys(t *testing.T) {
	text, err := os.ReadFile("../../docs/event-log-scheduler.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind := eventlog.KindStart; kind <= eventlog.KindSlotWait; kind++ {
		if name := kind.String(); !strings.HasPrefix(name, "kind_") && !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("kind %s is not documented", name)
		}
	}
	for _, payload := range []any{
		Start{}, FirstToken{}, Ended{}, Reason{}, sched.TrajectoryBuilt{}, sched.TraceSkipped{}, sched.TraceDrawn{},
		sched.PhaseStart{}, sched.TreeOpen{}, sched.StreamOpen{}, sched.TimerSet{}, sched.TimersShifted{}, sched.TurnDue{},
		sched.TurnRetained{}, sched.TurnReleased{}, sched.TurnRefused{}, sched.TurnDeferred{}, sched.SlotWait{},
		sched.GateCreated{}, sched.GateBlocked{}, sched.GateSatisfied{}, sched.GateDiscarded{}, sched.Dispatch{}, sched.Cancel{},
		sched.StreamCompleted{}, sched.StreamTerminated{}, sched.StreamTruncated{}, sched.TurnsVoided{}, sched.RootDone{},
		sched.TreeAborted{}, sched.TreeDrained{}, sched.Backoff{}, sched.WarmupFailure{}, sched.SendingComplete{},
		sched.CancelInFlight{}, sched.Handoff{}, sched.PhaseComplete{}, sched.RunComplete{},
	} {
		checkKeys(t, string(text), reflect.TypeOf(payload))
	}
}

func checkKeys(t *testing.T, text string, of reflect.Type) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[sched.Config]() {
		return
	}
	for i := range of.NumField() {
		field := of.Field(i)
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !strings.Contains(text, "`"+key+"`") {
			t.Errorf("the key %q of %s is not documented", key, of.Name())
		}
		checkKeys(t, text, field.Type)
	}
}
