package servermodel

import "math"

// canAdmit says whether the first waiting request can start now: FIFO, nobody overtakes.
func (m *Model) canAdmit() bool {
	if len(m.queue) == 0 {
		return false
	}
	c := &m.config
	if c.BatchLimit > 0 && len(m.running) >= c.BatchLimit || c.PrefillLimit > 0 && m.prefills >= c.PrefillLimit {
		return false
	}
	if len(m.running) == 0 || m.cache.capacity == 0 {
		return true
	}
	job := m.queue[0]
	return m.cache.fits(m.cache.need(m.sharedKeys(job)) + m.privateUnits(job))
}

// sharedKeys are the keys that the job brings to the prefix cache.
func (m *Model) sharedKeys(job *Job) []uint64 {
	if m.config.NoPrefixCache {
		return nil
	}
	return job.Keys[:min(len(job.Keys), job.PromptTokens/m.config.UnitTokens)]
}

// privateUnits is the room for what the job does not share: the end of its prompt and its output.
func (m *Model) privateUnits(job *Job) int64 {
	unit := m.config.UnitTokens
	tokens := job.PromptTokens - len(m.sharedKeys(job))*unit + job.OutputTokens
	return int64((tokens + unit - 1) / unit)
}

// admit starts waiting requests as long as the first of them can start.
func (m *Model) admit(at int64, events []Event) []Event {
	for m.canAdmit() {
		job := m.queue[0]
		m.queue[0] = nil
		m.queue = m.queue[1:]
		m.running = append(m.running, job)
		m.prefills++
		job.state = prefilling
		job.AdmittedNs = at
		keys := m.sharedKeys(job)
		held, hits := m.cache.acquire(keys)
		job.held = held
		job.reserved = m.cache.reserve(m.privateUnits(job))
		// The last prompt token is always computed: its output is the first token.
		unit := m.config.UnitTokens
		job.CachedTokens = min(hits, (job.PromptTokens-1)/unit) * unit
		job.FirstTokenNs = at + m.config.OverheadNs + m.prefillNs(job.PromptTokens-job.CachedTokens)
		m.stats.QueriedTokens += int64(job.PromptTokens)
		m.stats.HitTokens += int64(job.CachedTokens)
		events = append(events, Event{at, Admitted, job})
	}
	return events
}

// prefillNs is how long computing the tokens takes; at least 1 ns, so that no first token comes at the
// instant of admission.
func (m *Model) prefillNs(tokens int) int64 {
	rate := m.config.PrefillTokensPerSecond
	if rate == 0 {
		return 1
	}
	return max(1, int64(math.Ceil(float64(tokens)*1e9/rate)))
}
