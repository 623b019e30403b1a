package servermodel

// Stats counts what a server did since it was made.
type Stats struct {
	Arrived int64
	Ended   [Cancelled + 1]int64 // by Outcome
	// QueriedTokens are the prompt tokens of admitted requests, HitTokens those of them found in the
	// prefix cache.
	QueriedTokens, HitTokens int64
	// OutputTokens of requests that have ended.
	OutputTokens int64
	Stopped      int64 // of the finished: by a stop token
}

func (s *Stats) count(job *Job, produced int) {
	s.Ended[job.Outcome]++
	s.OutputTokens += int64(produced)
	if job.Stopped && job.Outcome == Finished {
		s.Stopped++
	}
}

// Load is the state of a server at one instant.
type Load struct {
	Running, Waiting int
	HeldTokens       int64 // KV cache in use by running requests
	CachedTokens     int64 // resident in the prefix cache, held or not
	CapacityTokens   int64 // 0 = no limit
	EvictedTokens    int64 // ever
}

// Stats is what the server did so far.
func (m *Model) Stats() Stats { return m.stats }

// Load is how busy the server is as of the last call.
func (m *Model) Load() Load {
	unit := int64(m.config.UnitTokens)
	return Load{
		Running: len(m.running), Waiting: len(m.queue),
		HeldTokens:     (m.cache.pinned + m.cache.reserved) * unit,
		CachedTokens:   m.cache.resident * unit,
		CapacityTokens: m.cache.capacity * unit,
		EvictedTokens:  m.cache.evicted * unit,
	}
}

// ResetCache forgets every prompt that no running request holds, and says whether it forgot all.
func (m *Model) ResetCache() bool {
	evicted := m.cache.evicted
	m.cache.evict(m.cache.resident)
	m.cache.evicted = evicted // a reset is no eviction
	return m.cache.resident == 0
}
