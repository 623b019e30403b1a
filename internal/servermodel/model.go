package servermodel

import (
	"fmt"
	"math"
	"slices"
)

// Model is a server. Make it with New.
type Model struct {
	config   Config
	cache    *prefixCache
	now      int64 // time of the last call
	arrivals int64

	queue    []*Job // waiting, in arrival order
	running  []*Job // prefilling and decoding, in order of admission
	refusals []*Job // refused or overflowing, in order of arrival
	prefills int
	decodes  int
	stats    Stats

	next      int64 // cached answer of Next
	nextValid bool
	hasNext   bool
}

// New makes an idle server.
func New(config Config) (*Model, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("server model: %w", err)
	}
	config = config.withDefaults()
	return &Model{config: config, cache: newPrefixCache(config.CacheTokens / int64(config.UnitTokens))}, nil
}

// Config is the configuration with its defaults filled in.
func (m *Model) Config() Config { return m.config }

// Arrive takes a request at time now, which must not lie before an earlier call's, after Advance(now).
// The returned job's Outcome is Refused or Overflow where the answer is already known; its Ended event
// comes Config.RefusalNs later all the same. Other jobs wait at least until the next Advance.
func (m *Model) Arrive(now int64, r Request) *Job {
	m.moveTo(now)
	job := &Job{Request: r, Seq: m.arrivals, ArrivedNs: now}
	m.arrivals++
	m.stats.Arrived++
	m.nextValid = false
	if m.decide(job); job.Outcome != Pending {
		job.state = gone
		job.EndNs = now + m.config.RefusalNs
		m.refusals = append(m.refusals, job)
		return job
	}
	m.queue = append(m.queue, job)
	return job
}

// decide settles what does not depend on other requests: overflow, refusal and the answer's length.
func (m *Model) decide(job *Job) {
	c := &m.config
	limit := job.MaxTokens
	if limit <= 0 {
		limit = c.DefaultMaxTokens
	}
	if c.WindowTokens > 0 {
		room := c.WindowTokens - job.PromptTokens
		if room < 1 || limit > room && c.RefuseOverWindow {
			job.Outcome = Overflow
			return
		}
		limit = min(limit, room)
	}
	fate := 1.0
	if c.ErrorRate > 0 || c.AbortRate > 0 {
		fate = Draw(c.Seed, "fate", job.Name)
	}
	if fate < c.ErrorRate {
		job.Outcome = Refused
		return
	}
	job.OutputTokens = limit
	if c.MeanOutputTokens > 0 && !job.IgnoreEOS {
		if n := drawLength(c.Seed, job.Name, c.MeanOutputTokens); n <= limit {
			job.OutputTokens, job.Stopped = n, true
		}
	}
	if fate < c.ErrorRate+c.AbortRate {
		job.aborts, job.Stopped = true, false
		job.OutputTokens = 1 + int(Draw(c.Seed, "abort after", job.Name)*float64(job.OutputTokens))
	}
}

// Next is the time of the next thing that happens by itself, and whether there is one. It is never
// before the time of the last call.
func (m *Model) Next() (atNs int64, ok bool) {
	if !m.nextValid {
		m.next, m.hasNext = m.findNext()
		m.nextValid = true
	}
	return max(m.next, m.now), m.hasNext
}

func (m *Model) findNext() (int64, bool) {
	if m.canAdmit() {
		return m.now, true
	}
	earliest := int64(math.MaxInt64)
	for _, job := range m.running {
		if job.state == prefilling {
			earliest = min(earliest, job.FirstTokenNs)
		} else {
			earliest = min(earliest, job.pace.tokenNs(job.OutputTokens-1))
		}
	}
	if len(m.refusals) > 0 {
		earliest = min(earliest, m.refusals[0].EndNs)
	}
	return earliest, earliest != math.MaxInt64
}

// Advance lets everything happen that is due by now and appends it to events, in order of time; at one
// instant ends come first, then admissions, then first tokens, each in order of arrival.
func (m *Model) Advance(now int64, events []Event) []Event {
	for {
		at, ok := m.Next()
		if !ok || at > now {
			m.moveTo(now)
			return events
		}
		m.now = at
		m.nextValid = false
		decodesBefore := m.decodes
		events = m.endDue(at, events)
		events = m.admit(at, events)
		events = m.startDecoding(at, events)
		if m.decodes != decodesBefore {
			m.repace(at)
		}
	}
}

func (m *Model) moveTo(now int64) {
	if now < m.now {
		panic(fmt.Sprintf("server model: time went back from %d to %d ns", m.now, now))
	}
	m.now = now
}

// endDue ends refused jobs and those whose last token is due.
func (m *Model) endDue(at int64, events []Event) []Event {
	for len(m.refusals) > 0 && m.refusals[0].EndNs <= at {
		job := m.refusals[0]
		m.refusals = m.refusals[1:]
		m.stats.count(job, 0)
		events = append(events, Event{at, Ended, job})
	}
	for i := 0; i < len(m.running); {
		job := m.running[i]
		if job.state != decoding || job.pace.tokenNs(job.OutputTokens-1) > at {
			i++
			continue
		}
		outcome := Finished
		if job.aborts {
			outcome = Aborted
		}
		m.leave(job, at, outcome) // takes it out of running
		events = append(events, Event{at, Ended, job})
	}
	return events
}

// startDecoding turns prefilling jobs whose first token is due into decoding ones.
func (m *Model) startDecoding(at int64, events []Event) []Event {
	for _, job := range m.running {
		if job.state == prefilling && job.FirstTokenNs <= at {
			job.state = decoding
			m.prefills--
			m.decodes++
			job.pace.start(at, m.stepNs())
			events = append(events, Event{at, FirstToken, job})
		}
	}
	return events
}

// stepNs is the time from token to token with the present number of decoding requests.
func (m *Model) stepNs() int64 {
	others := float64(max(m.decodes-1, 0))
	slower := 1 + float64(m.config.DecodeSlowdown*others)
	return max(1, int64(math.Round(float64(float64(m.config.TokenNs)*slower))))
}

// repace gives every decoding job the present step.
func (m *Model) repace(now int64) {
	step := m.stepNs()
	for _, job := range m.running {
		if job.state == decoding {
			job.pace.change(now, step)
		}
	}
}

// Cancel ends a job at time now, after Advance(now): its slot and its cache units are free from then on.
// It says whether the job had not ended before. No event is returned for it.
func (m *Model) Cancel(now int64, job *Job) bool {
	m.moveTo(now)
	m.nextValid = false
	switch job.state {
	case gone:
		return false
	case waiting:
		m.queue = slices.DeleteFunc(m.queue, func(other *Job) bool { return other == job })
		job.state, job.EndNs, job.Outcome = gone, now, Cancelled
		m.stats.count(job, 0)
		return true
	}
	decodesBefore := m.decodes
	m.leave(job, now, Cancelled)
	if m.decodes != decodesBefore {
		m.repace(now)
	}
	return true
}

// leave takes a running job out of the batch and frees what it holds.
func (m *Model) leave(job *Job, now int64, outcome Outcome) {
	produced := job.Emitted(now)
	if job.state == prefilling {
		m.prefills--
	} else {
		m.decodes--
	}
	m.running = slices.DeleteFunc(m.running, func(other *Job) bool { return other == job })
	if job.held != nil {
		m.cache.release(job.held)
		job.held = nil
	}
	m.cache.reserved -= job.reserved
	job.state, job.EndNs, job.Outcome = gone, now, outcome
	m.stats.count(job, produced)
}
