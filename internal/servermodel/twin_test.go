package servermodel

import (
	"cmp"
	"math"
	"slices"
)

// dumb is the model written the obvious way: a cache that is a list of prompt beginnings, and a clock
// that goes from token to token.
type dumb struct {
	config   Config
	cache    map[uint64]*dumbUnit
	uses     int64
	reserved int64
	queue    []*dumbJob
	running  []*dumbJob
	log      []dumbEvent
}

type dumbUnit struct {
	depth int
	used  int64
	pins  int
}

type dumbJob struct {
	Request
	seq        int64
	output     int
	cached     int
	held       []uint64
	reserved   int64
	admitted   int64
	next       int64 // time of the next token
	produced   int
	prefilling bool
	tokens     []int64
}

type dumbEvent struct {
	at   int64
	kind EventKind
	seq  int64
}

func (d *dumb) capacity() int64 { return d.config.CacheTokens / int64(d.config.UnitTokens) }

func (d *dumb) pinned() int64 {
	var n int64
	for _, unit := range d.cache {
		if unit.pins > 0 {
			n++
		}
	}
	return n
}

func (d *dumb) evictOne() bool {
	var victim uint64
	var worst *dumbUnit
	for key, unit := range d.cache {
		if unit.pins == 0 && (worst == nil || unit.used < worst.used || unit.used == worst.used && unit.depth > worst.depth) {
			victim, worst = key, unit
		}
	}
	if worst != nil {
		delete(d.cache, victim)
	}
	return worst != nil
}

func (d *dumb) private(job *dumbJob) int64 {
	tokens := job.PromptTokens - len(job.Keys)*d.config.UnitTokens + job.output
	return int64(math.Ceil(float64(tokens) / float64(d.config.UnitTokens)))
}

func (d *dumb) canAdmit() bool {
	if len(d.queue) == 0 || d.config.BatchLimit > 0 && len(d.running) == d.config.BatchLimit {
		return false
	}
	prefills := 0
	for _, job := range d.running {
		if job.prefilling {
			prefills++
		}
	}
	if d.config.PrefillLimit > 0 && prefills == d.config.PrefillLimit {
		return false
	}
	if len(d.running) == 0 || d.config.CacheTokens == 0 {
		return true
	}
	need := d.private(d.queue[0])
	for _, key := range d.queue[0].Keys {
		if unit := d.cache[key]; unit == nil || unit.pins == 0 {
			need++
		}
	}
	return d.pinned()+d.reserved+need <= d.capacity()
}

func (d *dumb) admit(at int64) {
	job := d.queue[0]
	d.queue = d.queue[1:]
	hits := 0
	for hits < len(job.Keys) && d.cache[job.Keys[hits]] != nil {
		d.cache[job.Keys[hits]].pins++
		hits++
	}
	job.held = job.Keys[:hits]
	for i := hits; i < len(job.Keys); i++ {
		for d.config.CacheTokens > 0 && int64(len(d.cache))+d.reserved >= d.capacity() && d.evictOne() {
		}
		if d.config.CacheTokens > 0 && int64(len(d.cache))+d.reserved >= d.capacity() {
			break
		}
		d.cache[job.Keys[i]] = &dumbUnit{depth: i, pins: 1}
		job.held = job.Keys[:i+1]
	}
	job.reserved = d.private(job)
	if d.config.CacheTokens > 0 {
		job.reserved = min(job.reserved, d.capacity()-d.pinned()-d.reserved)
	}
	d.reserved += job.reserved
	for d.config.CacheTokens > 0 && int64(len(d.cache))+d.reserved > d.capacity() {
		d.evictOne()
	}
	job.cached = hits * d.config.UnitTokens
	for job.cached >= job.PromptTokens && job.cached > 0 {
		job.cached -= d.config.UnitTokens
	}
	prefill := int64(1)
	if d.config.PrefillTokensPerSecond > 0 {
		prefill = int64(math.Ceil(float64(job.PromptTokens-job.cached) * 1e9 / d.config.PrefillTokensPerSecond))
	}
	job.admitted, job.next, job.prefilling = at, at+d.config.OverheadNs+prefill, true
	d.running = append(d.running, job)
	d.log = append(d.log, dumbEvent{at, Admitted, job.seq})
}

func (d *dumb) leave(job *dumbJob) {
	d.uses++
	for _, key := range job.held {
		unit := d.cache[key]
		unit.pins--
		if unit.pins == 0 {
			unit.used = d.uses
		}
	}
	d.reserved -= job.reserved
	d.running = slices.DeleteFunc(d.running, func(other *dumbJob) bool { return other == job })
}

func (d *dumb) decoding() (n int) {
	for _, job := range d.running {
		if !job.prefilling {
			n++
		}
	}
	return n
}

// instant does everything due at one time. A token that came just now takes its next interval from the
// number of jobs decoding once the instant is over.
func (d *dumb) instant(at int64) {
	var tokens []*dumbJob
	for _, job := range slices.Clone(d.running) {
		if job.next == at && !job.prefilling {
			job.produced++
			job.tokens = append(job.tokens, at)
			tokens = append(tokens, job)
		}
	}
	d.endComplete(at)
	for d.canAdmit() {
		d.admit(at)
	}
	for _, job := range d.running {
		if job.next == at && job.prefilling {
			job.prefilling = false
			job.produced = 1
			job.tokens = append(job.tokens, at)
			tokens = append(tokens, job)
			d.log = append(d.log, dumbEvent{at, FirstToken, job.seq})
		}
	}
	// a one-token answer ends with its first token, at the same instant
	for before := -1; before != len(d.log); {
		before = len(d.log)
		d.endComplete(at)
		for d.canAdmit() {
			d.admit(at)
		}
	}
	step := int64(math.Round(float64(d.config.TokenNs) * (1 + d.config.DecodeSlowdown*float64(max(d.decoding()-1, 0)))))
	for _, job := range tokens {
		job.next = at + max(step, 1)
	}
}

func (d *dumb) endComplete(at int64) {
	for _, job := range slices.Clone(d.running) {
		if !job.prefilling && job.produced == job.output {
			d.leave(job)
			d.log = append(d.log, dumbEvent{at, Ended, job.seq})
		}
	}
}

// run plays arrivals (sorted by time) to the end.
func (d *dumb) run(arrivals []arrival) {
	for i := 0; i < len(arrivals) || len(d.running)+len(d.queue) > 0; {
		at := int64(math.MaxInt64)
		if i < len(arrivals) {
			at = arrivals[i].at
		}
		for _, job := range d.running {
			at = min(at, job.next)
		}
		d.instant(at)
		for i < len(arrivals) && arrivals[i].at == at {
			job := &dumbJob{Request: arrivals[i].request, seq: int64(i), output: arrivals[i].request.MaxTokens}
			d.queue = append(d.queue, job)
			i++
			arrivals[i-1].twin = job
		}
		for d.canAdmit() {
			d.admit(at)
		}
	}
	slices.SortStableFunc(d.log, func(a, b dumbEvent) int { return cmp.Compare(a.at, b.at) })
}

type arrival struct {
	at      int64
	request Request
	twin    *dumbJob
}
