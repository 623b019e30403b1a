package eventlog

import "strconv"

// String is the name of the kind as the table kinds and the view log have it.
func (kind Kind) String() string {
	if name := kind.name(); name != "" {
		return name
	}
	return "kind_" + strconv.Itoa(int(kind))
}

// kindLimit bounds the numbers that name is asked for when the table kinds is filled.
const kindLimit = 1000

// Kinds lists every kind that this program knows, ascending.
func Kinds() []Kind {
	var kinds []Kind
	for kind := Kind(1); kind < kindLimit; kind++ {
		if kind.name() != "" {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// name is "" for a number without a meaning.
func (kind Kind) name() string {
	switch {
	case kind < 100:
		return kind.runName()
	case kind < 110:
		return kind.inputName()
	case kind < 200:
		return kind.decisionName()
	default:
		return kind.wireName()
	}
}

func (kind Kind) runName() string {
	switch kind {
	case KindRunConfig:
		return "run_config"
	case KindAnchor:
		return "anchor"
	case KindModelMap:
		return "model_map"
	case KindServerInfo:
		return "server_info"
	case KindNotice:
		return "notice"
	case KindClientSample:
		return "client_sample"
	case KindServerSample:
		return "server_sample"
	case KindRunEnd:
		return "run_end"
	case KindStreamNames:
		return "stream_names"
	case KindBundlePart:
		return "bundle_part"
	}
	return ""
}

func (kind Kind) inputName() string {
	switch kind {
	case KindStart:
		return "start"
	case KindWake:
		return "wake"
	case KindFirstToken:
		return "first_token"
	case KindEnded:
		return "ended"
	case KindStop:
		return "stop"
	case KindAbort:
		return "abort"
	}
	return ""
}

func (kind Kind) wireName() string {
	switch kind {
	case KindRequestWritten:
		return "request_written"
	case KindFirstContent:
		return "first_content"
	case KindExchangeEnd:
		return "exchange_end"
	case KindChunks:
		return "chunks"
	case KindRawExchange:
		return "raw_exchange"
	case KindNetworkSample:
		return "network_sample"
	case KindLateEnd:
		return "late_end"
	}
	return ""
}

// decisionNames is indexed by kind - 110; the order is that of the constants.
func (kind Kind) decisionName() string {
	names := [...]string{
		"trajectory_built", "trace_skipped", "trace_drawn", "phase_start", "tree_open", "stream_open",
		"timer_set", "timers_shifted", "turn_due", "turn_retained", "turn_released", "turn_refused",
		"turn_deferred", "gate_created", "gate_blocked", "gate_satisfied", "gate_discarded", "dispatch",
		"cancel", "stream_completed", "stream_terminated", "stream_truncated", "turns_voided",
		"root_done", "tree_aborted", "tree_drained", "backoff", "warmup_failure", "sending_complete",
		"cancel_in_flight", "handoff", "phase_complete", "run_complete", "slot_wait",
	}
	index := int(kind) - int(KindTrajectoryBuilt)
	if index < 0 || index >= len(names) {
		return ""
	}
	return names[index]
}
