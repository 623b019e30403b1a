package measure

import "fmt"

// The limits above which a run's client counts as its bottleneck (docs/guide.md). agentx-run warns at them
// while it runs, over two seconds each; the result goes by the whole profiling.
const (
	ClientBusyShare = 0.85          // of all cores of its machine, in any two seconds
	ClientLateNs    = 50 * nsPerMs  // 99th percentile of lateness
	clientLateWords = "below 50 ms" // the same, for people
)

// Bottleneck says why the client, and not the server, may have shaped the load: it used more than 85 % of
// the cores, or the p99 lateness of the profiling was over 50 ms. Empty: it kept pace. A simulation has no
// client.
func (r *Run) Bottleneck() []string {
	if r.Config.Simulated {
		return nil
	}
	var reasons []string
	if r.Client.CPUShareMax > ClientBusyShare {
		reasons = append(reasons, fmt.Sprintf("it used up to %.0f %% of all cores", 100*r.Client.CPUShareMax))
	}
	var late []float64
	for _, record := range r.Records {
		if record.Phase != PhaseProfiling {
			continue
		}
		if ns, ok := lateness(record, &r.Basis); ok {
			late = append(late, ns)
		}
	}
	if stats, ok := Distribute(late); ok && stats.Percentile(99) > ClientLateNs {
		reasons = append(reasons, fmt.Sprintf("lateness p99 %.0f ms", stats.Percentile(99)/nsPerMs))
	}
	return reasons
}
