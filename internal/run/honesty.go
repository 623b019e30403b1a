package run

import (
	"time"

	"agentx/eventlog"
	"agentx/internal/measure"
)

// The limits above which the client says that it may be the bottleneck (docs/guide.md).
const (
	busyShare   = measure.ClientBusyShare // of all cores, by this process
	lateLimit   = time.Duration(measure.ClientLateNs)
	fewestSends = 20 // a p99 of fewer says nothing
)

// honesty warns, once for each reason, when the client cannot keep pace.
type honesty struct {
	warn       func(code string, facts map[string]any, format string, arguments ...any)
	busy, late bool
}

// look takes a sample of two seconds in which so many requests were sent.
func (h *honesty) look(sample *eventlog.ClientSample, sends int64) {
	if sample.CPUShare > busyShare && !h.busy {
		h.busy = true
		h.warn("client_busy", map[string]any{"cpu_share": sample.CPUShare},
			"this client uses %.0f %% of all cores: it may hold the load down; lower --concurrency or use a bigger machine", 100*sample.CPUShare)
	}
	if late := time.Duration(sample.LateP99Ns); late > lateLimit && sends >= fewestSends && !h.late {
		h.late = true
		h.warn("client_late", map[string]any{"late_p99_ns": sample.LateP99Ns, "sends": sends},
			"requests go out late (p99 %s of %d in two seconds): the load is not as recorded; the machine is too small or too busy", late.Round(time.Millisecond), sends)
	}
}
