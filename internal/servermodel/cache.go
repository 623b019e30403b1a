package servermodel

// prefixCache holds prompt beginnings as a tree whose edges are runs of units, so that finding, holding
// and releasing a prompt of thousands of units touches only the few runs it is made of.
//
// All units of a run were last used by the same requests, hence are equally recent, and a unit is never
// more recent than the ones before it. So evicting from the end of the least recently used run, which
// is always a leaf, is exactly "least recently used unit first, the later one of equals first".
type prefixCache struct {
	capacity int64 // units; 0 = no limit
	resident int64 // units in the tree
	pinned   int64 // units held by running requests
	reserved int64 // units set aside for what is not shared: outputs and prompt tails
	evicted  int64 // units, ever
	root     run
	children map[edge]*run
	recent   run // sentinel of the ring of unpinned runs; recent.next is the most recent one
}

// edge names a child by its parent and the first unit on the way to it.
type edge struct {
	parent *run
	first  uint64
}

// run is a stretch of units that were always used together.
type run struct {
	parent     *run
	keys       []uint64
	pins       int // requests that hold it
	prev, next *run
}

func newPrefixCache(capacityUnits int64) *prefixCache {
	c := &prefixCache{capacity: capacityUnits, children: map[edge]*run{}}
	c.recent.prev, c.recent.next = &c.recent, &c.recent
	return c
}

// match walks the units as far as they are resident. It returns the last run reached, how many units of
// that run match (all of them, except where the walk ends inside it) and the units matched in all.
func (c *prefixCache) match(keys []uint64) (at *run, inside, total int) {
	at = &c.root
	for total < len(keys) {
		child := c.children[edge{at, keys[total]}]
		if child == nil {
			return at, len(at.keys), total
		}
		inside = commonLength(child.keys, keys[total:])
		total += inside
		at = child
		if inside < len(child.keys) {
			return at, inside, total
		}
	}
	return at, len(at.keys), total
}

func commonLength(a, b []uint64) int {
	n := min(len(a), len(b))
	b = b[:n]
	for i, key := range a[:n] {
		if key != b[i] {
			return i
		}
	}
	return n
}

// held counts, of the first units resident units, those that running requests hold: a beginning, since
// whoever holds a unit holds the ones before it.
func (c *prefixCache) held(at *run, inside int) int64 {
	var n int64
	for r := at; r != &c.root; r = r.parent {
		if r.pins > 0 {
			if r == at {
				n += int64(inside)
			} else {
				n += int64(len(r.keys))
			}
		}
	}
	return n
}

// need is the number of units that would become held if keys were acquired now.
func (c *prefixCache) need(keys []uint64) int64 {
	at, inside, _ := c.match(keys)
	return int64(len(keys)) - c.held(at, inside)
}

// acquire holds keys for a request: it returns the run that ends the held part (for release) and the
// number of units that were resident before. Missing units are added, evicting others; those that find
// no room because everything is held are left out, the later ones first.
func (c *prefixCache) acquire(keys []uint64) (held *run, hits int) {
	at, inside, hits := c.match(keys)
	if inside < len(at.keys) {
		at = c.split(at, inside)
	}
	c.pin(at)
	missing := int64(len(keys) - hits)
	if c.capacity > 0 {
		room := c.capacity - c.reserved
		c.evict(c.resident + missing - room)
		missing = min(missing, room-c.resident)
	}
	if missing <= 0 {
		return at, hits
	}
	added := &run{parent: at, keys: append([]uint64(nil), keys[hits:hits+int(missing)]...)}
	c.children[edge{at, added.keys[0]}] = added
	c.resident += missing
	added.pins = 1
	c.pinned += missing
	return added, hits
}

// split cuts a run after its first n units and returns the new run for these. The old run object stays
// the later part, so that requests that hold it by pointer still hold all of it.
func (c *prefixCache) split(r *run, n int) *run {
	upper := &run{parent: r.parent, keys: r.keys[:n:n], pins: r.pins}
	c.children[edge{r.parent, r.keys[0]}] = upper
	r.parent, r.keys = upper, r.keys[n:]
	c.children[edge{upper, r.keys[0]}] = r
	if r.pins == 0 {
		insertAfter(upper, r.prev)
	}
	return upper
}

// pin holds every run from the root to r.
func (c *prefixCache) pin(r *run) {
	for ; r != &c.root; r = r.parent {
		if r.pins == 0 {
			unlink(r)
			c.pinned += int64(len(r.keys))
		}
		r.pins++
	}
}

// release lets go of what acquire held, and makes it the most recently used, beginnings first.
func (c *prefixCache) release(r *run) {
	for ; r != &c.root; r = r.parent {
		r.pins--
		if r.pins == 0 {
			insertAfter(r, &c.recent)
			c.pinned -= int64(len(r.keys))
		}
	}
}

// reserve sets aside units that are not shared, as many as are not held, and returns how many.
func (c *prefixCache) reserve(n int64) int64 {
	if c.capacity > 0 {
		n = min(n, c.capacity-c.pinned-c.reserved)
	}
	c.reserved += n
	if c.capacity > 0 {
		c.evict(c.resident + c.reserved - c.capacity)
	}
	return n
}

// fits says whether a request that needs this many more units can run now.
func (c *prefixCache) fits(n int64) bool {
	return c.capacity == 0 || c.pinned+c.reserved+n <= c.capacity
}

// evict frees up to n units that nobody holds.
func (c *prefixCache) evict(n int64) {
	for n > 0 && c.recent.prev != &c.recent {
		victim := c.recent.prev
		cut := min(n, int64(len(victim.keys)))
		if cut == int64(len(victim.keys)) {
			delete(c.children, edge{victim.parent, victim.keys[0]})
			unlink(victim)
		} else {
			victim.keys = victim.keys[:int64(len(victim.keys))-cut]
		}
		n -= cut
		c.resident -= cut
		c.evicted += cut
	}
}

func unlink(r *run) {
	r.prev.next, r.next.prev = r.next, r.prev
	r.prev, r.next = nil, nil
}

func insertAfter(r, before *run) {
	r.prev, r.next = before, before.next
	before.next.prev = r
	before.next = r
}
